// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/withheld_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/base/process/subprocess.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WithheldVariablesTest, ProgramsDoNotInheritWhatIsWithheld) {
  ::setenv("WITHHELD_FOR_TEST", "secret-value", 1);
  ::setenv("WITHHELD_FOR_TEST_NOT", "plain-value", 1);
  Command command;
  command.arguments = {"env"};
  EXPECT_THAT(RunProcess(command)->output, HasSubstr("secret-value"));
  WithholdVariable("WITHHELD_FOR_TEST");
  const std::string output = RunProcess(command)->output;
  EXPECT_THAT(output, Not(HasSubstr("secret-value")));
  EXPECT_THAT(output, HasSubstr("WITHHELD_FOR_TEST_NOT=plain-value"));
  ::unsetenv("WITHHELD_FOR_TEST");
  ::unsetenv("WITHHELD_FOR_TEST_NOT");
}

}  // namespace
}  // namespace hone
