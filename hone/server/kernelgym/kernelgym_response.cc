// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "hone/base/json/evidence_json.h"
#include "hone/base/json/records.h"
#include "hone/server/http/router.h"

namespace hone::server {
namespace {

constexpr double kNotMeasured = -1;

// A row of the outcome matrix.
struct GymVerdict {
  const char* status = "failed";
  bool is_compiled = false;
  bool is_correct = false;
  bool is_decoy = false;
  const char* error_code = nullptr;
  const char* error_key = nullptr;  // Under which the message stands in the metadata too.
};

GymVerdict VerdictOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAccepted:
      return {"completed", true, true, false, nullptr, nullptr};
    case Outcome::kRejected:
      return {"failed", false, false, false, "VALIDATION_ERROR", "validation_error"};
    case Outcome::kBuildFailed:
      return {"failed", false, false, false, "COMPILATION_ERROR", "compilation_error"};
    case Outcome::kCrashed:
      return {"completed", true, false, false, "RUNTIME_ERROR", "runtime_error"};
    case Outcome::kTimedOut:
      return {"failed", false, false, false, "TIMEOUT_ERROR", "error"};
    case Outcome::kWrong:
      return {"completed", true, false, false, "CORRECTNESS_ERROR", "correctness_issue"};
    case Outcome::kCheated:
      return {"completed", true, false, true, "CORRECTNESS_ERROR", "correctness_issue"};
  }
  return {};
}

// It came to its deadline without anybody having taken it: the service failed, not the kernel.
bool WasNeverTaken(const TaskView& view) {
  const auto* const drop = std::get_if<Settlement::Drop>(&view.settlement->end);
  return drop != nullptr && drop->why == Dropped::kExpired && view.worker.empty();
}

GymVerdict VerdictOf(const TaskView& view) {
  if (const auto* evaluation = std::get_if<Evaluation>(&view.settlement->end)) {
    return VerdictOf(evaluation->outcome);
  }
  const bool is_late = std::get<Settlement::Drop>(view.settlement->end).why == Dropped::kExpired &&
                       !WasNeverTaken(view);
  return {"failed", false, false, false, is_late ? "TIMEOUT_ERROR" : "SYSTEM_ERROR", "error"};
}

// What the model that wrote the kernel is told: the reason, and what there is to see.
std::string MessageOf(const Evaluation& evaluation) {
  std::string message = evaluation.reason;
  for (const std::string_view what : {"compiler output", "exception", "difference", "cheat"}) {
    const std::string* text = FindEvidence(evaluation.evidence, what);
    const std::string fresh = text != nullptr ? WithoutSeenLines(*text, message) : "";
    if (!fresh.empty()) message += (message.empty() ? "" : "\n") + fresh;
  }
  return message;
}

std::string NeedsText(const Capabilities& needs) {
  return fmt::format("{}", fmt::join(needs.names, ", "));
}

std::string MessageOf(const TaskView& view) {
  if (const auto* evaluation = std::get_if<Evaluation>(&view.settlement->end)) {
    return MessageOf(*evaluation);
  }
  if (WasNeverTaken(view)) {
    return fmt::format(
        "the kernel was not judged: no worker took it in time; it needs one with {} (`hone worker` "
        "on a machine that has it)",
        NeedsText(view.task.needs));
  }
  return "the kernel was not judged: " + std::get<Settlement::Drop>(view.settlement->end).reason;
}

std::optional<double> MetricOf(const Evaluation& evaluation, std::string_view name) {
  for (const Metric& metric : evaluation.metrics) {
    if (metric.name == name && std::isfinite(metric.value)) return metric.value;
  }
  return std::nullopt;
}

