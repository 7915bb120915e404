// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/process_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hone::compute {

// Who made the user namespace that a process lives in may trace it there, whoever he is and however
// the process hides itself (PR_SET_DUMPABLE).
Result<ProcessMemory> ProcessMemory::Of(pid_t process) {
  Descriptor file(::open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.is_open()) return ProcessMemory(std::move(file));
  return Error{Errc::kUnsupported,
               fmt::format("the memory of a sandboxed process cannot be read ({}): with "
                           "kernel.yama.ptrace_scope=3 nobody may, and sources that decide on "
                           "their outputs (PyTorch) cannot be judged",
                           std::strerror(errno))};
}

bool ProcessMemory::Read(std::uint64_t address, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got =
        ::pread64(file_.get(), into.data(), into.size(), static_cast<off64_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    address += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace hone::compute
