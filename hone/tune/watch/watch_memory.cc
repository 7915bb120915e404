// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_memory.h"

#include <algorithm>

namespace hone::tune {
namespace {

// A step that the service cannot make must not come back for ever.
constexpr int kMaxLosses = 3;

std::string Opposite(const std::string& key) {
  for (const auto& [end, other] : {std::pair{" up", " down"}, std::pair{" down", " up"}}) {
    if (key.ends_with(end)) return key.substr(0, key.size() - std::string(end).size()) + other;
  }
  return "";
}

}  // namespace

std::vector<WatchStep> StepMemory::Open(const std::vector<WatchStep>& steps,
                                        std::int64_t round) const {
  std::vector<WatchStep> open;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(open), [&](const WatchStep& step) {
    const auto barred = barred_until_.find(step.key);
    return !tried_.contains(step.key) && (barred == barred_until_.end() || barred->second <= round);
  });
  return open;
}

std::optional<WatchStep> StepMemory::Next(const std::vector<WatchStep>& steps, std::int64_t round,
                                          Rng rng) {
  auto open = Open(steps, round);
  if (open.empty() && has_adopted_) {
    Wake();
    open = Open(steps, round);
  }
  if (open.empty()) return std::nullopt;
  const auto preferred = std::find_if(
      open.begin(), open.end(), [&](const WatchStep& step) { return step.key == preferred_; });
  if (preferred != open.end()) return *preferred;
  return open[rng.Below(open.size())];
}

void StepMemory::Adopted(const std::string& key) {
  has_adopted_ = true;
  preferred_ = key;
  if (const std::string back = Opposite(key); !back.empty()) tried_.insert(back);
}

void StepMemory::Dropped(const std::string& key) {
  tried_.insert(key);
  preferred_.reset();
}

void StepMemory::Harmed(const std::string& key, std::int64_t until) {
  Dropped(key);
  barred_until_[key] = until;
}

void StepMemory::Lost(const std::string& key) {
  if (++lost_[key] >= kMaxLosses) Dropped(key);
}

void StepMemory::Wake() {
  tried_.clear();
  lost_.clear();
  has_adopted_ = false;
  preferred_.reset();
}

void StepMemory::Forget(std::int64_t round) {
  Wake();
  for (auto& [key, until] : barred_until_) {
    if (until > round) until = round + (until - round) / 2;
  }
}

}  // namespace hone::tune
