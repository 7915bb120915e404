// SPDX-License-Identifier: Apache-2.0
#include "hone/base/folder_walk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/errno_error.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr int kOneStep = O_PATH | O_NOFOLLOW | O_CLOEXEC;
constexpr int kMaxLinksOnTheWay = 16;

bool IsOfUs(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

// A group of the user's own number has nobody else in it, by Debian's custom; root's may.
bool IsPrivateGroup(gid_t group) { return group != 0 && group == ::geteuid(); }

// Nobody but root and this user can change what a name in this folder leads to. In a sticky one
// (/tmp) others can make names, but not change those of root and this user.
bool IsFirm(const struct stat& folder) {
  const bool is_sticky = (folder.st_mode & S_ISVTX) != 0;
  return IsOfUs(folder.st_uid) && (is_sticky || OnlyWeMayWrite(folder));
}

// From the root to a folder, a name at a time, so that no link is followed unseen.
class Walk {
 public:
  Walk(std::string file, const fs::path& folder) : file_(std::move(file)), folder_(folder) {
    Add(folder.native());
  }

  Result<WalkedFolder> Run() {
    if (auto begun = BeginAtRoot(); !begun) return begun.error();
    while (!left_.empty()) {
      const std::string name = std::move(left_.back());
      left_.pop_back();
      if (auto taken = Take(name); !taken) return taken.error();
    }
    struct stat facts {};
    if (::fstat(at_.get(), &facts) != 0) return ErrnoError(file_, errno);
    if (weak_place_.empty() && !OnlyWeMayWrite(facts)) weak_place_ = path_;
    return WalkedFolder{std::move(at_), std::move(weak_place_)};
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
    if (!is_firm_) weak_place_ = path_;
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
    if (is_firm_ && !IsFirm(facts)) weak_place_ = path_;
    is_firm_ = is_firm_ && IsFirm(facts);
    return {};
  }

  Result<void> Follow(const Descriptor& link, const struct stat& facts, const fs::path& path) {
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
    if (size < 0) return Fault(errno);
    target.resize(static_cast<std::size_t>(size));
    if (!is_firm_ || !IsOfUs(facts.st_uid)) {
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
  std::string weak_place_;
  int links_ = 0;
};

}  // namespace

bool OnlyWeMayWrite(const struct stat& facts) {
  const mode_t others = IsPrivateGroup(facts.st_gid) ? S_IWOTH : S_IWGRP | S_IWOTH;
  return IsOfUs(facts.st_uid) && (facts.st_mode & others) == 0;
}

Result<WalkedFolder> WalkToFolder(const std::string& file, const fs::path& folder) {
  return Walk(file, folder).Run();
}

}  // namespace hone
