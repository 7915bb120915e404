// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/reason/solve_property_for_test.h"

namespace hone::kconfig {
namespace {

constexpr std::uint64_t kSeeds = 12;

TEST(SolvePropertyTest, AnswersAreSmallestAndRefusalsAreTrue) {
  RunProperty(1, kSeeds, "linux-6.1", false);
}

TEST(SolvePropertyTest, SoTheyAreWithAChoice) { RunProperty(1'000'000, kSeeds, "linux-6.1", true); }

TEST(SolvePropertyTest, SoTheyAreWithAGroup) { RunProperty(2'000'000, kSeeds, "linux-6.11", true); }

TEST(SolvePropertyTest, SoTheyAreWithStrongImply) {
  RunProperty(3'000'000, kSeeds, "linux-5.3", true);
}

}  // namespace
}  // namespace hone::kconfig
