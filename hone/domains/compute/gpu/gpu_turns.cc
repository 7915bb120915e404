// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_turns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "hone/base/descriptor.h"

namespace hone::compute {
namespace {

constexpr std::chrono::milliseconds kLookEvery{1};
constexpr std::chrono::seconds kMaxWait{2};

std::shared_ptr<Descriptor> OpenLock(const std::filesystem::path& file) {
  return std::make_shared<Descriptor>(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

void Hold(const Descriptor& lock, int how) {
  while (lock.is_open() && ::flock(lock.get(), how) != 0 && errno == EINTR) {
  }
}

std::shared_ptr<void> HoldAlone(const std::filesystem::path& file) {
  auto lock = OpenLock(file);
  Hold(*lock, LOCK_EX);
  return lock;
}

// By somebody else.
bool IsHeld(const Descriptor& lock) {
  if (!lock.is_open()) return false;
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(lock.get(), LOCK_UN);
  return false;
}

// False if somebody holds it alone.
bool HoldsWithOthers(const Descriptor& lock) {
  if (!lock.is_open() || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return true;
  return errno != EWOULDBLOCK && errno != EINTR;
}

}  // namespace

GpuTurns::GpuTurns(const std::filesystem::path& folder, const std::string& gpu)
    : turn_(folder / fmt::format("{}.turn", gpu)),
      waiting_(folder / fmt::format("{}.wish", gpu)),
      still_(folder / fmt::format("{}.still", gpu)),
      gate_(folder / fmt::format("{}.gate", gpu)) {}

std::shared_ptr<void> GpuTurns::Evaluate() const {
  auto waiting = OpenLock(waiting_);
  Hold(*waiting, LOCK_SH);
  auto turn = HoldAlone(turn_);
  return std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
      std::move(waiting), std::move(turn));
}

std::shared_ptr<void> GpuTurns::Share(const std::stop_token& stop) const {
  const auto end_of_wait = std::chrono::steady_clock::now() + kMaxWait;
  const auto waiting = OpenLock(waiting_);
  auto turn = OpenLock(turn_);
  while (!stop.stop_requested()) {
    const bool may_pass = !IsHeld(*waiting) || std::chrono::steady_clock::now() > end_of_wait;
    if (may_pass && HoldsWithOthers(*turn)) return turn;
    std::this_thread::sleep_for(kLookEvery);
  }
  return nullptr;
}

std::shared_ptr<void> GpuTurns::Time() const {
  const auto gate = HoldAlone(gate_);
  return HoldAlone(still_);
}

std::shared_ptr<void> GpuTurns::MakeContext(const std::stop_token& stop) const {
  const auto gate = OpenLock(gate_);
  auto still = OpenLock(still_);
  for (;;) {
    const bool may_pass = HoldsWithOthers(*gate);
    if (may_pass && HoldsWithOthers(*still)) return still;
    if (may_pass && gate->is_open()) ::flock(gate->get(), LOCK_UN);
    if (stop.stop_requested()) return nullptr;
    std::this_thread::sleep_for(kLookEvery);
  }
}

}  // namespace hone::compute
