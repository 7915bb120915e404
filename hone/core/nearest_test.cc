// SPDX-License-Identifier: Apache-2.0
#include "hone/core/nearest.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

const std::vector<std::string> kKnown{"throughput", "latency_ms", "stability"};

TEST(NearestTest, ATypoIsRecognised) {
  EXPECT_EQ(Nearest("troughput", kKnown), "throughput");
  EXPECT_EQ(Nearest("latency", kKnown), std::nullopt);
  EXPECT_EQ(Nearest("latencyms", kKnown), "latency_ms");
}

TEST(NearestTest, NothingIsGuessedFarAway) { EXPECT_EQ(Nearest("xyz", kKnown), std::nullopt); }

TEST(NearestTest, TheMessageListsWhatThereIs) {
  EXPECT_EQ(NoSuch("metric", "stabilty", kKnown),
            "metric stabilty: no such metric; did you mean stability? there are: throughput, "
            "latency_ms, stability");
}

}  // namespace
}  // namespace hone
