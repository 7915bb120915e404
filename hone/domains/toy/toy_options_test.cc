// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::toy {
namespace {

using ::testing::HasSubstr;

TEST(ToyOptionsTest, ReadsEveryOption) {
  const auto read = ReadToyOptions({{"surface", "cliff"},
                                    {"gain", "0.2"},
                                    {"noise", "0.05"},
                                    {"shape", "lognormal-spikes"},
                                    {"autocorrelation", "0.4"},
                                    {"drift", "-0.03"},
                                    {"wander", "0.02"},
                                    {"seed", "17"},
                                    {"fault", "garbage"},
                                    {"fault_place", "runs"},
                                    {"fault_rate", "0.5"},
                                    {"duration_ms", "250"}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->surface, "cliff");
  EXPECT_EQ(read->gain, 0.2);
  EXPECT_EQ(read->noise.size, 0.05);
  EXPECT_EQ(read->noise.shape, NoiseShape::kLognormalSpikes);
  EXPECT_EQ(read->noise.autocorrelation, 0.4);
  EXPECT_EQ(read->noise.drift, -0.03);
  EXPECT_EQ(read->noise.wander, 0.02);
  EXPECT_EQ(read->noise.seed, 17U);
  EXPECT_EQ(read->fault, Fault::kGarbage);
  EXPECT_EQ(read->fault_place, FaultPlace::kRuns);
  EXPECT_EQ(read->fault_rate, 0.5);
  EXPECT_EQ(read->duration, std::chrono::milliseconds{250});
}

TEST(ToyOptionsTest, RefusesValuesThatAreNotAllowed) {
  const Options refused = {{"surface", "bumpy"},     {"gain", "-0.1"},      {"noise", "5%"},
                           {"shape", "cauchy"},      {"seed", "-1"},        {"drift", "2"},
                           {"autocorrelation", "1"}, {"wander", "-1"},      {"fault", "fire"},
                           {"fault_place", "here"},  {"fault_rate", "1.1"}, {"duration_ms", "1.5"}};
  ASSERT_EQ(refused.size(), ToyOptionFacts().size());
  for (const auto& [name, text] : refused) {
    const auto read = ReadToyOptions({{name, text}});
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, Errc::kInvalidArgument);
    EXPECT_THAT(read.error().message, HasSubstr("toy: option " + name + ": expected "));
    EXPECT_THAT(read.error().message, HasSubstr("found \"" + text + "\""));
  }
}

TEST(ToyOptionsTest, BuildingFailsByCandidateNotByRun) {
  const auto read = ReadToyOptions({{"fault", "build"}, {"fault_place", "runs"}});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("option fault_place: expected candidates or region"));
}

}  // namespace
}  // namespace hone::toy
