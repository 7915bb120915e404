// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hone::sysctl {
namespace {

using testing::HasSubstr;

TEST(ProbeTest, AReadingIsAStrictLine) {
  EXPECT_EQ(LineOf({"gbit_per_s", 12.5}), "gbit_per_s: 12.5");
  EXPECT_EQ(LineOf({"fsync_ms", 0.0001234567}), "fsync_ms: 0.000123457");
  EXPECT_EQ(LineOf({"requests_per_s", 123456}), "requests_per_s: 123456");
}

TEST(ProbeTest, NamesAreOnceAndEverythingIsDescribed) {
  std::set<std::string> names;
  for (const Probe& probe : AllProbes()) {
    EXPECT_TRUE(names.insert(probe.name).second) << probe.name;
    EXPECT_FALSE(probe.summary.empty()) << probe.name;
    EXPECT_FALSE(probe.tells.empty()) << probe.name;
    for (const OptionFacts& option : probe.options) {
      EXPECT_FALSE(option.description.empty()) << probe.name << " " << option.name;
    }
  }
}

TEST(ProbeTest, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const auto probe = FindProbe("memmory");
  ASSERT_FALSE(probe);
  EXPECT_EQ(probe.error().code, Errc::kNotFound);
  EXPECT_THAT(probe.error().message, HasSubstr("workload memmory"));
  EXPECT_THAT(probe.error().message, HasSubstr("memory, write-burst, tcp"));
}

TEST(ProbeTest, AnUnknownOptionIsRefusedBeforeAnythingRuns) {
  for (const Probe& probe : AllProbes()) {
    const auto readings = RunProbe(probe, {{"no_such_option", "1"}}, {});
    ASSERT_FALSE(readings) << probe.name;
    EXPECT_EQ(readings.error().code, Errc::kInvalidArgument);
    EXPECT_THAT(readings.error().message, HasSubstr("no_such_option"));
    EXPECT_THAT(readings.error().message, HasSubstr(probe.options.front().name));
  }
}

TEST(ProbeTest, AnOptionOutOfItsRangeIsRefused) {
  for (const auto& [name, options] :
       std::vector<std::pair<std::string, Options>>{{"memory", {{"mib", "0"}}},
                                                    {"memory", {{"milliseconds", "soon"}}},
                                                    {"write-burst", {{"block_kib", "1"}}},
                                                    {"tcp", {{"mode", "fast"}}},
                                                    {"tcp", {{"port", "70000"}}},
                                                    {"tcp", {{"address", "localhost"}}},
                                                    {"tcp-server", {{"backlog", "0"}}}}) {
    const auto readings = RunProbe(**FindProbe(name), options, {});
    ASSERT_FALSE(readings) << name;
    EXPECT_EQ(readings.error().code, Errc::kInvalidArgument) << readings.error().message;
    EXPECT_THAT(readings.error().message, HasSubstr(options.begin()->first));
  }
}

}  // namespace
}  // namespace hone::sysctl