Json TextOrNumber(const Json& value) {
  return value.is_string() ? value
                           : Json(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void AddCorrectness(const Evaluation& evaluation, Json& metadata) {
  const Json found = FindJsonEvidence(evaluation.evidence, "correctness");
  if (found.is_null()) return;
  if (found.contains("trials") && found.contains("passed")) {
    metadata["correctness_trials"] =
        fmt::format("({} / {})", found["passed"].dump(), found["trials"].dump());
  }
  for (const char* key : {"max_difference", "avg_difference"}) {
    if (!found.contains(key)) continue;
    const Json& value = found[key];
    metadata[key] = value.is_array() ? value : Json::array({TextOrNumber(value)});
  }
  if (found.contains("tolerance")) metadata["tolerance"] = found["tolerance"];
}

// A reference is never compiled: the backends on the processor have no torch.compile.
void AddReferenceBackend(const Json& problem, Json& metadata) {
  const auto options = problem.find("backend_options");
  if (options == problem.end() || !options->contains("reference_backend")) return;
  metadata["reference_backend"] = (*options)["reference_backend"];
  metadata["reference_backend_compiled"] = false;
  metadata["reference_backend_error"] = "the reference runs eagerly: no torch.compile here";
}

// What the request said, as far as the task keeps it.
void AddRequest(const Task& task, Json& metadata) {
  const auto option = [&](const char* name) {
    const auto found = task.options.find(name);
    return found == task.options.end() ? std::string() : found->second;
  };
  if (const std::string text = option("problem_text"); !text.empty()) {
    const auto problem = ParseJson(text, "problem_text");
    for (const char* key : {"backend", "workflow"}) {
      if (problem && problem->is_object() && problem->contains(key)) {
        metadata[key] = (*problem)[key];
      }
    }
    if (problem) AddReferenceBackend(*problem, metadata);
  }
  const auto number = [&](const char* name) { return std::atoll(option(name).c_str()); };
  if (!option("trials").empty()) metadata["num_correct_trials"] = number("trials");
  if (!option("samples").empty()) metadata["num_perf_trials"] = number("samples");
}

// Clients paste metadata into a model's next prompt: all samples, and what the host is, are under
// /v1/tasks/{id}.
Json WithoutSamples(Json times) {
  for (const char* many : {"candidate", "reference", "counted"}) times.erase(many);
  return times;
}

Json MetadataOf(const TaskView& view, const Settlement& settlement) {
  Json metadata = Json::object();
  AddRequest(view.task, metadata);
  const auto* evaluation = std::get_if<Evaluation>(&settlement.end);
  const GymVerdict verdict = VerdictOf(view);
  if (evaluation == nullptr) {
    metadata["dropped"] = NameOf(std::get<Settlement::Drop>(settlement.end).why);
    metadata[verdict.error_key] = MessageOf(view);
    return metadata;
  }
  metadata["outcome"] = NameOf(evaluation->outcome);
  const auto& facts = evaluation->provenance.facts;
  if (const auto cpu = facts.find("cpu"); cpu != facts.end()) metadata["hardware"] = cpu->second;
  metadata["device"] = evaluation->provenance.worker;
  AddCorrectness(*evaluation, metadata);
  for (const char* what : {"times", "phases", "profile"}) {
    if (Json found = FindJsonEvidence(evaluation->evidence, what); !found.is_null()) {
      metadata[what] = found.is_object() ? WithoutSamples(std::move(found)) : std::move(found);
    }
  }
  if (verdict.error_key != nullptr) {
    metadata[verdict.error_key] = MessageOf(*evaluation);
    metadata[std::string(verdict.error_key) + "_name"] = NameOf(evaluation->outcome);
  }
  if (const std::string* cheat = FindEvidence(evaluation->evidence, "cheat"))
    metadata["cheat"] = *cheat;
  return metadata;
}

const char* StatusOf(TaskState state) {
  return state == TaskState::kWaiting ? "pending" : "processing";
}

void FillSettled(const TaskView& view, Json& json) {
  const Settlement& settlement = *view.settlement;
  const GymVerdict verdict = VerdictOf(view);
  json["status"] = verdict.status;
  json["compiled"] = verdict.is_compiled;
  json["correctness"] = verdict.is_correct;
  json["decoy_kernel"] = verdict.is_decoy;
  json["reference_runtime"] = kNotMeasured;
  json["kernel_runtime"] = kNotMeasured;
  json["speedup"] = 0.0;
  json["metadata"] = MetadataOf(view, settlement);
  const auto* evaluation = std::get_if<Evaluation>(&settlement.end);
  if (evaluation != nullptr && verdict.is_correct) {
    json["kernel_runtime"] = MetricOf(*evaluation, "time").value_or(kNotMeasured);
    json["reference_runtime"] = MetricOf(*evaluation, "reference_time").value_or(kNotMeasured);
    json["speedup"] = MetricOf(*evaluation, "speedup").value_or(0.0);
  }
  if (verdict.error_code != nullptr) {
    json["error_code"] = verdict.error_code;
    json["error_message"] = MessageOf(view);
  }
  if (view.settled) json["completed_at"] = IsoTime(*view.settled);
  if (view.settled && view.taken) {
    const auto time = *view.settled - *view.taken;
    json["processing_time"] = std::chrono::duration<double>(time).count();
  }
}

Json ErrorBody(std::string_view message, WallTime now) {
  return {{"error", "RequestValidationError"},
          {"message", message},
          {"error_code", "VALIDATION_ERROR"},
          {"task_id", nullptr},
          {"timestamp", IsoTime(now)}};
}

HttpResponse Fault400(std::string_view message, WallTime now) {
  HttpResponse response = JsonResponse(400, ErrorBody(message, now));
  response.headers.emplace_back("x-error-code", "VALIDATION_ERROR");
  return response;
}

Json ClassCheck(const std::string& code, const std::string& name) {
  const bool is_there = code.find("class " + name) != code.npos;
  return {{"valid", is_there},
          {"error", is_there ? Json() : Json(fmt::format("class {} is not in the code", name))},
          {"entry_point", name}};
}

}  // namespace

Json KernelGymResult(const TaskView& view) {
  Json json{{"task_id", view.task.id},
            {"status", StatusOf(view.state)},
            {"submitted_at", IsoTime(view.pushed)}};
  for (const char* key :
       {"compiled", "correctness", "decoy_kernel", "reference_runtime", "kernel_runtime", "speedup",
        "error_message", "error_code", "completed_at", "processing_time"}) {
    json[key] = nullptr;
  }
  json["metadata"] = Json::object();
  if (view.settlement) FillSettled(view, json);
  return json;
}

Json KernelGymWorkflowResult(const TaskView& view) {
  Json result = KernelGymResult(view);
  Json json;
  for (const char* key :
       {"task_id", "status", "error_message", "error_code", "submitted_at", "completed_at"}) {
    json[key] = result[key];
  }
  result.erase("status");
  result["base_task_id"] = view.task.id;
  json["result"] = std::move(result);
  return json;
}

Json KernelGymStatus(const TaskView& view) {
  const Json result = KernelGymResult(view);
  const bool waits = view.state == TaskState::kWaiting;
  const std::string& worker = view.worker;
  return {{"task_id", view.task.id},
          {"status", result["status"]},
          {"progress", view.settlement ? Json(1.0) : Json()},
          {"estimated_completion", nullptr},
          {"queue_position", waits ? Json(view.ahead) : Json()},
          {"assigned_device", worker.empty() ? Json() : Json(worker)},
          {"error_message", result["error_message"]},
          {"error_code", result["error_code"]}};
}

Json KernelGymBatchResult(const std::string& batch_id, const std::vector<TaskView>& views,
                          WallTime submitted, WallTime now) {
  Json results = Json::array();
  std::int64_t completed = 0;
  for (const TaskView& view : views) {
    results.push_back(KernelGymResult(view));
    completed += results.back()["status"] == "completed" ? 1 : 0;
  }
  const auto total = static_cast<std::int64_t>(views.size());
  return {{"batch_id", batch_id},
          {"total_tasks", total},
          {"completed_tasks", completed},
          {"failed_tasks", total - completed},
          {"results", std::move(results)},
          {"batch_status", "completed"},
          {"submitted_at", IsoTime(submitted)},
          {"completed_at", IsoTime(now)}};
}

Json KernelGymValidation(const KernelGymRequest& request) {
  const bool is_simple = request.workflow == "kernel_simple";
  const bool has_classes = request.backend != "cpp";
  const std::string kernel_name = is_simple ? request.entry_point : request.entry_point + "New";
  Json kernel = has_classes
                    ? ClassCheck(request.kernel_code, kernel_name)
                    : Json{{"valid", true}, {"error", nullptr}, {"entry_point", kernel_name}};
  Json errors = Json::array();
  if (!kernel["error"].is_null()) errors.push_back(kernel["error"]);
  Json json{{"task_id", request.task_id},
            {"workflow", request.workflow},
            {"request_info",
             {{"backend", request.backend},
              {"num_correct_trials", request.num_correct_trials},
              {"num_perf_trials", request.num_perf_trials},
              {"timeout", request.timeout.count()},
              {"priority", request.priority},
              {"device_preference",
               request.device_preference ? Json(*request.device_preference) : Json()},
              {"force_refresh", request.force_refresh},
              {"workflow", request.workflow}}}};
  json["kernel"] = std::move(kernel);
  if (!is_simple) {
    json["reference"] =
        has_classes
            ? ClassCheck(request.reference_code.value_or(""), request.entry_point)
            : Json{{"valid", true}, {"error", nullptr}, {"entry_point", request.entry_point}};
    if (!json["reference"]["error"].is_null()) errors.push_back(json["reference"]["error"]);
    json["cache"] = {{"use_reference_cache", request.use_reference_cache},
                     {"uuid", request.uuid ? Json(*request.uuid) : Json()}};
    json["resources"] = request.resources;
  }
  json["valid"] = errors.empty();
  json["errors"] = std::move(errors);
  return json;
}

HttpResponse KernelGymFault(const std::vector<Fault>& faults, WallTime now) {
  return Fault400("Request validation failed: " + ToText(faults), now);
}

HttpResponse KernelGymBadJson(std::string_view message, WallTime now) {
  return KernelGymFault({{"json_invalid", {"body"}, "JSON decode error: " + std::string(message)}},
                        now);
}

}  // namespace hone::server
