// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "hone/core/letter_case.h"
#include "hone/core/trimmed.h"
#include "hone/server/http/http_framing.h"

namespace hone::server {
namespace {

constexpr std::size_t kMinCode = 10;
constexpr std::size_t kMaxCode = 100'000;
constexpr std::size_t kMaxKernelGymId = 100;
constexpr std::size_t kMaxKernelGymBatch = 100;
constexpr double kKernelGymTolerance = 1e-2;  // Of its workflow kernelbench, relative and absolute.
constexpr int kPriorityStep = 10;             // Levels between low, normal and high.

const std::vector<std::string>& Workflows() {
  static const std::vector<std::string> names{"kernelbench", "kernel_simple"};
  return names;
}

const std::vector<std::string>& BackendWords() {
  static const std::vector<std::string> words{"cuda", "triton", "cpp", "torch"};
  return words;
}

void CheckCode(LaxReader& reader, const std::string& name, const std::string& code) {
  if (LengthOf(Trimmed(code)) < kMinCode) {
    reader.Fail(name, "value_error",
                fmt::format("Value error, {} must have at least {} characters", name, kMinCode));
  } else if (LengthOf(code) > kMaxCode) {
    reader.Fail(name, "value_error",
                fmt::format("Value error, {} must have at most {} characters", name, kMaxCode));
  }
}

void CheckId(LaxReader& reader, const std::string& id) {
  const std::size_t length = LengthOf(id);
  if (length == 0) {
    reader.Fail("task_id", "string_too_short", "String should have at least 1 character");
  } else if (length > kMaxKernelGymId) {
    reader.Fail("task_id", "string_too_long",
                fmt::format("String should have at most {} characters", kMaxKernelGymId));
  } else if (std::any_of(id.begin(), id.end(), [](char c) {
               return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
             })) {
    reader.Fail("task_id", "value_error", "Value error, task_id must not have control characters");
  }
}

std::string ReadWorkflow(LaxReader& reader) {
  std::string name = LowerCase(reader.OptionalString("workflow").value_or("kernelbench"));
  if (std::find(Workflows().begin(), Workflows().end(), name) == Workflows().end()) {
    reader.Fail("workflow", "value_error",
                "Value error, workflow must be kernelbench or kernel_simple");
  }
  return name;
}

// The registered names; what else is asked for cannot be given.
void CheckTools(LaxReader& reader) {
  for (const std::string name : {"toolkit", "backend_adapter"}) {
    std::string tool = reader.String(name, "kernelbench");
    if (std::find(Workflows().begin(), Workflows().end(), tool) == Workflows().end()) {
      reader.Fail(name, "value_error",
                  fmt::format("Value error, {} must be kernelbench or kernel_simple", name));
    }
  }
}

void ReadCases(LaxReader& reader, KernelGymRequest& request) {
  request.cases_code = reader.OptionalString("cases_code");
  request.cases = reader.Raw("cases");
  if (!request.cases.is_null() && !request.cases.is_array()) {
    reader.Fail("cases", "list_type", "Input should be a valid list");
  }
}

void ReadResources(LaxReader& reader, KernelGymRequest& request) {
  request.resources = reader.Raw("resources");
  if (!request.resources.is_null() && !request.resources.is_object()) {
    reader.Fail("resources", "dict_type", "Input should be a valid dictionary");
  }
}

// They are known, so that a wrong type is a fault, and without effect.
void CheckSwitches(LaxReader& reader) {
  for (const char* name : {"verbose_errors", "enable_profiling", "enable_triton_detection",
                           "run_triton_detection", "run_correctness"}) {
    static_cast<void>(reader.OptionalBool(name));
  }
  static_cast<void>(reader.Bool("is_valid", false));
}

void ReadReference(LaxReader& reader, KernelGymRequest& request) {
  request.reference_code = reader.OptionalString("reference_code");
  if (request.reference_code) CheckCode(reader, "reference_code", *request.reference_code);
  request.problem = reader.OptionalString("problem");
  const bool is_given = request.reference_code || request.problem;
  if (!is_given && request.workflow == "kernelbench") {
    reader.Fail("reference_code", "value_error",
                "Value error, reference_code is required by the workflow kernelbench");
  }
  request.uuid = reader.OptionalString("uuid");
  request.use_reference_cache = reader.Bool("use_reference_cache", false);
}

void ReadTolerance(LaxReader& reader, KernelGymRequest& request) {
  request.tolerance = reader.OptionalString("tolerance");
  if (!request.tolerance) return;
  if (!IsTolerance(*request.tolerance)) {
    reader.Fail("tolerance", "enum", "Input should be 'reference' or 'kernelgym'");
  } else if (request.problem) {
    reader.Fail("tolerance", "value_error", "Value error, a problem by name has its own tolerance");
  }
}

// kernel_simple has no reference: its class is the kernel's own, ModelNew where that is there and
// no other name is given.
std::string ReadEntryPoint(LaxReader& reader, const KernelGymRequest& request) {
  std::string name = reader.String("entry_point", "Model");
  const bool is_named = !name.empty() && name != "Model";
  if (is_named || request.workflow != "kernel_simple") return name;
  const bool is_there = request.kernel_code.find("class ModelNew") != std::string::npos;
  return is_there || name.empty() ? "ModelNew" : name;
}

Json ProblemOf(const KernelGymRequest& request) {
  Json problem{{"workflow", request.workflow},
               {"backend", request.backend},
               {"entry_point", request.entry_point}};
  // A class is what KernelGYM's default names; C++ has its own default.
  if (request.backend == "cpp" && request.entry_point == "Model") problem.erase("entry_point");
  if (request.tolerance == "kernelgym" && request.workflow == "kernelbench") {
    problem["tolerance"] = {{"rtol", kKernelGymTolerance}, {"atol", kKernelGymTolerance}};
  }
  if (request.reference_code) problem["reference"] = *request.reference_code;
  if (!request.cases.is_null()) {
    problem["cases"] = request.cases;
  } else if (request.cases_code && request.workflow == "kernel_simple") {
    problem["reference"] = *request.cases_code;
  }
  if (request.reference_backend) {
    problem["backend_options"] = {{"reference_backend", *request.reference_backend}};
  }
  return problem;
}

}  // namespace

KernelGymRequest ReadKernelGymRequest(const Json& json, const std::vector<std::string>& place,
                                      std::vector<Fault>& faults) {
  LaxReader reader(json, place, faults);
  KernelGymRequest request;
  if (!json.is_object()) return request;
  request.task_id = reader.RequiredString("task_id");
  if (reader.Raw("task_id").is_string()) CheckId(reader, request.task_id);
  request.kernel_code = reader.RequiredString("kernel_code");
  if (reader.Raw("kernel_code").is_string()) CheckCode(reader, "kernel_code", request.kernel_code);
  request.workflow = ReadWorkflow(reader);
  ReadReference(reader, request);
  ReadTolerance(reader, request);
  CheckTools(reader);
  request.backend = reader.Choice("backend", "triton", BackendWords());
  request.num_correct_trials = reader.Integer("num_correct_trials", 5, {1, 20});
  request.num_perf_trials = reader.Integer("num_perf_trials", 100, {1, 1000});
  request.num_warmup = reader.Integer("num_warmup", 3, {0, 100});
  request.timeout = std::chrono::seconds{reader.Integer("timeout", 300, {10, 3600})};
  request.priority = reader.Choice("priority", "normal", {"low", "normal", "high"});
  request.device_preference = reader.OptionalString("device_preference");
  request.force_refresh = reader.Bool("force_refresh", false);
  request.entry_point = ReadEntryPoint(reader, request);
  request.reference_backend = reader.OptionalString("reference_backend");
  const auto measures = reader.OptionalBool("measure_performance");
  request.is_timed = reader.OptionalBool("run_performance").value_or(measures.value_or(true));
  CheckSwitches(reader);
  ReadCases(reader, request);
  ReadResources(reader, request);
  return request;
}

KernelGymBatch ReadKernelGymBatch(const Json& json, std::vector<Fault>& faults) {
  LaxReader reader(json, {"body"}, faults);
  KernelGymBatch batch;
  if (!json.is_object()) return batch;
  batch.batch_id = reader.RequiredString("batch_id");
  const Json& tasks = reader.Raw("tasks");
  if (!json.contains("tasks")) {
    reader.Fail("tasks", "missing", "Field required");
  } else if (!tasks.is_array()) {
    reader.Fail("tasks", "list_type", "Input should be a valid list");
  } else if (tasks.empty()) {
    reader.Fail("tasks", "too_short", "List should have at least 1 item after validation, not 0");
  } else if (tasks.size() > kMaxKernelGymBatch) {
    reader.Fail("tasks", "too_long",
                fmt::format("List should have at most {} items after validation, not {}",
                            kMaxKernelGymBatch, tasks.size()));
  } else {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      batch.tasks.push_back(
          ReadKernelGymRequest(tasks[k], {"body", "tasks", std::to_string(k)}, faults));
    }
  }
  return batch;
}

