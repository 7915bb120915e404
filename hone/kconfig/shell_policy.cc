// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/shell_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hone/base/subprocess.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kMostOutput = 4095;

class ParallelRunner final : public ShellRunner {
 public:
  explicit ParallelRunner(ShellSettings settings) : settings_(std::move(settings)) {
    if (settings_.parallel == 0) {
      settings_.parallel = std::max(1U, std::thread::hardware_concurrency());
    }
  }

  ~ParallelRunner() override {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      waiting_.clear();
    }
    changed_.notify_all();
  }

  void Start(const std::string& command) override {
    const std::lock_guard lock(mutex_);
    if (results_.contains(command)) return;
    results_.emplace(command, std::string());
    waiting_.push_back(command);
    if (threads_.size() < settings_.parallel) {
      threads_.emplace_back([this] { Work(); });
    }
    changed_.notify_one();
  }

  Result<ShellTable> Finish() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return waiting_.empty() && running_ == 0; });
    if (error_) return *error_;
    return std::exchange(results_, {});
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (is_ending_) return;
      const std::string command = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      lock.unlock();
      auto output = RunOne(command);
      lock.lock();
      --running_;
      if (output) {
        results_[command] = std::move(*output);
      } else if (!error_) {
        error_ = output.error();
      }
      if (waiting_.empty() && running_ == 0) idle_.notify_all();
    }
  }

  Result<std::string> RunOne(const std::string& text) const {
    Command command;
    if (settings_.policy == ShellPolicy::kRestricted) {
      command.arguments = {"unshare", "--map-root-user", "--net", "--",
                           "setpriv", "--no-new-privs",  "--"};
    }
    for (const char* word : {"/bin/sh", "-c"}) command.arguments.emplace_back(word);
    command.arguments.push_back(text);
    command.environment = settings_.environment;
    command.folder = settings_.folder;
    command.most_output = kMostOutput + 1;
    auto result = RunProcess(command);
    if (!result) return result.error();
    if (result->end == ProcessResult::End::kTimedOut) {
      return Error{Errc::kUnavailable,
                   fmt::format("$(shell,{}): it did not end within {} s", text.substr(0, 200),
                               command.limit.count() / 1000)};
    }
    return NormaliseShellOutput(result->output);
  }

  ShellSettings settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::deque<std::string> waiting_;
  ShellTable results_;
  std::optional<Error> error_;
  unsigned running_ = 0;
  bool is_ending_ = false;
  std::vector<std::jthread> threads_;  // Last: joined before the rest goes.
};

}  // namespace

Result<ShellPolicy> ShellPolicyNamed(std::string_view name) {
  if (name == "run") return ShellPolicy::kRun;
  if (name == "restricted") return ShellPolicy::kRestricted;
  if (name == "recorded") return ShellPolicy::kRecorded;
  if (name == "refuse") return ShellPolicy::kRefuse;
  return Error{
      Errc::kInvalidArgument,
      fmt::format("shell policy \"{}\": expected run, restricted, recorded or refuse", name)};
}

std::unique_ptr<ShellRunner> MakeShellRunner(ShellSettings settings) {
  return std::make_unique<ParallelRunner>(std::move(settings));
}

std::string NormaliseShellOutput(std::string_view output) {
  std::string text(output.substr(0, std::min(output.find('\0'), kMostOutput)));
  while (text.ends_with('\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace hone::kconfig
