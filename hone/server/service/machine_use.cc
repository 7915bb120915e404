// SPDX-License-Identifier: Apache-2.0
#include "hone/server/service/machine_use.h"

#include <array>
#include <charconv>
#include <sstream>
#include <string>

#include "hone/base/file.h"

namespace hone::server {

std::int64_t NumberAfter(std::string_view text, std::string_view key) {
  const auto place = text.find(key);
  if (place == text.npos) return 0;
  text.remove_prefix(place + key.size());
  const auto begin = text.find_first_of("0123456789");
  if (begin == text.npos) return 0;
  text.remove_prefix(begin);
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

double MachineUse::MemoryPercent() const {
  if (memory_total == 0) return 0;
  return 100.0 * static_cast<double>(memory_total - memory_available) /
         static_cast<double>(memory_total);
}

MachineUse MachineMeter::Read() {
  MachineUse use;
  const std::string memory = ReadFile("/proc/meminfo").value_or("");
  use.memory_total = NumberAfter(memory, "MemTotal:") * 1024;
  use.memory_available = NumberAfter(memory, "MemAvailable:") * 1024;
  const std::string self = ReadFile("/proc/self/status").value_or("");
  use.resident = NumberAfter(self, "VmRSS:") * 1024;
  use.threads = static_cast<int>(NumberAfter(self, "Threads:"));

  std::istringstream stat(ReadFile("/proc/stat").value_or(""));
  std::string name;
  std::array<std::int64_t, 8> ticks{};  // user nice system idle iowait irq softirq steal
  stat >> name;
  for (std::int64_t& tick : ticks) stat >> tick;
  std::int64_t total = 0;
  for (const std::int64_t tick : ticks) total += tick;
  const std::int64_t busy = total - ticks[3] - ticks[4];
  const std::lock_guard lock(mutex_);
  if (total > total_) {
    use.cpu_percent =
        100.0 * static_cast<double>(busy - busy_) / static_cast<double>(total - total_);
  }
  busy_ = busy;
  total_ = total;
  return use;
}

}  // namespace hone::server
