// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "hone/kconfig/language/parser.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kLargestFile = 64 << 20;
constexpr std::size_t kLargestAhead = 1 << 20;  // Nobody has asked for it yet.

// Who holds it does so for less than a microsecond: to sleep and be woken takes many.
std::unique_lock<std::mutex> LockSoon(std::mutex& mutex) {
  constexpr int kLooks = 1000;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; !lock.owns_lock() && i < kLooks; ++i) static_cast<void>(lock.try_lock());
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

bool BeginsLine(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

// The names in lines that begin with `source "`, as far as they need no macro. Most files have
// none: the word is looked for, not every line.
std::vector<std::string> SourcesIn(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view kWord = "source";
  for (std::string_view rest = text; !rest.empty();) {
    const void* found = memmem(rest.data(), rest.size(), kWord.data(), kWord.size());
    if (found == nullptr) break;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    rest = text.substr(at + kWord.size());
    if (!BeginsLine(text, at)) continue;
    std::string_view line = rest.substr(0, rest.find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
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
    std::unique_lock lock = LockSoon(mutex_);
    File& file = files_[name];
    file.is_asked_for = true;
    if (file.state == State::kBeingRead) {
      lock.unlock();
      AwaitSoon(file);
      lock = LockSoon(mutex_);
    }
    if (file.state == State::kRead) return file.text;
    file.state = State::kBeingRead;
    lock.unlock();
    auto text = folders_.Read(name, arena_, kLargestFile);
    lock = LockSoon(mutex_);
    if (file.state == State::kRead) return file.text;  // The thread was quicker after all.
    file.state = text ? State::kRead : State::kRefused;
    if (!text) return text.error();
    file.text = text->text;
    file.found = text->found;
    if (has_thread_) LookAhead(lock, SourcesIn(text->text));
    return text->text;
  }

  std::vector<std::string> Glob(const std::string& pattern) override {
    auto matches = folders_.Glob(pattern);
    patterns_[pattern] = matches;
    return matches;
  }

  FileInputs inputs() override {
    FileInputs inputs;
    inputs.patterns.assign(patterns_.begin(), patterns_.end());
    const std::lock_guard lock(mutex_);
    for (const auto& [name, file] : files_) {
      if (!file.is_asked_for) continue;
      if (file.state == State::kRead) {
        inputs.files.push_back({name, file.found, file.text});
      } else {
        inputs.absent.push_back(name);
      }
    }
    std::sort(inputs.files.begin(), inputs.files.end(),
              [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
    return inputs;
  }

 private:
  enum class State : std::uint8_t { kUnread, kBeingRead, kRead, kRefused };
  struct File {
    std::atomic<State> state = State::kUnread;
    bool is_asked_for = false;  // By the parser.
    std::string_view text;
    FoundFile found;
  };

  static void AwaitSoon(const File& file) {
    constexpr int kLooks = 200;
    for (int i = 0; i < kLooks && file.state == State::kBeingRead; ++i) std::this_thread::yield();
  }

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
    std::unique_lock lock = LockSoon(mutex_);
    while (!ahead_.empty()) {
      const std::string name = std::move(ahead_.back());
      ahead_.pop_back();
      File& file = files_[name];
      if (file.state != State::kUnread) continue;
      file.state = State::kBeingRead;
      lock.unlock();
      const auto text = folders_.Read(name, ahead_arena_, kLargestAhead);
      auto names = text ? SourcesIn(text->text) : std::vector<std::string>();
      lock = LockSoon(mutex_);
      if (file.state != State::kBeingRead) continue;
      // What could not be read is left to Read, which says why.
      file.state = text ? State::kRead : State::kRefused;
      if (text) {
        file.text = text->text;
        file.found = text->found;
      }
      ahead_.insert(ahead_.end(), std::make_move_iterator(names.rbegin()),
                    std::make_move_iterator(names.rend()));
    }
    is_running_ = false;
  }

  // Constant after construction.
  const SourceFolders folders_;
  const bool has_thread_;

  TextArena arena_;        // Of the parser's thread.
  TextArena ahead_arena_;  // Of the other one.
  std::thread thread_;
  std::map<std::string, std::vector<std::string>> patterns_;

  // State below is protected by mutex_.
  std::mutex mutex_;
  std::unordered_map<std::string, File> files_;
  std::vector<std::string> ahead_;  // The next one last.
  bool is_running_ = false;
};

}  // namespace

std::shared_ptr<FileReader> MakeFileReader(const std::vector<std::filesystem::path>& folders) {
  return std::make_shared<FolderReader>(folders);
}

}  // namespace hone::kconfig
