// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "hone/base/process/process_tree.h"

namespace hone::compute {
namespace {

std::string NameOfOther(const gpu::GpuProcess& process) {
  const std::string program = ProgramOf(process.pid);
  return program.empty() ? fmt::format("process {}", process.pid)
                         : fmt::format("{} (process {})", program, process.pid);
}

}  // namespace

DeviceSight LookAtGpu(gpu::GpuDevice& device, const std::function<bool(pid_t)>& is_ours) {
  const gpu::GpuFacts& facts = device.Facts();
  DeviceSight sight;
  sight.facts = {{"gpu", facts.name}, {"uuid", facts.uuid}, {"driver", facts.driver}};
  const auto reading = device.Read();
  if (!reading) {
    sight.warning = reading.error().message;
    return sight;
  }
  std::vector<std::string> others;
  for (const gpu::GpuProcess& process : reading->processes) {
    if (!is_ours(process.pid)) others.push_back(NameOfOther(process));
  }
  sight.facts["clock_mhz"] = reading->clock_mhz;
  sight.facts["memory_clock_mhz"] = reading->memory_clock_mhz;
  sight.facts["temperature"] = reading->temperature;
  sight.facts["slowed_by"] = reading->slowed_by;
  sight.facts["others"] = others;
  sight.is_shared = !others.empty();
  if (sight.is_shared) {
    sight.warning = fmt::format("others use the GPU: {}", fmt::join(others, ", "));
  } else if (!reading->slowed_by.empty()) {
    sight.warning = fmt::format("the GPU is slowed by {}", fmt::join(reading->slowed_by, ", "));
  }
  return sight;
}

}  // namespace hone::compute
