// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/source_folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "hone/base/errno_error.h"
#include "hone/base/not_regular.h"
#include "hone/base/open_beneath.h"

namespace hone::kconfig {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;  // Never waits.
constexpr std::size_t kLargestTreeFile = 64 << 20;

// What of an absolute path lies beneath the folder; null if it does not.
const char* RestBeneath(const std::string& folder, const char* path) {
  const std::size_t length = folder.size();
  if (length == 0 || folder == "/" || std::strncmp(path, folder.c_str(), length) != 0) {
    return nullptr;
  }
  if (path[length] == '\0') return ".";
  if (path[length] != '/' && folder.back() != '/') return nullptr;
  const char* rest = path + length;
  while (*rest == '/') ++rest;
  return *rest == '\0' ? "." : rest;
}

std::string RealPathOf(const std::string& path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) == nullptr ? "" : real;
}

Error Outside(const std::string& name) {
  return {Errc::kInvalidArgument,
          fmt::format("\"{}\": not in the tree; it reads nothing else, unless a folder is granted "
                      "to it with --read DIR",
                      name.substr(0, 1000))};
}

Error CannotOpen(const std::string& name, int reason) {
  if (reason == EXDEV) return Outside(name);
  const std::string message = fmt::format("can't open file \"{}\"", name.substr(0, 1000));
  if (reason == ENOENT || reason == ENOTDIR) return {Errc::kNotFound, message};
  if (reason == ENOSYS) {
    return {Errc::kUnsupported, fmt::format("{}: openat2 is needed (Linux 5.6)", message)};
  }
  return {Errc::kInvalidArgument, fmt::format("{}: {}", message, std::strerror(reason))};
}

Result<SourceFolders::FileText> ReadAllOf(int file, const std::string& name, TextArena& arena,
                                          std::size_t largest) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) return ErrnoError(name, errno);
  if (!S_ISREG(facts.st_mode)) return NotRegular(name, facts.st_mode);
  if (static_cast<std::size_t>(facts.st_size) > largest) {
    return Error{Errc::kInvalidArgument, fmt::format("\"{}\": {} bytes; at most {} are read", name,
                                                     facts.st_size, largest)};
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  char* room = arena.Reserve(size + 1);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = read(file, room + got, size - got);
    if (count < 0) return ErrnoError(name, errno);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  return SourceFolders::FileText{std::string_view(room, got), {0, StampOf(facts)}};
}

// What glob() sees of the file system.
struct GlobView {
  std::function<Descriptor(const char* name, int flags)> open;
  bool leads_out = false;
};
thread_local GlobView* glob_view = nullptr;

Descriptor OpenInView(const char* name, int flags) {
  Descriptor file = glob_view->open(name, flags | O_CLOEXEC);
  if (!file.is_open() && errno == EXDEV) glob_view->leads_out = true;
  return file;
}

void* OpenFolderInView(const char* name) {
  const Descriptor folder = OpenInView(name, O_RDONLY | O_DIRECTORY);
  return folder.is_open() ? fdopendir(fcntl(folder.get(), F_DUPFD_CLOEXEC, 0)) : nullptr;
}

int StatInView(const char* name, struct stat* facts, int flags) {
  const Descriptor file = OpenInView(name, O_PATH | flags);
  return file.is_open() ? fstat(file.get(), facts) : -1;
}

glob_t GlobOf(GlobView& view, const std::string& pattern) {
  glob_t found{};
  found.gl_opendir = OpenFolderInView;
  found.gl_readdir = [](void* folder) { return readdir(static_cast<DIR*>(folder)); };
  found.gl_closedir = [](void* folder) { static_cast<void>(closedir(static_cast<DIR*>(folder))); };
  found.gl_stat = [](const char* name, struct stat* facts) { return StatInView(name, facts, 0); };
  found.gl_lstat = [](const char* name, struct stat* facts) {
    return StatInView(name, facts, O_NOFOLLOW);
  };
  glob_view = &view;
  glob(pattern.c_str(), GLOB_ALTDIRFUNC, nullptr, &found);
  glob_view = nullptr;
  return found;
}

}  // namespace

SourceFolders::SourceFolders(const std::vector<std::filesystem::path>& folders,
                             const std::vector<std::filesystem::path>& granted)
    : searched_(folders.size()) {
  for (const auto* list : {&folders, &granted}) {
    for (const auto& folder : *list) {
      const std::string name = folder.empty() ? "." : folder.string();
      places_.push_back({folder.string(), RealPathOf(name),
                         Descriptor(open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))});
    }
  }
}

