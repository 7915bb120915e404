// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/folder_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/folder_walk.h"
#include "hone/base/open_beneath.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 64;  // Each keeps a descriptor open.
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr int kLook = O_PATH | O_CLOEXEC;
constexpr int kRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

struct OpenFolder {
  Descriptor folder;
  bool is_ours = false;
};

// The folder itself may be reached by links, as its user named it.
Result<OpenFolder> OpenTop(const fs::path& path) {
  std::error_code fault;
  const fs::path whole = fs::absolute(path, fault);
  if (fault) return ErrnoError(path.native(), fault.value());
  if (const auto walked = WalkToFolder(path.native(), whole)) {
    Descriptor folder(::openat(walked->folder.get(), ".", kOpenFolder));
    if (!folder.is_open()) return ErrnoError(path.native(), errno);
    return OpenFolder{std::move(folder), walked->weak_place.empty()};
  }
  Descriptor folder(::open(whole.c_str(), kOpenFolder));
  if (!folder.is_open()) return ErrnoError(path.native(), errno);
  return OpenFolder{std::move(folder), false};
}

class FolderReading {
 public:
  FolderReading(const fs::path& path, const FolderReader& reader) : path_(path), reader_(reader) {}

  Result<void> Run() {
    auto top = OpenTop(path_);
    if (!top) return top.error();
    top_ = top->folder.get();
    return ReadBelow(*top, "", 0);
  }

 private:
  // Sorted, so that the same folder gives the same archive.
  Result<std::vector<std::string>> NamesIn(const OpenFolder& at, const fs::path& name) const {
    struct Close {
      void operator()(DIR* folder) const { ::closedir(folder); }
    };
    const int copy = ::openat(at.folder.get(), ".", kOpenFolder);
    const std::unique_ptr<DIR, Close> open(copy < 0 ? nullptr : ::fdopendir(copy));
    if (open == nullptr) return ErrnoError((path_ / name).native(), errno);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(open.get())) {
      const std::string found = entry->d_name;
      if (found != "." && found != "..") names.push_back(found);
    }
    if (errno != 0) return ErrnoError((path_ / name).native(), errno);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<void> ReadBelow(const OpenFolder& at, const fs::path& name, int depth) {
    if (depth > kMaxDepth) {
      return Error{Errc::kInvalidArgument, fmt::format("{}: folders in folders, more than {} deep",
                                                       (path_ / name).native(), kMaxDepth)};
    }
    const auto names = NamesIn(at, name);
    if (!names) return names.error();
    for (const std::string& found : *names) {
      if (auto read = ReadEntry(at, name / found, depth); !read) return read;
    }
    return {};
  }

  Result<void> ReadEntry(const OpenFolder& at, const fs::path& name, int depth) {
    const std::string last = name.filename();
    struct stat facts {};
    if (::fstatat(at.folder.get(), last.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      return Fault(name, errno);
    }
    if (S_ISLNK(facts.st_mode)) return ReadLink(name);
    if (S_ISREG(facts.st_mode) && reader_.wants(name)) {
      const Descriptor file(::openat(at.folder.get(), last.c_str(), kRead | O_NOFOLLOW));
      return ReadOpen(file, name, at.is_ours);
    }
    if (!S_ISDIR(facts.st_mode)) return {};
    OpenFolder below{Descriptor(::openat(at.folder.get(), last.c_str(), kOpenFolder | O_NOFOLLOW))};
    if (!below.folder.is_open() || ::fstat(below.folder.get(), &facts) != 0) {
      return Fault(name, errno);
    }
    below.is_ours = at.is_ours && OnlyWeMayWrite(facts);
    return ReadBelow(below, name, depth + 1);
  }

  // What it leads to is looked at before it is opened: opening a device may do something.
  Result<void> ReadLink(const fs::path& name) {
    if (!reader_.wants(name)) return {};
    const Descriptor look(OpenBeneath(top_, name.c_str(), kLook));
    struct stat facts {};
    if (!look.is_open() && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return {};
    if (!look.is_open() || ::fstat(look.get(), &facts) != 0) return Fault(name, errno);
    if (!S_ISREG(facts.st_mode)) return {};
    return ReadOpen(Descriptor(OpenBeneath(top_, name.c_str(), kRead)), name, false);
  }

  Result<void> ReadOpen(const Descriptor& file, const fs::path& name, bool is_folder_ours) {
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.get(), &facts) != 0) return Fault(name, errno);
    auto content = ReadOpenFile(file, path_ / name, reader_.max_file);
    if (!content) return content.error();
    return reader_.take({.name = name,
                         .content = std::move(*content),
                         .is_program = (facts.st_mode & S_IXUSR) != 0,
                         .is_ours = is_folder_ours && OnlyWeMayWrite(facts)});
  }

  Error Fault(const fs::path& name, int number) const {
    const std::string whole = (path_ / name).native();
    if (number != EXDEV) return ErrnoError(whole, number);
    return {Errc::kInvalidArgument,
            fmt::format("{}: a link that leads out of {}, and is not followed: name it by itself "
                        "in guest.files to take along what it points to, or remove it",
                        whole, path_.native())};
  }

  const fs::path& path_;
  const FolderReader& reader_;
  int top_ = -1;
};

}  // namespace

Result<void> ReadFolder(const fs::path& folder, const FolderReader& reader) {
  return FolderReading(folder, reader).Run();
}

}  // namespace hone::kernels
