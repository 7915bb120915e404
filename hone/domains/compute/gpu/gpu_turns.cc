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

std::shared_ptr<Descriptor> OpenLock(const std::filesystem::path& file) {
  return std::make_shared<Descriptor>(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
}

std::shared_ptr<void> HoldAlone(const std::filesystem::path& file) {
  auto lock = OpenLock(file);
  while (lock->is_open() && ::flock(lock->get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return lock;
}

// False if somebody holds it alone.
bool HoldsWithOthers(const Descriptor& lock) {
  if (!lock.is_open() || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return true;
  return errno != EWOULDBLOCK && errno != EINTR;
}

}  // namespace

GpuTurns::GpuTurns(const std::filesystem::path& folder, const std::string& gpu)
    : turn_(folder / fmt::format("{}.turn", gpu)),
      still_(folder / fmt::format("{}.still", gpu)),
      gate_(folder / fmt::format("{}.gate", gpu)) {}

std::shared_ptr<void> GpuTurns::Evaluate() const { return HoldAlone(turn_); }

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
