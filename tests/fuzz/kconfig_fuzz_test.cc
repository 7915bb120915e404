// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hone/base/process/subprocess.h"

namespace hone {
namespace {

TEST(KconfigFuzzTest, SomeSecondsFindNothing) {
  Command command;
  command.arguments = {HONE_SOURCE_DIR "/scripts/fuzz-kconfig", "--seconds", "24"};
  command.limit = std::chrono::minutes(19);  // Most of it builds the targets, once.
  const auto result = RunProcess(command);
  ASSERT_TRUE(result) << result.error().message;
  constexpr int kCannotRunHere = 77;
  if (result->status == kCannotRunHere) GTEST_SKIP() << result->output;
  EXPECT_EQ(result->status, 0) << result->output << result->errors;
}

}  // namespace
}  // namespace hone
