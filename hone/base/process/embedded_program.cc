// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/embedded_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "hone/base/errno_error.h"

namespace hone {
namespace {

constexpr unsigned kMayExecute = 0x10;  // MFD_EXEC of Linux 6.3: what used to be the default.
constexpr int kMinImageDescriptor = 10;

}  // namespace

Result<Descriptor> UnpackProgram(const char* name, std::string_view image) {
  Descriptor low(::memfd_create(name, MFD_CLOEXEC | kMayExecute));
  if (!low.is_open() && errno == EINVAL) low = Descriptor(::memfd_create(name, MFD_CLOEXEC));
  Descriptor file(low.is_open() ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kMinImageDescriptor) : -1);
  if (!file.is_open()) return ErrnoError(name, errno);
  while (!image.empty()) {
    const ssize_t written = ::write(file.get(), image.data(), image.size());
    if (written < 0) return ErrnoError(name, errno);
    image.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

std::string PathOfProgram(int file) { return fmt::format("/proc/self/fd/{}", file); }

}  // namespace hone
