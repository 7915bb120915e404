// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_check.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "hone/base/json/parse_values.h"

namespace hone::server {
namespace {

Json Sound(const std::string& class_name) {
  return {{"valid", true}, {"error", nullptr}, {"entry_point", class_name}};
}

Json ClassCheck(const std::string& code, const std::string& field, const std::string& class_name) {
  Json found = Sound(class_name);
  if (code.find("class " + class_name) != code.npos) return found;
  found["valid"] = false;
  found["error"] = fmt::format("{}: it has no class {}; that is what is called", field, class_name);
  return found;
}

// Whether Python's int() would make a number of it that is at least 1.
bool IsPositiveCount(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() >= 1;
  if (!value.is_string()) return false;
  const auto count = ParseCount("gpus", value.get<std::string>(), 1);
  return count.has_value();
}

void CheckResources(const KernelGymRequest& request, Json& errors) {
  if (!request.resources.is_object()) return;
  const auto gpus = request.resources.find("gpus");
  if (gpus == request.resources.end() || gpus->is_null() || IsPositiveCount(*gpus)) return;
  errors.push_back("resources.gpus: expected an integer of at least 1");
}

Json RequestInfo(const KernelGymRequest& request) {
  return {
      {"backend", request.backend},
      {"num_correct_trials", request.num_correct_trials},
      {"num_perf_trials", request.num_perf_trials},
      {"timeout", request.timeout.count()},
      {"priority", request.priority},
      {"device_preference", request.device_preference ? Json(*request.device_preference) : Json()},
      {"force_refresh", request.force_refresh},
      {"workflow", request.workflow}};
}

// What only kernelbench has: a reference, its cache, resources.
void CheckBench(const KernelGymRequest& request, bool has_classes, Json& json, Json& errors) {
  CheckResources(request, errors);
  if (request.use_reference_cache && request.uuid.value_or("").empty()) {
    errors.push_back("uuid: it is required with use_reference_cache");
  }
  json["reference"] =
      has_classes && request.reference_code
          ? ClassCheck(*request.reference_code, "reference_code", request.entry_point)
          : Sound(request.entry_point);
  if (!json["reference"]["error"].is_null()) errors.push_back(json["reference"]["error"]);
  json["cache"] = {{"use_reference_cache", request.use_reference_cache},
                   {"uuid", request.uuid ? Json(*request.uuid) : Json()}};
  json["resources"] = request.resources.is_null() ? Json::object() : request.resources;
}

}  // namespace

Json KernelGymValidation(const KernelGymRequest& request) {
  const bool is_simple = request.workflow == "kernel_simple";
  const bool has_classes = request.backend != "cpp";
  const std::string kernel_class = is_simple ? request.entry_point : request.entry_point + "New";
  Json json{{"task_id", request.task_id},
            {"workflow", request.workflow},
            {"request_info", RequestInfo(request)}};
  Json errors = Json::array();
  if (!is_simple) CheckBench(request, has_classes, json, errors);
  json["kernel"] = has_classes ? ClassCheck(request.kernel_code, "kernel_code", kernel_class)
                               : Sound(kernel_class);
  if (!json["kernel"]["error"].is_null()) errors.push_back(json["kernel"]["error"]);
  json["valid"] = errors.empty();
  json["errors"] = std::move(errors);
  return json;
}

std::string WhyNotJudged(const KernelGymRequest& request) {
  const Json validation = KernelGymValidation(request);
  std::string why;
  for (const Json& error : validation["errors"]) {
    why += (why.empty() ? "" : "; ") + error.get<std::string>();
  }
  return why;
}

}  // namespace hone::server
