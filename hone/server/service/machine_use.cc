// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/machine_use.h"

#include <string>
#include <string_view>

#include "hone/base/file.h"

namespace hone::server {

namespace {

// 0 if it is not there.
std::int64_t FieldIn(const std::string& text, std::string_view key) {
  const auto number = ParseFirstNumber(FindField(text, key).value_or(""));
  return static_cast<std::int64_t>(number.value_or(0));
}

}  // namespace

double MachineUse::MemoryPercent() const {
  if (memory_total == 0) return 0;
  return 100.0 * static_cast<double>(memory_total - memory_available) /
         static_cast<double>(memory_total);
}

MachineUse MachineMeter::Read() {
  MachineUse use;
  const std::string memory = ReadFile("/proc/meminfo").value_or("");
  use.memory_total = FieldIn(memory, "MemTotal") * 1024;
  use.memory_available = FieldIn(memory, "MemAvailable") * 1024;
  const std::string self = ReadFile("/proc/self/status").value_or("");
  use.resident = FieldIn(self, "VmRSS") * 1024;
  use.threads = static_cast<int>(FieldIn(self, "Threads"));

  const CpuTimes now = ParseCpuTimes(ReadFile("/proc/stat").value_or("")).value_or(CpuTimes{});
  const std::lock_guard lock(mutex_);
  const CpuTicks passed = now.Total() - before_.Total();
  if (passed.count() > 0) {
    use.cpu_percent = 100.0 * static_cast<double>((passed - (now.idle - before_.idle)).count()) /
                      static_cast<double>(passed.count());
  }
  before_ = now;
  return use;
}

}  // namespace hone::server
