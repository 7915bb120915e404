// SPDX-License-Identifier: Apache-2.0
#include "hone/base/build_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "hone/base/process/subprocess.h"

namespace hone {
namespace {

// By another reader of the same program.
TEST(BuildIdentityTest, ItIsTheBuildIdOfTheProgramThatRuns) {
  Command command;
  command.arguments = {"/usr/bin/readelf", "-n",
                       std::filesystem::read_symlink("/proc/self/exe").string()};
  const auto notes = RunProcess(command);
  ASSERT_TRUE(notes) << notes.error().message;
  ASSERT_EQ(BuildIdentity().size(), 40U);
  EXPECT_THAT(notes->output, testing::HasSubstr("Build ID: " + BuildIdentity()));
}

}  // namespace
}  // namespace hone
