// SPDX-License-Identifier: Apache-2.0
#include "hone/base/host.h"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdio>

#include "hone/base/file.h"

namespace hone {

std::string HostName() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::vector<int> AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::int64_t MachineMemoryMib() {
  const auto pages = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
  return pages > 0 && page > 0 ? pages * page / (1 << 20) : 0;
}

std::size_t PrivateMemoryOf(pid_t process) {
  const auto text = ReadFile("/proc/" + std::to_string(process) + "/statm");
  unsigned long size = 0;
  unsigned long resident = 0;
  unsigned long shared = 0;
  if (!text || std::sscanf(text->c_str(), "%lu %lu %lu", &size, &resident, &shared) != 3 ||
      resident < shared) {
    return 0;
  }
  return (resident - shared) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace hone