// By a path without links: what an absolute link in the tree leads to may lie in the tree. Of what
// is not there it is the folder that tells.
Descriptor SourceFolders::OpenReal(const std::string& path, int flags) const {
  const std::string real = RealPathOf(path);
  const std::string known = real.empty() ? RealPathOf(path.substr(0, path.rfind('/'))) : real;
  for (const Place& place : places_) {
    const char* rest = RestBeneath(place.real, known.c_str());
    if (rest == nullptr || !place.folder.is_open()) continue;
    if (!real.empty()) return Descriptor(OpenBeneath(place.folder.get(), rest, flags));
    errno = ENOENT;
    return {};
  }
  errno = EXDEV;
  return {};
}

Descriptor SourceFolders::OpenIn(const Place& place, const char* name, int flags) const {
  Descriptor file(OpenBeneath(place.folder.get(), name, flags));
  if (file.is_open() || errno != EXDEV) return file;
  return OpenReal(place.real + "/" + name, flags);
}

SourceFolders::Opened SourceFolders::OpenAbsolute(const std::string& name) const {
  for (const Place& place : places_) {
    const char* rest = RestBeneath(place.name, name.c_str());
    if (rest == nullptr || !place.folder.is_open()) continue;
    Descriptor file = OpenIn(place, rest, kOpenFlags);
    return {std::move(file), 0, errno};
  }
  Descriptor file = OpenReal(name, kOpenFlags);
  return {std::move(file), 0, errno};
}

SourceFolders::Opened SourceFolders::Open(const std::string& name) const {
  if (name.starts_with('/')) return OpenAbsolute(name);
  int reason = ENOENT;
  for (std::size_t folder = 0; folder < searched_; ++folder) {
    const Place& place = places_[folder];
    if (!place.folder.is_open()) continue;
    Descriptor file = OpenIn(place, name.c_str(), kOpenFlags);
    if (file.is_open()) return {std::move(file), folder, 0};
    if (errno != ENOENT && errno != ENOTDIR) reason = errno;
  }
  return {Descriptor(), 0, reason};
}

Result<SourceFolders::FileText> SourceFolders::Read(const std::string& name, TextArena& arena,
                                                    std::size_t largest) const {
  const Opened opened = Open(name);
  if (!opened.file.is_open()) return CannotOpen(name, opened.reason);
  auto text = ReadAllOf(opened.file.get(), name, arena, largest);
  if (text) text->found.folder = opened.folder;
  return text;
}

std::optional<FoundFile> SourceFolders::Find(const char* name) const {
  struct stat facts {};
  if (name[0] == '/') {
    if (stat(name, &facts) != 0) return std::nullopt;
    return FoundFile{0, StampOf(facts)};
  }
  for (std::size_t folder = 0; folder < searched_; ++folder) {
    if (!places_[folder].folder.is_open()) continue;
    if (fstatat(places_[folder].folder.get(), name, &facts, 0) == 0) {
      return FoundFile{folder, StampOf(facts)};
    }
  }
  return std::nullopt;
}

Result<std::vector<std::string>> SourceFolders::GlobIn(const Place& place,
                                                       const std::string& pattern) const {
  GlobView view{[&](const char* name, int flags) { return OpenIn(place, name, flags); }};
  glob_t found = GlobOf(view, pattern);
  std::vector<std::string> names(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (names.empty() && view.leads_out) return Outside(pattern);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::string>> SourceFolders::Glob(const std::string& pattern) const {
  if (!pattern.starts_with('/')) {
    for (std::size_t folder = 0; folder < searched_; ++folder) {
      if (!places_[folder].folder.is_open()) continue;
      auto names = GlobIn(places_[folder], pattern);
      if (!names || !names->empty()) return names;
    }
    return std::vector<std::string>();
  }
  for (const Place& place : places_) {
    const char* rest = RestBeneath(place.name, pattern.c_str());
    if (rest == nullptr || !place.folder.is_open()) continue;
    auto names = GlobIn(place, rest);
    if (!names) return Outside(pattern);
    for (std::string& name : *names) name.insert(0, pattern, 0, pattern.size() - std::strlen(rest));
    return names;
  }
  return Outside(pattern);
}

Result<std::string> ReadTreeFile(const std::filesystem::path& root, const std::string& name) {
  TextArena arena;
  const auto read = SourceFolders({root}).Read(name, arena, kLargestTreeFile);
  if (!read) return read.error();
  return std::string(read->text);
}

}  // namespace hone::kconfig
