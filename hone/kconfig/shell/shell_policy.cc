// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/shell/shell_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/kconfig/shell/shell_jail.h"

namespace hone::kconfig {
namespace {

constexpr std::size_t kMaxOutput = 4095;

class ParallelRunner final : public ShellRunner {
 public:
  explicit ParallelRunner(ShellSettings settings) : settings_(std::move(settings)) {
    if (settings_.parallel == 0) {
      settings_.parallel = std::max(1U, std::thread::hardware_concurrency());
    }
    if (settings_.policy != ShellPolicy::kRestricted) return;
    ShellJailSettings jail;
    jail.environment = settings_.environment;
    jail.folder = settings_.folder;
    jail.visible = settings_.visible;
    jail.max_output = kMaxOutput + 1;
    jail_ = std::make_unique<ShellJail>(std::move(jail));
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
    if (has_failed_ || !started_.insert(command).second) return;
    waiting_.push_back(command);
    if (threads_.size() < settings_.parallel) {
      threads_.emplace_back([this] { Work(); });
    }
    changed_.notify_one();
  }

  ShellOutcomes Finish() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return waiting_.empty() && running_ == 0; });
    started_.clear();
    has_failed_ = false;
    return std::exchange(outcomes_, {});
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
      auto outcome = RunOne(command);
      lock.lock();
      --running_;
      if (!outcome) {
        has_failed_ = true;
        waiting_.clear();
      }
      outcomes_.insert_or_assign(command, std::move(outcome));
      if (waiting_.empty() && running_ == 0) idle_.notify_all();
    }
  }

  Result<std::string> RunOne(const std::string& text) {
    auto output = jail_ ? jail_->Run(text, settings_.limit) : RunFreely(text);
    if (output) return NormaliseShellOutput(*output);
    return Error{output.error().code,
                 fmt::format("$(shell,{}): {}", text.substr(0, 200), output.error().message)};
  }

  Result<std::string> RunFreely(const std::string& text) const {
    Command command;
    command.arguments = {"/bin/sh", "-c", text};
    command.environment = settings_.environment;
    command.folder = settings_.folder;
    command.max_output = kMaxOutput + 1;
    command.limit = settings_.limit;
    auto result = RunProcess(command);
    if (!result) return result.error();
    if (result->end == ProcessResult::End::kTimedOut) return DidNotEndWithin(settings_.limit);
    return std::move(result->output);
  }

  ShellSettings settings_;
  std::unique_ptr<ShellJail> jail_;  // Null: commands run freely.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::deque<std::string> waiting_;
  std::set<std::string, std::less<>> started_;
  ShellOutcomes outcomes_;
  bool has_failed_ = false;
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
  std::string text(output.substr(0, std::min(output.find('\0'), kMaxOutput)));
  while (text.ends_with('\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace hone::kconfig
