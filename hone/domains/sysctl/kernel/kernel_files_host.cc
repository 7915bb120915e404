// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/domains/sysctl/kernel/control_groups.h"
#include "hone/domains/sysctl/kernel/ethtool.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/kernel/parameter_path.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {
namespace {

// The longest known is net.ipv4.ip_local_reserved_ports; nothing sensible comes near.
constexpr std::size_t kMaxBytes = 1 << 20;
constexpr int kMaxDepth = 16;
constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;

// O_NONBLOCK: what looks like a parameter and is a pipe or a device must not make us wait.
constexpr int kCareful = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

bool IsPlainFile(const Descriptor& file) {
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode);
}

Result<Descriptor> OpenParameter(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | kCareful));
  if (!file.is_open()) return OpenError(path, errno);
  if (!IsPlainFile(file)) {
    return Error{Errc::kUnsupported, fmt::format("{}: not a parameter but a folder, a pipe or a "
                                                 "device; name a plain file",
                                                 path)};
  }
  return file;
}

// The whole write in one call: the kernel takes a value at offset 0 only, and half a value is
// another value.
Result<void> WriteOnce(const Descriptor& file, const std::string& path, const std::string& text) {
  const std::string line = text + "\n";  // So that an empty text is a write too.
  ssize_t written = 0;
  do {
    written = ::write(file.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return WriteError(path, text, errno);
  if (static_cast<std::size_t>(written) < text.size()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{} = \"{}\": the kernel took only {} of {} bytes", NameOfPath(path),
                             text, written, text.size())};
  }
  return {};
}

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

struct Entry {
  std::string path;
  bool is_folder = false;
};

// Links are left out: sysfs links to its neighbours and parents.
Result<std::vector<Entry>> EntriesOf(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
  if (!open) return OpenError(folder, errno);
  std::vector<Entry> entries;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type != DT_DIR && entry->d_type != DT_REG) continue;
    entries.push_back({fmt::format("{}/{}", folder, name), entry->d_type == DT_DIR});
  }
  return entries;
}

// A folder that goes away while we look (an interface, a process) is simply not there.
void ListBelow(const std::string& folder, int depth, std::vector<std::string>& files) {
  auto entries = EntriesOf(folder);
  if (!entries) return;
  for (Entry& entry : *entries) {
    if (!entry.is_folder) {
      files.push_back(std::move(entry.path));
    } else if (depth < kMaxDepth) {
      ListBelow(entry.path, depth + 1, files);
    }
  }
}

class HostFiles final : public KernelFiles {
 public:
  Result<std::string> Read(const std::string& path) override {
    if (IsEthtoolPath(path)) return ethtool_.Read(path);
    if (const auto value = GroupValueOf(path)) return ReadGroupValue(*value, path);
    auto raw = ReadBounded(path);
    if (!raw) return raw;
    return ChosenText(path, *raw);
  }

  Result<std::string> ReadRaw(const std::string& path) override {
    if (IsEthtoolPath(path) || GroupValueOf(path)) return Read(path);
    auto raw = ReadBounded(path);
    if (!raw) return raw;
    return CleanText(*raw);
  }

  Result<void> Write(const std::string& path, const std::string& text) override {
    if (const auto one = ParameterPath::Of(path); !one) return one.error();
    if (IsEthtoolPath(path)) return ethtool_.Write(path, text);
    if (const auto value = GroupValueOf(path)) return WriteGroupValue(*value, path, text);
    const auto file = OpenParameter(path, O_WRONLY);
    if (!file) return file.error();
    return WriteOnce(*file, path, text);
  }

  Result<std::vector<std::string>> Match(const std::string& pattern) override {
    if (IsEthtoolPath(pattern)) return MatchEthtool(pattern);
    glob_t found{};
    const int code = ::glob(pattern.c_str(), 0, nullptr, &found);
    std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (code != 0 && code != GLOB_NOMATCH) return OpenError(pattern, ENOMEM);
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  Result<std::vector<std::string>> FilesBelow(const std::string& folder) override {
    if (IsEthtoolPath(folder)) return EthtoolBelow(folder);
    if (auto entries = EntriesOf(folder); !entries) return entries.error();
    std::vector<std::string> files;
    ListBelow(folder, 0, files);
    std::sort(files.begin(), files.end());
    return files;
  }

  // For root access(2) says yes to every file of sysfs; the mode knows better.
  bool IsWritable(const std::string& path) override {
    if (IsEthtoolPath(path)) return ethtool_.IsWritable(path);
    if (const auto value = GroupValueOf(path)) {
      return IsWritable(value->file) && ReadGroupValue(*value, path);
    }
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
           (facts.st_mode & kAnyWrite) != 0 &&
           ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
  }

  std::string Resolved(const std::string& path) override {
    const std::unique_ptr<char, FreeText> file(::realpath(path.c_str(), nullptr));
    return file ? std::string(file.get()) : path;
  }

 private:
  std::vector<std::string> AllOfEthtool() {
    std::vector<std::string> all;
    const auto devices = Match("/sys/class/net/*");
    if (!devices) return all;
    for (const std::string& device : *devices) {
      auto files = ethtool_.FilesOf(device.substr(device.rfind('/') + 1));
      std::move(files.begin(), files.end(), std::back_inserter(all));
    }
    return all;
  }

  std::vector<std::string> MatchEthtool(const std::string& pattern) {
    std::vector<std::string> paths = AllOfEthtool();
    std::erase_if(paths, [&](const std::string& path) {
      return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) != 0;
    });
    return paths;
  }

  Result<std::vector<std::string>> EthtoolBelow(const std::string& folder) {
    std::vector<std::string> paths = AllOfEthtool();
    std::erase_if(paths, [&](const std::string& path) { return !path.starts_with(folder + "/"); });
    if (paths.empty()) return OpenError(folder, ENOENT);
    return paths;
  }

  static Result<std::string> NumberOf(const GroupValue& value) {
    if (value.device.empty()) return std::string();
    const auto text = ReadBounded(fmt::format("/sys/block/{}/dev", value.device));
    if (text) return CleanText(*text);
    return Error{Errc::kNotFound, fmt::format("{}: there is no such disk", value.device)};
  }

  static Result<std::string> ReadGroupValue(const GroupValue& value, const std::string& path) {
    const auto number = NumberOf(value);
    if (!number) return number.error();
    const auto text = ReadBounded(value.file);
    if (!text) return text.error();
    auto found = ValueIn(value, *number, *text);
    if (!found) return OpenError(path, ENOENT);
    return std::move(*found);
  }

  static Result<void> WriteGroupValue(const GroupValue& value, const std::string& path,
                                      const std::string& text) {
    const auto number = NumberOf(value);
    if (!number) return number.error();
    const auto file = OpenParameter(value.file, O_WRONLY);
    if (!file) return file.error();
    return WriteOnce(*file, path, LineFor(value, *number, text));
  }

  static Result<std::string> ReadBounded(const std::string& path) {
    const auto file = OpenParameter(path, O_RDONLY);
    if (!file) return file.error();
    std::string text;
    std::size_t used = 0;
    while (true) {
      text.resize(used + (used == 0 ? 4096 : 65536));
      const ssize_t got = ::read(file->get(), text.data() + used, text.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return ReadError(path, errno);
      used += static_cast<std::size_t>(got);
      if (got == 0) break;
      if (used > kMaxBytes) return ReadError(path, EFBIG);
    }
    text.resize(used);
    return text;
  }

  const Ethtool ethtool_;
};

}  // namespace

std::unique_ptr<KernelFiles> MakeHostFiles() { return std::make_unique<HostFiles>(); }

}  // namespace hone::sysctl
