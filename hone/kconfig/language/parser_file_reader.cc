// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/kconfig/language/parser.h"
#include "hone/kconfig/language/text_arena.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;
constexpr std::size_t kLargestAhead = 1 << 20;                 // Nobody has asked for it yet.
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

  Result<std::string_view> Read(const std::string& name, TextArena& arena,
                                std::size_t largest) const {
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
    return ReadAll(file.get(), name, arena, largest);
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
  static Result<std::string_view> ReadAll(int file, const std::string& name, TextArena& arena,
                                          std::size_t largest) {
    struct stat facts {};
    if (fstat(file, &facts) != 0) return ErrnoError(name, errno);
    if (!S_ISREG(facts.st_mode)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("\"{}\": not a plain file but a folder or a device", name)};
    }
    if (static_cast<std::size_t>(facts.st_size) > largest) {
      return Error{Errc::kInvalidArgument, fmt::format("\"{}\": {} bytes; at most {} are read",
                                                       name, facts.st_size, largest)};
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

// The names in lines that begin with `source "`, as far as they need no macro.
std::vector<std::string> SourcesIn(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kWord = "source";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    at = end + 1;
    if (text[begin] != 's') continue;
    std::string_view line = text.substr(begin, end - begin);
    if (!line.starts_with(kWord)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t", kWord.size()), line.size()));
    if (!line.starts_with('"')) continue;
    const std::string_view name = line.substr(1, line.find('"', 1) - 1);
    if (name.size() + 2 > line.size() || name.find('$') != std::string_view::npos) continue;
    names.emplace_back(name);
  }
  return names;
}

// A text stays, for as often as the file is included and parsed. While the parser works on a file,
// a thread reads those that the file names, in the order in which they will be asked for. It ends
// when it has none left, and is started again when the parser meets some that it could not foresee.
class FolderReader final : public FileReader {
 public:
  explicit FolderReader(const std::vector<std::filesystem::path>& folders)
      : folders_(folders), has_thread_(std::thread::hardware_concurrency() > 1) {}
  FolderReader(const FolderReader&) = delete;
  FolderReader& operator=(const FolderReader&) = delete;
  ~FolderReader() override {
    {
      const std::lock_guard lock(mutex_);
      ahead_.clear();
    }
    if (thread_.joinable()) thread_.join();
  }

  Result<std::string_view> Read(const std::string& name) override {
    std::unique_lock lock(mutex_);
    File& file = files_[name];
    changed_.wait(lock, [&] { return file.state != State::kBeingRead; });
    if (file.state == State::kRead) return file.text;
    file.state = State::kBeingRead;
    lock.unlock();
    auto text = folders_.Read(name, arena_, kLargestFile);
    lock.lock();
    file.state = text ? State::kRead : State::kRefused;
    if (!text) return text;
    file.text = *text;
    if (has_thread_) LookAhead(lock, SourcesIn(*text));
    return text;
  }

  std::vector<std::string> Glob(const std::string& pattern) override {
    return folders_.Glob(pattern);
  }

 private:
  enum class State : std::uint8_t { kUnread, kBeingRead, kRead, kRefused };
  struct File {
    State state = State::kUnread;
    std::string_view text;
  };

  void LookAhead(std::unique_lock<std::mutex>& lock, std::vector<std::string> names) {
    if (names.empty()) return;
    ahead_.insert(ahead_.end(), std::make_move_iterator(names.rbegin()),
                  std::make_move_iterator(names.rend()));
    if (is_running_) return;
    is_running_ = true;
    lock.unlock();
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([this] { RunAhead(); });
    lock.lock();
  }

  void RunAhead() {
    std::unique_lock lock(mutex_);
    while (!ahead_.empty()) {
      const std::string name = std::move(ahead_.back());
      ahead_.pop_back();
      File& file = files_[name];
      if (file.state != State::kUnread) continue;
      file.state = State::kBeingRead;
      lock.unlock();
      const auto text = folders_.Read(name, ahead_arena_, kLargestAhead);
      auto names = text ? SourcesIn(*text) : std::vector<std::string>();
      lock.lock();
      // What could not be read is left to Read, which says why.
      file.state = text ? State::kRead : State::kRefused;
      if (text) file.text = *text;
      ahead_.insert(ahead_.end(), std::make_move_iterator(names.rbegin()),
                    std::make_move_iterator(names.rend()));
      changed_.notify_one();
    }
    is_running_ = false;
  }

  // Constant after construction.
  const Folders folders_;
  const bool has_thread_;

  TextArena arena_;        // Of the parser's thread.
  TextArena ahead_arena_;  // Of the other one.
  std::thread thread_;

  // State below is protected by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::string, File> files_;
  std::vector<std::string> ahead_;  // The next one last.
  bool is_running_ = false;
};

}  // namespace

std::shared_ptr<FileReader> MakeFileReader(const std::vector<std::filesystem::path>& folders) {
  return std::make_shared<FolderReader>(folders);
}

}  // namespace hone::kconfig
