// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judged_for_test.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "hone/base/temp_dir.h"

namespace hone::compute {
namespace {

[[noreturn]] void GiveUp(const Error& error) {
  fmt::print(stderr, "the service failed: {}\n", error.message);
  std::abort();
}

}  // namespace

const DomainEntry& EntryForTest() {
  static const auto folder = TempDir::Make("hone-compute-test");
  if (!folder) GiveUp(folder.error());
  static const DomainEntry entry = ComputeDomainEntry({folder->path(), {}});
  return entry;
}

RunResult Judged(const JudgeOrder& order) {
  Options options = order.options;
  if (!order.problem.empty()) options["problem"] = order.problem;
  auto domain = MakeDomain({{"compute", EntryForTest()}}, "compute", options);
  if (!domain) GiveUp(domain.error());
  auto session = (*domain)->Open();
  if (!session) GiveUp(session.error());
  const Candidate candidate{{}, order.source};
  auto prepared = (*session)->Prepare(candidate);
  if (!prepared) GiveUp(prepared.error());
  if (prepared->outcome != Outcome::kAccepted) return *prepared;
  auto result = (*session)->Run({Arm::kCandidate, candidate, order.seed, 0, order.limit, {}});
  if (!result) GiveUp(result.error());
  return *result;
}

RunResult Judged(const std::string& problem, const std::string& source) {
  return Judged(JudgeOrder{problem, source});
}

std::string TextOf(const RunResult& result, const std::string& what) {
  for (const Evidence& one : result.evidence) {
    if (one.what == what) return one.text;
  }
  return "";
}

std::string Told(const RunResult& result) {
  std::string text = fmt::format("{}: {}\n", NameOf(result.outcome), result.reason);
  for (const Evidence& one : result.evidence) {
    text += fmt::format("{}: {}\n", one.what, one.text.substr(0, 2000));
  }
  return text;
}

}  // namespace hone::compute
