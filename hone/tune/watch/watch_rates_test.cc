// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "hone/tune/watch/watch_for_test.h"

// How often a watch is wrong, over many seeds.
namespace hone::tune {
namespace {

using Kind = WatchEvent::Kind;

// Six steps, none of which changes anything.
Space ThreeRanges() {
  return *Space::Make({ParameterOf("a", RealRange{0, 1, 0.01}, 0.5),
                       ParameterOf("b", IntegerRange{0, 100, 1, false}, std::int64_t{50}),
                       ParameterOf("c", IntegerRange{1, 1 << 20, 1, true}, std::int64_t{1024})});
}

FakeService::Metrics Flat(const Assignment&, std::int64_t) { return {{"rate", 1000}}; }

struct Rates {
  int adopted = 0;  // Watches that adopted anything.
  int harms = 0;    // Steps that were called harmful.
  int tried = 0;    // Steps.
  int shifts = 0;   // Watches that told of a shift.
  double runs = 0;  // A watch.
};

Rates RatesOf(int seeds, double noise) {
  Rates rates;
  for (int seed = 0; seed < seeds; ++seed) {
    FakeService service(ThreeRanges(), Flat, noise);
    WatchSettings settings;
    settings.seed = static_cast<std::uint64_t>(seed);
    settings.max_rounds = 40;  // One sweep, then at rest.
    const auto summary = service.Watch(settings);
    EXPECT_TRUE(summary);
    if (!summary) return rates;
    rates.adopted += summary->adopted > 0 ? 1 : 0;
    rates.harms += static_cast<int>(summary->harms);
    rates.tried += static_cast<int>(summary->tried);
    rates.shifts += summary->shifts > 0 ? 1 : 0;
    rates.runs += static_cast<double>(summary->runs) / seeds;
  }
  return rates;
}

TEST(WatchRatesTest, WhereNothingHelpsFewerSweepsAdoptAnythingThanDeclared) {
  constexpr int kSeeds = 400;
  for (const double noise : {0.01, 0.03, 0.1}) {
    const Rates rates = RatesOf(kSeeds, noise);
    std::printf(
        "noise %g: adopted in %d of %d sweeps, harm in %d of %d steps, shift in %d, "
        "%.0f runs a watch\n",
        noise, rates.adopted, kSeeds, rates.harms, rates.tried, rates.shifts, rates.runs);
    EXPECT_LE(rates.adopted, 0.05 * kSeeds) << noise;
    EXPECT_LE(rates.harms, 0.1 * rates.tried) << noise;
    EXPECT_LE(rates.shifts, 0.05 * kSeeds) << noise;
  }
}

TEST(WatchRatesTest, WhereAStepHelpsAlmostEveryWatchFindsIt) {
  constexpr int kSeeds = 100;
  int found = 0;
  int false_steps = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    FakeService service(ThreeRanges(), [](const Assignment& values, std::int64_t) {
      const double distance = std::get<double>(values.at("a")) - 0.7;
      return FakeService::Metrics{{"rate", 1000 * std::exp(-3 * distance * distance)}};
    });
    WatchSettings settings;
    settings.seed = static_cast<std::uint64_t>(seed);
    settings.max_rounds = 60;
    const auto summary = service.Watch(settings);
    ASSERT_TRUE(summary);
    found += std::get<double>(summary->in_force.assignment.at("a")) >= 0.6 ? 1 : 0;
    for (const WatchEvent& event : service.Of(Kind::kAdopted)) {
      false_steps += event.what.starts_with("a ") ? 0 : 1;
    }
  }
  std::printf("found in %d of %d watches, %d false steps\n", found, kSeeds, false_steps);
  EXPECT_GE(found, 0.9 * kSeeds);
  EXPECT_LE(false_steps, 0.05 * kSeeds);
}

}  // namespace
}  // namespace hone::tune
