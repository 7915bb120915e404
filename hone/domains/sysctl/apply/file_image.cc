// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/file_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/core/rng.h"

namespace hone::sysctl {
namespace {

constexpr std::size_t kMaxImage = 1 << 20;
constexpr mode_t kModeBits = 07777;

Error Unfit(const std::string& file, const std::string& why) {
  return {Errc::kUnsupported, fmt::format("{}: {}", file, why)};
}

// One name for each file, so that who comes later finds what a killed writer left.
std::string DraftOf(const FilePlace& place) { return fmt::format(".{}.hone-new", place.name()); }

std::map<std::string, std::string> AttributesOf(int file) {
  std::map<std::string, std::string> attributes;
  std::string names(kMaxImage / 16, '\0');
  const ssize_t size = ::flistxattr(file, names.data(), names.size());
  std::string_view left(names.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
  while (!left.empty()) {
    const std::string name(left.substr(0, left.find('\0')));
    left.remove_prefix(std::min(left.size(), name.size() + 1));
    std::string value(kMaxImage / 16, '\0');
    const ssize_t got = ::fgetxattr(file, name.c_str(), value.data(), value.size());
    if (got < 0) continue;
    value.resize(static_cast<std::size_t>(got));
    attributes[name] = std::move(value);
  }
  return attributes;
}

Result<std::string> BytesOf(const Descriptor& file, const std::string& name) {
  std::string bytes(kMaxImage + 1, '\0');
  std::size_t used = 0;
  while (used < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(name, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used > kMaxImage) return Unfit(name, "larger than 1 MiB, which no configuration is");
  bytes.resize(used);
  return bytes;
}

Result<void> Fill(const Descriptor& file, const std::string& name, const FileImage& image) {
  std::string_view left = image.bytes;
  while (!left.empty()) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError(name, errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  // The owner first: a change of owner clears bits of the mode.
  if (::fchown(file.get(), image.owner, image.group) != 0) return ErrnoError(name, errno);
  if (::fchmod(file.get(), image.mode) != 0) return ErrnoError(name, errno);
  for (const auto& [attribute, value] : image.attributes) {
    [[maybe_unused]] const int set =
        ::fsetxattr(file.get(), attribute.c_str(), value.data(), value.size(), 0);
  }
  if (::fsync(file.get()) != 0) return ErrnoError(name, errno);
  return {};
}

Result<void> SyncFolderOf(const FilePlace& place) {
  const Descriptor handle(::openat(place.folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) return ErrnoError(place.file(), errno);
  if (::fsync(handle.get()) != 0 && errno != EINVAL) return ErrnoError(place.file(), errno);
  return {};
}

Error LinkInstead(const FilePlace& place) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size =
      ::readlinkat(place.folder(), place.name().c_str(), target.data(), target.size());
  target.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return Unfit(place.file(), fmt::format("a link to {}; name that file itself", target));
}

Result<void> RemoveFile(const FilePlace& place) {
  if (::unlinkat(place.folder(), place.name().c_str(), 0) != 0 && errno != ENOENT) {
    return ErrnoError(place.file(), errno);
  }
  return SyncFolderOf(place);
}

}  // namespace

Result<FileImage> ReadFileImage(const FilePlace& place) {
  const std::string& name = place.file();
  const Descriptor file(::openat(place.folder(), place.name().c_str(),
                                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open() && errno == ENOENT) return FileImage{};
  if (!file.is_open() && errno == ELOOP) return LinkInstead(place);
  if (!file.is_open()) return ErrnoError(name, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return ErrnoError(name, errno);
  if (!S_ISREG(facts.st_mode)) return Unfit(name, "not a regular file");
  if (facts.st_nlink > 1) return Unfit(name, "it has a second name (hard link)");
  auto bytes = BytesOf(file, name);
  if (!bytes) return bytes.error();
  return FileImage{.is_there = true,
                   .mode = facts.st_mode & kModeBits,
                   .owner = facts.st_uid,
                   .group = facts.st_gid,
                   .attributes = AttributesOf(file.get()),
                   .bytes = std::move(*bytes)};
}

Result<FileImage> ReadFileImage(const std::string& file) {
  const auto place = FilePlace::Open(file);
  return place ? ReadFileImage(*place) : Result<FileImage>(place.error());
}

Result<void> WriteFileImage(const FilePlace& place, const FileImage& image) {
  RemoveDraft(place);
  if (!image.is_there) return RemoveFile(place);
  const std::string draft = DraftOf(place);
  const int folder = place.folder();
  const Descriptor file(
      ::openat(folder, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return ErrnoError(fmt::format("{}: {}", place.file(), draft), errno);
  auto filled = Fill(file, place.file(), image);
  if (filled && ::renameat(folder, draft.c_str(), folder, place.name().c_str()) != 0) {
    filled = ErrnoError(place.file(), errno);
  }
  if (!filled) {
    RemoveDraft(place);
    return filled;
  }
  return SyncFolderOf(place);
}

void RemoveDraft(const FilePlace& place) { ::unlinkat(place.folder(), DraftOf(place).c_str(), 0); }

std::string FingerprintOf(const FileImage& image) {
  if (!image.is_there) return "absent";
  return fmt::format("{:04o} {}:{} {} bytes {:016x}", image.mode, image.owner, image.group,
                     image.bytes.size(), DigestOf(image.bytes));
}

}  // namespace hone::sysctl
