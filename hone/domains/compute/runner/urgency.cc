// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/urgency.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"

namespace hone::compute {
namespace {

constexpr int kFirst = -20;                  // Nice value.
constexpr std::uint64_t kSliceNs = 100'000;  // The shortest: who asks for little is let in at once.

// The kernel's struct sched_attr, whose header cannot be included beside <sched.h>.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

void ShortenSlice(pid_t process) {
  SchedulingAttributes attributes;
  attributes.nice = kFirst;
  attributes.runtime = kSliceNs;
  ::syscall(SYS_sched_setattr, process, &attributes, 0);
}

// "/autogroup-17 nice 0"; empty where sessions have no groups.
std::string GroupOf(const std::string& process) {
  const auto text = ReadFile(fmt::format("/proc/{}/autogroup", process));
  return text ? text->substr(0, text->find(' ')) : "";
}

// Not where the group is ours too: it would hold what else runs in our terminal.
void RaiseGroup(pid_t process) {
  const std::string group = GroupOf(std::to_string(process));
  if (group.empty() || group == GroupOf("self")) return;
  const std::string path = fmt::format("/proc/{}/autogroup", process);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const std::string value = std::to_string(kFirst);
  if (!file.is_open()) return;
  [[maybe_unused]] const auto written = ::write(file.get(), value.data(), value.size());
}

void SetPolicy(int policy, int priority) {
  const sched_param parameters{priority};
  ::sched_setscheduler(0, policy, &parameters);
}

}  // namespace

void PutFirst(pid_t process) {
  ShortenSlice(process);
  RaiseGroup(process);
}

UrgentThread::UrgentThread() { SetPolicy(SCHED_FIFO, 1); }
UrgentThread::~UrgentThread() { SetPolicy(SCHED_OTHER, 0); }

}  // namespace hone::compute
