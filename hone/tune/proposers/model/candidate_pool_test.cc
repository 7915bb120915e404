// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/model/candidate_pool.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "hone/tune/proposers/proposer_exam.h"

namespace hone::tune {
namespace {

TEST(CandidatePoolTest, EverythingInThePoolIsValid) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Space space = RandomSpace(Rng(seed));
    const CandidatePool pool(space, space.Defaults());
    const auto everywhere = pool.Everywhere(20, Rng(seed));
    for (const Assignment& each : everywhere) EXPECT_TRUE(space.Validate(each));
    for (const Assignment& each : pool.Around(everywhere, 40, 0.2, Rng(seed))) {
      EXPECT_TRUE(space.Validate(each));
    }
  }
}

TEST(CandidatePoolTest, VariationsStayCloserToTheirCentreThanAnyPointDoes) {
  std::vector<Parameter> parameters(20);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].name = "x" + std::to_string(i);
    parameters[i].kind = RealRange{0, 1, 0, false};
    parameters[i].default_value = 0.5;
  }
  const Space space = *Space::Make(parameters);
  const CandidatePool pool(space, space.Defaults());
  const std::vector<Assignment> centre = pool.Everywhere(1, Rng(1));
  int moved = 0;
  std::set<std::string> different;
  for (const Assignment& each : pool.Around(centre, 100, 0.1, Rng(2))) {
    for (const auto& [name, value] : each) moved += value == centre[0].at(name) ? 0 : 1;
    different.insert(ToText(each));
  }
  EXPECT_GT(moved, 100);
  EXPECT_LT(moved, 100 * 8);
  EXPECT_GT(different.size(), 95u);
}

}  // namespace
}  // namespace hone::tune
