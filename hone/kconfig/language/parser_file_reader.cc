// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

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

// Where one thread reads.
class Desk {
 public:
  Desk(const SourceFolders& folders, const Dialect& dialect)
      : folders_(folders), lister_(dialect) {}

  struct File {
    SourceText source;
    FoundFile found;
    std::vector<std::string> sources;  // That it names.
  };
  Result<File> Read(const std::string& name, std::size_t largest, bool lists) {
    const auto text = folders_.Read(name, texts_, largest);
    if (!text) return text.error();
    File file{{text->text}, text->found, {}};
    if (!lists) return file;
    const auto [tokens, sources] = lister_.List(text->text);
    file.source.tokens.assign(tokens.begin(), tokens.end());
    file.sources.assign(sources.begin(), sources.end());
    return file;
  }

 private:
  const SourceFolders& folders_;
  TokenLister lister_;
  TextArena texts_;
};

// A text stays, for as often as the file is included and parsed; its tokens are for the first time.
// While the parser works on a file, a thread reads those that the file names, in the order in which
// they will be asked for, and lists their tokens. It ends when it has none left, and is started
// again when the parser meets some that it could not foresee. The parser does not wait for it: it
// reads the next file itself meanwhile.
class FolderReader final : public FileReader {
 public:
  FolderReader(SourceFolders folders, const Dialect& dialect)
      : folders_(std::move(folders)),
        has_thread_(std::thread::hardware_concurrency() > 1),
        desk_(folders_, dialect),
        ahead_desk_(folders_, dialect) {}
  FolderReader(const FolderReader&) = delete;
  FolderReader& operator=(const FolderReader&) = delete;
  ~FolderReader() override {
    {
      const std::lock_guard lock(mutex_);
      ahead_.clear();
    }
    if (thread_.joinable()) thread_.join();
  }

  Result<SourceText> Read(const std::string& name) override {
    std::unique_lock lock = LockSoon(mutex_);
    File& file = files_[name];
    file.is_asked_for = true;
    Await(lock, file);
    if (file.state != State::kRead) {
      auto read = ReadNow(lock, name, file);
      if (!read) return read.error();
    }
    return std::exchange(file.source, {file.source.text});
  }

  void Expect(const std::string& name) override {
    std::unique_lock lock = LockSoon(mutex_);
    if (has_thread_) LookAhead(lock, {name});
  }

  Result<std::vector<std::string>> Glob(const std::string& pattern) override {
    auto matches = folders_.Glob(pattern);
    if (matches) patterns_[pattern] = *matches;
    return matches;
  }

  FileInputs inputs() override {
    FileInputs inputs;
    inputs.patterns.assign(patterns_.begin(), patterns_.end());
    const std::lock_guard lock(mutex_);
    for (const auto& [name, file] : files_) {
      if (!file.is_asked_for) continue;
      if (file.state == State::kRead) {
        inputs.files.push_back({name, file.found, file.source.text});
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
    State state = State::kUnread;
    bool is_asked_for = false;  // By the parser.
    SourceText source;
    FoundFile found;
  };

  // While the thread reads the file, the next one is read here. If it does not come to an end (its
  // processor does something else), the file will be read here too.
  void Await(std::unique_lock<std::mutex>& lock, const File& file) {
    constexpr int kLooks = 200;
    for (int i = 0; i < kLooks && file.state == State::kBeingRead; ++i) {
      if (ReadNext(lock, desk_)) continue;
      lock.unlock();
      std::this_thread::yield();
      lock = LockSoon(mutex_);
    }
  }

  // What was asked for.
  Result<void> ReadNow(std::unique_lock<std::mutex>& lock, const std::string& name, File& file) {
    file.state = State::kBeingRead;
    lock.unlock();
    auto read = desk_.Read(name, kLargestFile, has_thread_);
    lock = LockSoon(mutex_);
    if (file.state == State::kRead) return {};  // By the thread, after all.
    if (!read) {
      file.state = State::kRefused;
      return read.error();
    }
    Keep(file, *read);
    if (has_thread_) LookAhead(lock, std::move(read->sources));
    return {};
  }

  // What will be asked for next; false if nobody knows of any. What could not be read is left to
  // ReadNow, which says why.
  bool ReadNext(std::unique_lock<std::mutex>& lock, Desk& desk) {
    while (!ahead_.empty()) {
      const std::string name = std::move(ahead_.back());
      ahead_.pop_back();
      File& file = files_[name];
      if (file.state != State::kUnread) continue;
      file.state = State::kBeingRead;
      lock.unlock();
      auto read = desk.Read(name, kLargestAhead, true);
      lock = LockSoon(mutex_);
      if (file.state != State::kBeingRead) return true;  // The parser was quicker.
      file.state = State::kRefused;
      if (!read) return true;
      Keep(file, *read);
      Queue(std::move(read->sources));
      return true;
    }
    return false;
  }

  static void Keep(File& file, Desk::File& read) {
    file.state = State::kRead;
    file.source = std::move(read.source);
    file.found = read.found;
  }

  void Queue(std::vector<std::string> names) {
    ahead_.insert(ahead_.end(), std::make_move_iterator(names.rbegin()),
                  std::make_move_iterator(names.rend()));
  }

  void LookAhead(std::unique_lock<std::mutex>& lock, std::vector<std::string> names) {
    if (names.empty()) return;
    Queue(std::move(names));
    if (is_running_) return;
    is_running_ = true;
    lock.unlock();
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([this] { RunAhead(); });
    lock.lock();
  }

  void RunAhead() {
    std::unique_lock lock = LockSoon(mutex_);
    while (ReadNext(lock, ahead_desk_)) {
    }
    is_running_ = false;
  }

  // Constant after construction.
  const SourceFolders folders_;
  const bool has_thread_;

  Desk desk_;        // Of the parser's thread.
  Desk ahead_desk_;  // Of the other one.
  std::thread thread_;
  std::map<std::string, std::vector<std::string>> patterns_;

  // State below is protected by mutex_.
  std::mutex mutex_;
  std::unordered_map<std::string, File> files_;
  std::vector<std::string> ahead_;  // The next one last.
  bool is_running_ = false;
};

}  // namespace

std::shared_ptr<FileReader> MakeFileReader(const std::vector<std::filesystem::path>& folders,
                                           const std::vector<std::filesystem::path>& granted,
                                           const Dialect& dialect) {
  return std::make_shared<FolderReader>(SourceFolders(folders, granted), dialect);
}

}  // namespace hone::kconfig
