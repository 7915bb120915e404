// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/shared_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace hone::compute {
namespace {

constexpr std::size_t kMaxRunners = 16;
constexpr std::size_t kMaxRunnerBytes = std::size_t{2} << 30;
constexpr std::size_t kMaxLevels = 1000;
constexpr std::size_t kMaxTrialBytes = 64 << 20;

}  // namespace

SharedState::SharedState(std::filesystem::path cache, BackendTable table)
    : cache_(std::move(cache)), table_(std::move(table)) {}

Result<const BackendEntry*> SharedState::EntryNamed(const std::string& name) const {
  const auto entry = table_.find(name);
  if (entry == table_.end()) {
    std::vector<std::string> known;
    for (const auto& [word, unused] : table_) known.push_back(word);
    return Error{Errc::kNotFound, fmt::format("backend {}: not in this build; there is: {}", name,
                                              fmt::join(known, ", "))};
  }
  return &entry->second;
}

Result<Backend*> SharedState::BackendNamed(const std::string& name) {
  const std::lock_guard lock(backends_mutex_);
  if (const auto made = backends_.find(name); made != backends_.end()) return made->second.get();
  const auto entry = EntryNamed(name);
  if (!entry) return entry.error();
  auto backend = (*entry)->make(cache_ / name);
  if (!backend) return backend.error();
  return (backends_[name] = std::move(*backend)).get();
}

std::unique_ptr<Runner> SharedState::TakeRunner(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(runners_, key, &HeldRunner::key);
  if (found == runners_.end()) return nullptr;
  auto runner = std::move(found->runner);
  runners_.erase(found);
  return runner;
}

std::size_t SharedState::RunnerBytes() const {
  std::size_t bytes = 0;
  std::map<const void*, std::size_t> shared;
  for (const HeldRunner& held : runners_) {
    bytes += held.memory.own_bytes;
    if (held.memory.shared != nullptr) shared[held.memory.shared] = held.memory.shared_bytes;
  }
  for (const auto& [memory, size] : shared) bytes += size;
  return bytes;
}

void SharedState::GiveRunner(const std::string& key, std::unique_ptr<Runner> runner) {
  const HeldMemory memory = runner->Held();
  std::list<HeldRunner> ended;  // Declared before the lock, so that they end after it.
  const std::lock_guard lock(mutex_);
  runners_.push_front({key, std::move(runner), memory});
  while (runners_.size() > kMaxRunners || RunnerBytes() > kMaxRunnerBytes) {
    ended.splice(ended.end(), runners_, std::prev(runners_.end()));
  }
}

SharedTrial SharedState::FindTrial(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = trials_by_key_.find(key);
  if (found == trials_by_key_.end()) return nullptr;
  trials_.splice(trials_.begin(), trials_, found->second);
  return trials_.front().trial;
}

void SharedState::KeepTrial(const std::string& key, SharedTrial trial) {
  const std::lock_guard lock(mutex_);
  if (trials_by_key_.contains(key)) return;
  const std::size_t bytes = BytesOf(*trial) + key.size();
  if (bytes > kMaxTrialBytes / 4) return;
  trials_.push_front({key, std::move(trial), bytes});
  trials_by_key_[key] = trials_.begin();
  trial_bytes_ += bytes;
  while (trial_bytes_ > kMaxTrialBytes) {
    trial_bytes_ -= trials_.back().bytes;
    trials_by_key_.erase(trials_.back().key);
    trials_.pop_back();
  }
}

double SharedState::QuietNs(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = quiet_levels_.find(key);
  return found == quiet_levels_.end() ? 0 : found->second.ns();
}

void SharedState::SeeQuiet(const std::string& key, const QuietPeriods& seen) {
  const std::lock_guard lock(mutex_);
  if (quiet_levels_.size() >= kMaxLevels && !quiet_levels_.contains(key)) quiet_levels_.clear();
  quiet_levels_[key].See(seen, std::chrono::steady_clock::now());
}

int SharedState::TwinsDue(const std::string& key, int max) {
  const std::lock_guard lock(mutex_);
  if (twins_.size() >= kMaxLevels && !twins_.contains(key)) twins_.clear();
  return twins_[key].Due(max);
}

void SharedState::KeepTwins(const std::string& key, double log_ratio) {
  const std::lock_guard lock(mutex_);
  twins_[key].Keep(log_ratio);
}

double SharedState::TwinReach(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return twins_[key].Reach();
}

double SharedState::Record(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(key);
  return found == records_.end() ? 1 : found->second;
}

void SharedState::KeepRecord(const std::string& key, double speedup) {
  const std::lock_guard lock(mutex_);
  if (records_.size() >= kMaxLevels && !records_.contains(key)) records_.clear();
  double& record = records_.try_emplace(key, 1).first->second;
  record = std::max(record, speedup);
}

}  // namespace hone::compute
