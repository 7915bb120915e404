// SPDX-License-Identifier: Apache-2.0
#include "bench/judge.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "hone/base/freed_memory.h"
#include "hone/base/json/evidence_json.h"
#include "hone/domains/compute/compute_domain.h"

namespace hone {
namespace {

constexpr std::chrono::milliseconds kLimit{60'000};
constexpr double kMsPerNs = 1e-6;

Interval ReadInterval(const Json& times, const char* name, double unit) {
  const auto interval = times.find(name);
  if (interval == times.end() || !interval->is_array()) return {};
  return {unit * (*interval)[0].get<double>(), unit * (*interval)[1].get<double>()};
}

void ReadTimes(const Json& times, Judgement& judgement) {
  if (times.is_null()) return;
  judgement.disturbed = times.value("disturbed", std::int64_t{0});
  judgement.is_unstable = times.value("restless", false);
  judgement.interval = ReadInterval(times, "speedup_interval", 1);
  judgement.time_interval = ReadInterval(times.at("candidate"), "interval_ns", kMsPerNs);
}

}  // namespace

void GiveUp(const std::string& name, const std::string& why) {
  fmt::print("{}: falls short: {}\n", name, why);
  std::exit(1);
}

Judge::Judge(const std::filesystem::path& cache, const Options& options)
    : entry_(ComputeDomainEntry({cache, {}})) {
  KeepFreedMemory();  // As the process of a judge does.
  auto domain = MakeDomain({{"compute", entry_}}, "compute", options);
  if (!domain) GiveUp("judge", domain.error().message);
  domain_ = std::move(*domain);
}

Judgement Judge::Once(const std::string& source, std::uint64_t seed) {
  const auto began = std::chrono::steady_clock::now();
  const auto session = domain_->Open();
  if (!session) GiveUp("judge", session.error().message);
  const Candidate candidate{{}, source};
  auto result = (*session)->Prepare(candidate);
  const std::chrono::duration<double, std::milli> built = std::chrono::steady_clock::now() - began;
  if (result && result->outcome == Outcome::kAccepted) {
    result = (*session)->Run({Arm::kCandidate, candidate, seed, 0, kLimit, {}, {}});
  }
  if (!result) GiveUp("judge", result.error().message);
  const std::chrono::duration<double, std::milli> whole = std::chrono::steady_clock::now() - began;
  Judgement judgement;
  judgement.outcome = result->outcome;
  judgement.reason = result->reason;
  judgement.whole_ms = whole.count();
  const auto& metrics = result->sample.metrics;
  if (metrics.contains("time")) judgement.time_ms = metrics.at("time").value;
  if (metrics.contains("speedup")) judgement.speedup = metrics.at("speedup").value;
  judgement.phases_ms["build"] = built.count();
  const Json phases = FindJsonEvidence(result->evidence, "phases");
  for (const auto& [phase, ms] : phases.items()) {
    if (ms.is_number()) judgement.phases_ms[phase] = ms.get<double>();
  }
  ReadTimes(FindJsonEvidence(result->evidence, "times"), judgement);
  return judgement;
}

BusyLoops::BusyLoops(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setsid();  // As another user's program would be.
      for (;;) asm volatile("" ::: "memory");
    }
    if (pid > 0) pids_.push_back(pid);
  }
}

BusyLoops::~BusyLoops() {
  for (const int pid : pids_) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace hone
