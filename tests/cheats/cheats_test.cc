// SPDX-License-Identifier: Apache-2.0
// Every kernel of kernels/, and of gpu/ on the simulated GPU, comes to the outcome that stands in
// its head: cheats are caught, with evidence, and no honest kernel is accused. HONE_CHEAT_ROUNDS
// repeats all (the slow form: 20).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/domains/compute/judged_for_test.h"
#include "hone/sandbox/protections.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

const fs::path kKernels = fs::path(HONE_SOURCE_DIR) / "tests/cheats/kernels";
const fs::path kProblems = fs::path(HONE_SOURCE_DIR) / "tests/cheats/problems";
const fs::path kGpuKernels = fs::path(HONE_SOURCE_DIR) / "tests/cheats/gpu";

// One that is named is used instead, a real one among them: HONE_CUDA=/usr/lib.
const bool kHasGpu = ::setenv("HONE_CUDA", HONE_SIMULATED_GPU, 0) == 0;

// A cheat may be accepted if it gains nothing: all of them compute as the reference does.
constexpr double kPays = 1.2;

struct Cheat {
  std::string name;
  std::string problem;                // A name, or
  std::string problem_file;           // a file in problems/.
  std::vector<std::string> expected;  // Outcomes.
  std::string evidence;               // Somewhere in the reason or the evidence.
  std::string source;
};

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string HeadOf(const std::string& text, const std::string& key) {
  const std::string start = "// " + key + ": ";
  const std::size_t begin = text.find(start);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin + start.size(), end - begin - start.size());
}

Cheat ReadCheat(const fs::path& file) {
  const std::string text = ReadFile(file).value();
  Cheat cheat{file.stem(),
              HeadOf(text, "problem"),
              HeadOf(text, "problem_file"),
              Split(HeadOf(text, "expect"), '|'),
              HeadOf(text, "evidence"),
              text};
  if (const std::string with = HeadOf(text, "with"); !with.empty()) {
    cheat.source = ReadFile(kKernels / with).value() + "#line 1\n" + text;
  }
  return cheat;
}

std::vector<Cheat> CheatsIn(const fs::path& folder, const std::string& extension) {
  std::vector<Cheat> cheats;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) cheats.push_back(ReadCheat(entry.path()));
  }
  std::ranges::sort(cheats, {}, &Cheat::name);
  return cheats;
}

std::vector<Cheat> AllCheats() { return CheatsIn(kKernels, ".cpp"); }
std::vector<Cheat> AllGpuCheats() { return CheatsIn(kGpuKernels, ".cu"); }

int Rounds() {
  const char* rounds = std::getenv("HONE_CHEAT_ROUNDS");
  return rounds != nullptr ? std::max(1, std::atoi(rounds)) : 1;
}

void PrintTo(const Cheat& cheat, std::ostream* out) { *out << cheat.name; }

class CheatsTest : public ::testing::TestWithParam<Cheat> {};

TEST_P(CheatsTest, ComesToItsOutcome) {
  const Cheat& cheat = GetParam();
  if (cheat.name == "raw_clone" && !ProbeProtections().Has(Protection::kProcessLimit)) {
    GTEST_SKIP() << "this machine gives no limit on processes";
  }
  for (int round = 0; round < Rounds(); ++round) {
    JudgeOrder order{cheat.problem, cheat.source};
    order.options = {{"timing_budget_ms", "100"}};
    if (!cheat.problem_file.empty()) {
      order.options["problem_text"] = ReadFile(kProblems / cheat.problem_file).value();
    }
    order.seed = static_cast<std::uint64_t>(round) + 1;
    order.limit = std::chrono::milliseconds{20'000};
    const RunResult result = Judged(order);
    const std::string told = Told(result);
    EXPECT_THAT(cheat.expected, ::testing::Contains(std::string(NameOf(result.outcome)))) << told;
    EXPECT_THAT(told, ::testing::HasSubstr(cheat.evidence));
    if (result.outcome == Outcome::kCheated) {
      EXPECT_NE(TextOf(result, "cheat"), "");
    }
    const bool is_honest = cheat.name.starts_with("honest_");
    const bool has_speedup = result.sample.metrics.contains("speedup");
    if (!is_honest && result.outcome == Outcome::kAccepted && has_speedup) {
      EXPECT_LT(result.sample.metrics.at("speedup").value, kPays) << told;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CheatsTest, ::testing::ValuesIn(AllCheats()),
                         [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(Gpu, CheatsTest, ::testing::ValuesIn(AllGpuCheats()),
                         [](const auto& test) { return test.param.name; });

TEST(CheatsTest, EveryKernelSaysWhatItTriesAndWhatItComesTo) {
  EXPECT_GE(AllCheats().size(), 40U);
  EXPECT_GE(AllGpuCheats().size(), 15U);
  std::vector<Cheat> all = AllCheats();
  std::ranges::move(AllGpuCheats(), std::back_inserter(all));
  for (const Cheat& cheat : all) {
    EXPECT_NE(HeadOf(cheat.source, "tries"), "") << cheat.name;
    EXPECT_NE(cheat.problem.empty(), cheat.problem_file.empty()) << cheat.name;
    const bool is_honest = cheat.name.starts_with("honest_");
    EXPECT_EQ(is_honest, cheat.expected == std::vector<std::string>{"accepted"}) << cheat.name;
  }
}

}  // namespace
}  // namespace hone::compute
