// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "hone/llm/engine/golden.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAdapterCase = "qwen2-lora";
constexpr const char* kAdapterBase = "qwen2-tied";

// Every checkpoint that llm_golden.py made with transformers.
std::vector<std::string> Cases() {
  std::vector<std::string> names;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(HONE_LLM_GOLDEN, problem)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenTest, LogitsAndGreedyTextAreThoseOfTransformers) {
  const fs::path all = HONE_LLM_GOLDEN;
  const fs::path base = GetParam() == kAdapterCase ? all / kAdapterBase : fs::path();
  const auto report = CompareWithGolden(all / GetParam(), base, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->prompts, 3);
  EXPECT_LE(report->logit_error, 1e-4 * std::max(1.0, report->largest_logit)) << Text(*report);
  EXPECT_EQ(report->first_difference, -1) << Text(*report);
  EXPECT_EQ(report->greedy_tokens, 3 * 256);
  EXPECT_LE(report->log_probability_error, 1e-3) << Text(*report);
}

TEST_P(GoldenTest, HalfPrecisionIsNear) {
  const fs::path all = HONE_LLM_GOLDEN;
  const fs::path base = GetParam() == kAdapterCase ? all / kAdapterBase : fs::path();
  const auto report = CompareWithGolden(all / GetParam(), base, {false, DataType::kBF16});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_LE(report->logit_error, 0.1 * std::max(1.0, report->largest_logit)) << Text(*report);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, GoldenTest, testing::ValuesIn(Cases()), [](const auto& made) {
  std::string name = made.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GoldenTest);

TEST(GoldenFilesTest, AreThere) { EXPECT_GE(Cases().size(), 8U); }

}  // namespace
}  // namespace hone::llm
