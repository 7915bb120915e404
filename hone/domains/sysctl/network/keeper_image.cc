// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/keeper_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"

asm(".pushsection .rodata\n"
    ".global kHoneKeeperBegin\n"
    ".global kHoneKeeperEnd\n"
    "kHoneKeeperBegin:\n"
    ".incbin \"" HONE_KEEPER_FILE
    "\"\n"
    "kHoneKeeperEnd:\n"
    ".popsection\n");

extern "C" const char kHoneKeeperBegin[];
extern "C" const char kHoneKeeperEnd[];

namespace hone::sysctl {
namespace {

constexpr unsigned kMayExecute = 0x10;  // MFD_EXEC of Linux 6.3: what used to be the default.
constexpr int kLeast = 10;              // Above the descriptors that the keeper gets by number.

Result<Descriptor> MakeImage() {
  constexpr const char* kName = "hone-network";
  Descriptor low(::memfd_create(kName, MFD_CLOEXEC | kMayExecute));
  if (!low.is_open() && errno == EINVAL) low = Descriptor(::memfd_create(kName, MFD_CLOEXEC));
  Descriptor file(low.is_open() ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kLeast) : -1);
  if (!file.is_open()) return ErrnoError(kName, errno);
  std::string_view image(kHoneKeeperBegin,
                         static_cast<std::size_t>(kHoneKeeperEnd - kHoneKeeperBegin));
  while (!image.empty()) {
    const ssize_t written = ::write(file.get(), image.data(), image.size());
    if (written < 0) return ErrnoError(kName, errno);
    image.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

}  // namespace

Result<std::string> KeeperPath() {
  static const auto* const image = new Result<Descriptor>(MakeImage());
  if (!*image) return image->error();
  return fmt::format("/proc/self/fd/{}", (*image)->get());
}

}  // namespace hone::sysctl