KernelGymRequest ReadKernelGymWorkflow(const Json& json, std::vector<Fault>& faults) {
  LaxReader reader(json, {"body"}, faults);
  if (!json.is_object()) return {};
  Json payload = reader.Raw("payload").is_null() ? Json::object() : reader.Raw("payload");
  if (!payload.is_object()) {
    reader.Fail("payload", "dict_type", "Input should be a valid dictionary");
    return {};
  }
  payload["workflow"] = reader.String("workflow", "kernelbench");
  if (const auto id = reader.OptionalString("task_id")) payload["task_id"] = *id;
  if (json.contains("force_refresh")) {
    payload["force_refresh"] = reader.Bool("force_refresh", false);
  }
  if (!reader.Raw("resources").is_null()) payload["resources"] = reader.Raw("resources");
  return ReadKernelGymRequest(payload, {"body", "payload"}, faults);
}

bool IsBackend(std::string_view name) {
  return std::ranges::find(BackendWords(), name) != BackendWords().end();
}

bool IsTolerance(std::string_view name) { return name == "reference" || name == "kernelgym"; }

Capabilities NeedsOf(std::string_view backend) {
  if (backend == "triton" || backend == "cuda") return {{"gpu", std::string(backend)}, 0};
  return {{std::string(backend)}, 0};
}

Task TaskOf(const KernelGymRequest& request, WallTime now, std::chrono::milliseconds max_queued,
            std::uint64_t seed) {
  static const std::map<std::string, int> levels{
      {"low", -kPriorityStep}, {"normal", 0}, {"high", kPriorityStep}};
  Task task;
  task.id = request.task_id;
  task.domain = "compute";
  const bool is_named = request.problem.has_value();
  task.options = {{is_named ? "problem" : "problem_text",
                   is_named ? *request.problem : Dump(ProblemOf(request))},
                  {"trials", std::to_string(request.num_correct_trials)},
                  {"samples", std::to_string(request.is_timed ? request.num_perf_trials : 0)},
                  {"warmup", std::to_string(request.num_warmup)}};
  task.candidate.source = request.kernel_code;
  task.order = {Arm::kCandidate};
  task.seed = seed;
  task.run_timeout = request.timeout;
  task.needs = NeedsOf(request.backend);
  task.priority = levels.at(request.priority);
  task.deadline = now + request.timeout + max_queued;
  return task;
}

}  // namespace hone::server
