// SPDX-License-Identifier: Apache-2.0
#include "hone/base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"

namespace hone {

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0) {
    return ErrnoError(path.native(), errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: not a regular file", path.native())};
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return MappedFile({});
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (at == MAP_FAILED) return ErrnoError(path.native(), errno);
  return MappedFile({static_cast<const std::byte*>(at), size});
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    Close();
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

void MappedFile::Close() {
  if (bytes_.empty()) return;
  // The kernel takes the address alone; what is there was never written.
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  bytes_ = {};
}

}  // namespace hone
