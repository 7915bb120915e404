// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_references.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>

#include "bench/equal_judgements.h"
#include "bench/judge.h"
#include "hone/domains/compute/gpu/cuda_backend.h"
#include "hone/domains/compute/gpu/known_answers_for_test.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone {
namespace {

// What it gives. Its processes are gone when this returns: nothing is timed beside them.
compute::ReferenceCheck Checked(const TempDir& cache, const compute::Problem& problem) {
  const auto backend = compute::CudaBackendEntry().make(cache.path());
  if (!backend) GiveUp("gpu", backend.error().message);
  const auto check = compute::CheckReference(**backend, problem, 0);
  return check ? *check : compute::ReferenceCheck{check.error().message};
}

struct AgainstItself {
  int accepted = 0;
  int covered = 0;
  Judgement last;
};

AgainstItself JudgeReference(const TempDir& cache, const compute::Problem& problem, int rounds) {
  Judge judge(cache.path(), {{"problem", problem.name}});
  AgainstItself result;
  for (int i = 0; i < rounds; ++i) {
    result.last = judge.Once(problem.reference, static_cast<std::uint64_t>(i) + 1);
    result.accepted += result.last.outcome == Outcome::kAccepted ? 1 : 0;
    result.covered += result.last.Covers(1) ? 1 : 0;
  }
  return result;
}

}  // namespace

bool CheckGpuReferences(const TempDir& cache, int rounds, const std::string& only) {
  fmt::print("\nreferences: against other code, and against themselves\n");
  fmt::print("  {:<22} {:>6} {:>10} {:>12} {:>10} {:>10}\n", "problem", "calls", "error", "time us",
             "accepted", "covers 1");
  int all = 0;
  int right = 0;
  int accepted = 0;
  for (const std::string& name : compute::ProblemNames("cuda")) {
    if (!only.empty() && name != only) continue;
    const compute::Problem problem = compute::FindProblem(name).value();
    const compute::ReferenceCheck check = Checked(cache, problem);
    const AgainstItself judged = JudgeReference(cache, problem, rounds);
    ++all;
    right += check.fault.empty() ? 1 : 0;
    accepted += judged.accepted == rounds ? 1 : 0;
    fmt::print("  {:<22} {:>6} {:>10.1e} {:>12.2f} {:>7}/{:<2} {:>7}/{:<2}\n", name, check.calls,
               check.largest_error, 1000 * judged.last.time_ms, judged.accepted, rounds,
               judged.covered, rounds);
    if (!check.fault.empty()) fmt::print("    {}\n", check.fault);
    if (judged.accepted < rounds) fmt::print("    {}\n", judged.last.reason);
    std::fflush(stdout);
  }
  if (all == 0) GiveUp("gpu", "there is no problem " + only);
  const bool are_right =
      Report("references that give what other code does", right, all, "", right == all);
  return Report("references that are accepted in every round", accepted, all, "",
                accepted == all) &&
         are_right;
}

}  // namespace hone
