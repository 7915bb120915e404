// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/file_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/core/rng.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxImage = 1 << 20;
constexpr mode_t kModeBits = 07777;

Error Unfit(const std::string& file, const std::string& why) {
  return {Errc::kUnsupported, fmt::format("{}: {}", file, why)};
}

// One name for each file, so that who comes later finds what a killed writer left.
fs::path DraftOf(const fs::path& file) {
  return file.parent_path() / fmt::format(".{}.hone-new", file.filename().native());
}

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

Result<void> SyncFolderOf(const fs::path& file) {
  const std::string folder = file.parent_path();
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) return ErrnoError(folder, errno);
  if (::fsync(handle.get()) != 0 && errno != EINVAL) return ErrnoError(folder, errno);
  return {};
}

Result<FileImage> AbsentImage(const std::string& file) {
  struct stat facts {};
  const std::string folder = fs::path(file).parent_path();
  if (::stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) return FileImage{};
  return Error{Errc::kNotFound, fmt::format("{}: there is no folder {}", file, folder)};
}

}  // namespace

Result<FileImage> ReadFileImage(const std::string& name) {
  const Descriptor file(
      ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open() && errno == ENOENT) return AbsentImage(name);
  if (!file.is_open() && errno == ELOOP) {
    std::error_code ignored;
    return Unfit(name, fmt::format("a link to {}; name that file itself",
                                   fs::read_symlink(name, ignored).native()));
  }
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

Result<void> WriteFileImage(const std::string& name, const FileImage& image) {
  RemoveDraft(name);
  if (!image.is_there) {
    if (::unlink(name.c_str()) != 0 && errno != ENOENT) return ErrnoError(name, errno);
    return SyncFolderOf(name);
  }
  const fs::path draft = DraftOf(name);
  const Descriptor file(
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return ErrnoError(draft.native(), errno);
  auto filled = Fill(file, name, image);
  if (filled && ::rename(draft.c_str(), name.c_str()) != 0) filled = ErrnoError(name, errno);
  if (!filled) {
    RemoveDraft(name);
    return filled;
  }
  return SyncFolderOf(name);
}

void RemoveDraft(const std::string& file) { ::unlink(DraftOf(file).c_str()); }

std::string FingerprintOf(const FileImage& image) {
  if (!image.is_there) return "absent";
  return fmt::format("{:04o} {}:{} {} bytes {:016x}", image.mode, image.owner, image.group,
                     image.bytes.size(), DigestOf(image.bytes));
}

}  // namespace hone::sysctl
