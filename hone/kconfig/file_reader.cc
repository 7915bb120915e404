// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/kconfig/parser.h"
#include "hone/kconfig/text_arena.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // A pipe must not hold us up.

Error CannotOpen(const std::string& name, int reason) {
  const std::string message = fmt::format("can't open file \"{}\"", name.substr(0, 1000));
  if (reason == ENOENT || reason == ENOTDIR) return {Errc::kNotFound, message};
  return {Errc::kInvalidArgument, fmt::format("{}: {}", message, std::strerror(reason))};
}

// Below several folders, the first that has the file.
class Folders {
 public:
  explicit Folders(const std::vector<std::filesystem::path>& folders) {
    for (const auto& folder : folders) {
      names_.push_back(folder.string());
      // A folder that is open saves the walk to it for every file.
      const char* name = folder.empty() ? "." : folder.c_str();
      open_.emplace_back(open(name, O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
  }

  Result<std::string_view> Read(const std::string& name, TextArena& arena) const {
    Descriptor file;
    if (name.starts_with('/')) {
      file = Descriptor(open(name.c_str(), kOpenFlags));
    }
    int reason = name.starts_with('/') ? errno : ENOENT;
    for (const Descriptor& folder : open_) {
      if (file.is_open() || name.starts_with('/')) break;
      if (!folder.is_open()) continue;
      file = Descriptor(openat(folder.get(), name.c_str(), kOpenFlags));
      if (!file.is_open() && errno != ENOENT && errno != ENOTDIR) reason = errno;
    }
    if (!file.is_open()) return CannotOpen(name, reason);
    return ReadAll(file.get(), name, arena);
  }

  std::vector<std::string> Glob(const std::string& pattern) const {
    std::vector<std::string> found_names;
    for (const std::string& folder : names_) {
      const bool is_absolute = pattern.starts_with('/');
      const std::string base = is_absolute || folder.empty() ? "" : folder + "/";
      glob_t found{};
      if (glob((base + pattern).c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) {
          found_names.emplace_back(std::string_view(found.gl_pathv[i]).substr(base.size()));
        }
      }
      globfree(&found);
      if (!found_names.empty() || is_absolute) break;
    }
    std::sort(found_names.begin(), found_names.end());
    return found_names;
  }

 private:
  static Result<std::string_view> ReadAll(int file, const std::string& name, TextArena& arena) {
    struct stat facts {};
    if (fstat(file, &facts) != 0) return ErrnoError(name, errno);
    if (!S_ISREG(facts.st_mode)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("\"{}\": not a plain file but a folder or a device", name)};
    }
    if (static_cast<std::size_t>(facts.st_size) > kLargestFile) {
      return Error{Errc::kInvalidArgument, fmt::format("\"{}\": {} bytes; at most {} are read",
                                                       name, facts.st_size, kLargestFile)};
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
    return std::string_view(room, got);
  }

  std::vector<std::string> names_;
  std::vector<Descriptor> open_;
};

// A text stays, for as often as the file is included and parsed.
class FolderReader final : public FileReader {
 public:
  explicit FolderReader(const std::vector<std::filesystem::path>& folders) : folders_(folders) {}

  Result<std::string_view> Read(const std::string& name) override {
    if (const auto known = texts_.find(name); known != texts_.end()) return known->second;
    auto text = folders_.Read(name, arena_);
    if (text) texts_.emplace(name, *text);
    return text;
  }

  std::vector<std::string> Glob(const std::string& pattern) override {
    return folders_.Glob(pattern);
  }

 private:
  Folders folders_;
  TextArena arena_;
  std::unordered_map<std::string, std::string_view> texts_;
};

}  // namespace

std::shared_ptr<FileReader> MakeFileReader(const std::vector<std::filesystem::path>& folders) {
  return std::make_shared<FolderReader>(folders);
}

}  // namespace hone::kconfig
