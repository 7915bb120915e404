// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_response.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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
  if (!option("trials").empty())
    metadata["num_correct_trials"] = std::atoll(option("trials").c_str());
}

// The timed calls that were made, which are as many as it took to know the speedup, not as many as
// were asked for.
std::int64_t TimedCalls(const Json& times) {
  const Json side = times.value("candidate", Json::object());
  const Json samples = side.value("times_ns", Json::array());
  return static_cast<std::int64_t>(samples.size());
}

// What a reward for coverage reads. A candidate on the processor launches no kernels of a GPU, and
// what a profiler in its own process says would be its own word: so there is nothing, and it is
// said.
void AddProfiling(Json& metadata) {
  for (const char* key :
       {"num_custom_kernels", "num_total_kernels", "custom_kernel_cuda_time_in_profiling_us",
        "total_kernel_run_time_in_profiling_us", "profiling"}) {
    metadata[key] = nullptr;
  }
  metadata["profiling_error"] = "not profiled: it ran on the processor and launched no GPU kernels";
}

bool IsClassName(std::string_view word) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word.front())) != 0 &&
         std::ranges::all_of(word, fits);
}

// "builtins.ValueError" of the last line that begins as Python's exceptions do; empty if none does.
std::string ExceptionIn(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view word = line.substr(0, line.find(':'));
    const bool is_exception = word.ends_with("Error") || word.ends_with("Exception") ||
                              word.ends_with("Exit") || word.ends_with("Interrupt");
    if (!is_exception || !IsClassName(word)) continue;
    name = (word.find('.') == word.npos ? "builtins." : "") + std::string(word);
  }
  return name;
}

// What stands beside the message under "…_name": the class of the exception where there was one.
std::string NameOfError(const Evaluation& evaluation) {
  for (const std::string_view what : {"exception", "compiler output"}) {
    const std::string* const text = FindEvidence(evaluation.evidence, what);
    if (std::string name = text == nullptr ? "" : ExceptionIn(*text); !name.empty()) return name;
  }
  switch (evaluation.outcome) {
    case Outcome::kBuildFailed:
      return "compile_error";
    case Outcome::kWrong:
    case Outcome::kCheated:
      return "correctness_issue";
    default:
      return std::string(NameOf(evaluation.outcome));
  }
}

// Clients paste metadata into a model's next prompt: all samples, and what the host is, are under
// /v1/tasks/{id}.
Json WithoutSamples(Json times) {
  for (const char* many : {"candidate", "reference", "counted", "variants"}) times.erase(many);
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
  metadata["num_perf_trials"] = 0;
  for (const char* what : {"times", "phases"}) {
    Json found = FindJsonEvidence(evaluation->evidence, what);
    if (!found.is_object()) continue;
    if (found.contains("candidate")) metadata["num_perf_trials"] = TimedCalls(found);
    metadata[what] = WithoutSamples(std::move(found));
  }
  if (verdict.is_correct) AddProfiling(metadata);
  if (verdict.error_key != nullptr) {
    metadata[verdict.error_key] = MessageOf(*evaluation);
    metadata[std::string(verdict.error_key) + "_name"] = NameOfError(*evaluation);
  }
  if (const std::string* cheat = FindEvidence(evaluation->evidence, "cheat"))
    metadata["cheat"] = *cheat;
  const Json feedback = FindJsonEvidence(evaluation->evidence, "feedback");
  if (feedback.is_object() && feedback.contains("text")) metadata["feedback"] = feedback["text"];
  if (feedback.is_object() && feedback.contains("terms")) metadata["terms"] = feedback["terms"];
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

Json KernelGymRefusal(const TaskId& task, const Error& error, WallTime now) {
  TaskView view;
  view.task.id = task;
  view.pushed = now;
  Json json = KernelGymResult(view);
  const bool is_request = error.code == Errc::kInvalidArgument || error.code == Errc::kConflict;
  json["status"] = "failed";
  json["error_message"] = error.message;
  json["error_code"] = is_request ? "VALIDATION_ERROR" : "SYSTEM_ERROR";
  return json;
}

Json KernelGymBatchResult(const std::string& batch_id, Json results, WallTime submitted,
                          WallTime now) {
  const auto completed = std::ranges::count_if(
      results, [](const Json& result) { return result["status"] == "completed"; });
  const auto total = static_cast<std::int64_t>(results.size());
  return {{"batch_id", batch_id},
          {"total_tasks", total},
          {"completed_tasks", completed},
          {"failed_tasks", total - completed},
          {"results", std::move(results)},
          {"batch_status", "completed"},
          {"submitted_at", IsoTime(submitted)},
          {"completed_at", IsoTime(now)}};
}

HttpResponse KernelGymFault(const std::vector<Fault>& faults, WallTime now) {
  return Fault400("Request validation failed: " + ToText(faults), now);
}

HttpResponse KernelGymBadJson(std::string_view message, WallTime now) {
  return KernelGymFault({{"json_invalid", {"body"}, "JSON decode error: " + std::string(message)}},
                        now);
}

}  // namespace hone::server
