// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hone/domains/compute/compute_domain.h"

// Judges a source in one line, in a process that keeps one domain entry for all of it.
namespace hone::compute {

constexpr std::chrono::milliseconds kRunLimit{60'000};

// One entry per process, with a cache folder of its own that goes away with it.
const DomainEntry& EntryForTest();

struct JudgeOrder {
  std::string problem;
  std::string source;
  Options options = {};
  std::uint64_t seed = 1;
  std::chrono::milliseconds limit = kRunLimit;
};

// Prepares and runs. A failure of the service fails the test.
RunResult Judged(const JudgeOrder& order);
RunResult Judged(const std::string& problem, const std::string& source);

std::string TextOf(const RunResult& result, const std::string& what);  // "" if there is none.
std::string Told(const RunResult& result);                             // All of it, for messages.

}  // namespace hone::compute
