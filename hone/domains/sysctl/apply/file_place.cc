// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/file_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <filesystem>
#include <string_view>
#include <vector>

#include "hone/base/errno_error.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

constexpr int kOneStep = O_PATH | O_NOFOLLOW | O_CLOEXEC;
constexpr int kMaxLinksOnTheWay = 16;

bool IsOurs(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

// Nobody but root and this user can change what a name in this folder leads to. In a sticky one
// (/tmp) others can make names, but not change those of root and this user.
bool IsFirm(const struct stat& folder) {
  const bool is_sticky = (folder.st_mode & S_ISVTX) != 0;
  return IsOurs(folder.st_uid) && (is_sticky || (folder.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

// From the root to a folder, a name at a time, so that no link is followed unseen.
class Walk {
 public:
  Walk(std::string file, const fs::path& folder) : file_(std::move(file)), folder_(folder) {
    Add(folder.native());
  }

  Result<Descriptor> Run() {
    if (auto begun = BeginAtRoot(); !begun) return begun.error();
    while (!left_.empty()) {
      const std::string name = std::move(left_.back());
      left_.pop_back();
      if (auto taken = Take(name); !taken) return taken.error();
    }
    return std::move(at_);
  }

 private:
  // The names of the path come next.
  void Add(std::string_view path) {
    std::vector<std::string> names;
    for (const fs::path& name : fs::path(path)) {
      const std::string& text = name.native();
      if (!text.empty() && text != "/" && text != ".") names.push_back(text);
    }
    left_.insert(left_.end(), names.rbegin(), names.rend());
  }

  Result<void> BeginAtRoot() {
    at_ = Descriptor(::open("/", kOneStep | O_DIRECTORY));
    path_ = "/";
    struct stat facts {};
    if (!at_.is_open() || ::fstat(at_.get(), &facts) != 0) return ErrnoError(file_, errno);
    is_firm_ = IsFirm(facts);
    return {};
  }

  Result<void> Take(const std::string& name) {
    Descriptor next(::openat(at_.get(), name.c_str(), kOneStep));
    struct stat facts {};
    if (!next.is_open() || ::fstat(next.get(), &facts) != 0) return Fault(errno);
    if (S_ISLNK(facts.st_mode)) return Follow(next, facts, path_ / name);
    if (!S_ISDIR(facts.st_mode)) return Fault(ENOTDIR);
    at_ = std::move(next);
    path_ = (path_ / name).lexically_normal();
    is_firm_ = is_firm_ && IsFirm(facts);
    return {};
  }

  Result<void> Follow(const Descriptor& link, const struct stat& facts, const fs::path& path) {
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
    if (size < 0) return Fault(errno);
    target.resize(static_cast<std::size_t>(size));
    if (!is_firm_ || !IsOurs(facts.st_uid)) {
      return Error{Errc::kUnsupported,
                   fmt::format("{}: {} is a link to {} that others than root can change, so it is "
                               "not followed; name the file by its path without that link",
                               file_, path.native(), target)};
    }
    if (++links_ > kMaxLinksOnTheWay) return Fault(ELOOP);
    Add(target);
    return target.starts_with('/') ? BeginAtRoot() : Result<void>();
  }

  Error Fault(int number) const {
    if (number == ENOENT || number == ENOTDIR) {
      return {Errc::kNotFound, fmt::format("{}: there is no folder {}", file_, folder_.native())};
    }
    return ErrnoError(file_, number);
  }

  std::string file_;
  fs::path folder_;
  std::vector<std::string> left_;  // Names, the next one last.
  Descriptor at_;
  fs::path path_;  // Of `at_`, for messages.
  bool is_firm_ = false;
  int links_ = 0;
};

std::string TextOf(const FolderIdentity& identity) {
  return fmt::format("device {}, inode {}, user {}",
                     identity.device ? std::to_string(*identity.device) : "any", identity.inode,
                     identity.owner);
}

}  // namespace

Result<FilePlace> FilePlace::Open(const std::string& file) {
  const fs::path path(file);
  std::string name = path.filename();
  if (!path.is_absolute() || name.empty() || name == "." || name == "..") {
    return Error{Errc::kInvalidArgument, fmt::format("{}: not the whole path of a file", file)};
  }
  auto folder = Walk(file, path.parent_path()).Run();
  if (!folder) return folder.error();
  struct stat facts {};
  if (::fstat(folder->get(), &facts) != 0) return ErrnoError(file, errno);
  const FolderIdentity identity{facts.st_dev, facts.st_ino, facts.st_uid};
  return FilePlace(file, std::move(name), std::move(*folder), identity);
}

Result<void> FilePlace::CheckInPlace() const {
  const auto now = Open(file_);
  return now ? now->CheckIs(identity_) : Result<void>(now.error());
}

Result<void> FilePlace::CheckIs(const FolderIdentity& expected) const {
  const bool is_device = !expected.device || expected.device == identity_.device;
  if (is_device && expected.inode == identity_.inode && expected.owner == identity_.owner) {
    return {};
  }
  return Error{Errc::kStale,
               fmt::format("{}: its folder is another one ({}) than before ({}), so nothing is "
                           "written to it; put that folder back",
                           file_, TextOf(identity_), TextOf(expected))};
}

}  // namespace hone::sysctl
