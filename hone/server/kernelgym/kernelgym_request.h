// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/server/kernelgym/lax_reader.h"

// KernelGYM's requests, and the tasks that they become. docs/api.md lists the fields and the
// differences. Its dialect is about compute kernels alone: so here, and nowhere else in this room,
// a domain is spelt by name ("compute"), with its options and its evidence.
namespace hone::server {

// The body of POST /evaluate. Fields without an effect here are checked and dropped.
struct KernelGymRequest {
  std::string task_id;
  std::string kernel_code;
  std::optional<std::string> reference_code;
  std::optional<std::string> problem;  // Ours: a problem by name, instead of reference_code.
  std::string workflow = "kernelbench";
  std::string backend = "triton";
  std::string entry_point = "Model";
  std::optional<std::string> reference_backend;
  std::int64_t num_correct_trials = 5;
  std::int64_t num_perf_trials = 100;
  std::int64_t num_warmup = 3;
  std::chrono::seconds timeout{300};
  std::string priority = "normal";
  std::optional<std::string> device_preference;
  bool force_refresh = false;
  bool use_reference_cache = false;
  std::optional<std::string> uuid;
  bool is_timed = true;
  std::optional<std::string> cases_code;
  std::optional<std::string> tolerance;  // Ours: "reference" or "kernelgym".
  Json cases;                            // null or an array.
  Json resources;                        // null or an object.
};

// Faults are added to `faults`; the request is usable only if there are none. `place` says where
// in the body `json` stands: {"body"}.
KernelGymRequest ReadKernelGymRequest(const Json& json, const std::vector<std::string>& place,
                                      std::vector<Fault>& faults);

struct KernelGymBatch {
  std::string batch_id;
  std::vector<KernelGymRequest> tasks;
};
KernelGymBatch ReadKernelGymBatch(const Json& json, std::vector<Fault>& faults);

// The body of POST /workflow/submit; what it says of workflow, task_id, force_refresh and resources
// goes before what its payload says.
KernelGymRequest ReadKernelGymWorkflow(const Json& json, std::vector<Fault>& faults);

// The task: domain compute, with the problem inside its options. `now` and `max_queued` give its
// deadline: it may wait so long for a worker, and then take `timeout`.
Task TaskOf(const KernelGymRequest& request, WallTime now, std::chrono::milliseconds max_queued,
            std::uint64_t seed);

bool IsBackend(std::string_view name);

// How far from the reference's values is still right: "reference" (what its own rounding gives) or
// "kernelgym" (1e-2, as KernelGYM has it, for comparisons with it).
bool IsTolerance(std::string_view name);

// What a worker must have for this backend: {"gpu", "triton"}.
Capabilities NeedsOf(std::string_view backend);

}  // namespace hone::server
