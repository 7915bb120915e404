// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for what the server reads from strangers: the target of a request, up to the
// first zero byte of the input, and its body. scripts/fuzz-server builds and runs it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/server/http/http_message.h"
#include "hone/server/http/site_check.h"
#include "hone/server/kernelgym/kernelgym_request.h"

namespace hone {
namespace {

void TryTarget(std::string_view target) {
  const auto [path, query] = server::SplitTarget(target);
  if (const auto segments = server::SplitPath(path)) {
    for (const std::string& segment : *segments) {
      if (!server::IsUtf8(segment)) __builtin_trap();
    }
  }
  static_cast<void>(server::ParseQuery(query));
  static_cast<void>(server::SiteCheck({"name"}).Refusal(target, query));
}

void TryTask(const server::KernelGymRequest& request, const std::vector<server::Fault>& faults) {
  static_cast<void>(ToText(faults));
  if (!faults.empty()) return;
  const Task task = server::TaskOf(request, WallTime{}, std::chrono::milliseconds{1}, 1);
  if (task.id.empty()) __builtin_trap();
  static_cast<void>(Dump(task.options));
}

void TryBody(std::string_view body) {
  const auto json = ParseJson(body, "body");
  if (!json) return;
  std::vector<server::Fault> faults;
  TryTask(server::ReadKernelGymRequest(*json, {"body"}, faults), faults);
  faults.clear();
  TryTask(server::ReadKernelGymWorkflow(*json, faults), faults);
  faults.clear();
  const server::KernelGymBatch batch = server::ReadKernelGymBatch(*json, faults);
  for (const server::KernelGymRequest& request : batch.tasks) TryTask(request, faults);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  hone::TryTarget(input.substr(0, zero));
  hone::TryBody(input.substr(std::min(zero + 1, input.size())));
  return 0;
}
