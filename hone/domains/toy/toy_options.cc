// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hone/domains/option_reader.h"
#include "hone/domains/toy/toy_surface.h"

namespace hone::toy {
namespace {

constexpr std::int64_t kLongestRunMs = 24LL * 3600 * 1000;

// In the order of the enumerators.
const std::vector<std::string> kFaultNames = {"none",    "crash",   "hang",
                                              "garbage", "missing", "build"};
const std::vector<std::string> kFaultPlaceNames = {"candidates", "region", "runs"};

template <typename Enum>
Enum ReadEnum(OptionReader& reader, std::string_view name, const std::vector<std::string>& names) {
  return static_cast<Enum>(std::ranges::find(names, reader.Choice(name, names)) - names.begin());
}

std::string OneOf(std::string_view what, const std::vector<std::string>& names) {
  return fmt::format("{}: {}.", what, fmt::join(names, ", "));
}

}  // namespace

const std::vector<OptionFacts>& ToyOptionFacts() {
  static const std::vector<OptionFacts> facts = {
      {"surface", "smooth", OneOf("What is to be tuned", SurfaceNames())},
      {"gain", "0.10", "True gain of the optimum over the baseline: 0.10 is 10 %."},
      {"noise", "0.02", "Standard deviation of a run, relative to its value."},
      {"shape", "normal", OneOf("Distribution of the noise", NoiseShapeNames())},
      {"autocorrelation", "0", "Correlation of the noise of neighbouring runs."},
      {"drift", "0", "Steady relative change of the machine's level over 100 runs."},
      {"wander", "0", "Relative size of the level's random walk over 100 runs."},
      {"seed", "1", "Of what does not depend on the task: random walk, correlated noise, faults."},
      {"fault", "none", OneOf("What goes wrong", kFaultNames)},
      {"fault_place", "candidates", OneOf("Where it goes wrong", kFaultPlaceNames)},
      {"fault_rate", "0.2", "In what share of candidates, range or runs it goes wrong."},
      {"duration_ms", "0", "Real time that a run takes."},
  };
  return facts;
}

Result<ToyOptions> ReadToyOptions(const Options& options) {
  OptionReader reader("toy", ToyOptionFacts(), options);
  ToyOptions result;
  result.surface = reader.Choice("surface", SurfaceNames());
  result.gain = reader.Number("gain", 0, 10);
  result.noise.size = reader.Number("noise", 0, 1);
  result.noise.shape = ReadEnum<NoiseShape>(reader, "shape", NoiseShapeNames());
  result.noise.autocorrelation = reader.Number("autocorrelation", 0, kMaxAutocorrelation);
  result.noise.drift = reader.Number("drift", -0.5, 1);
  result.noise.wander = reader.Number("wander", 0, 1);
  result.noise.seed = static_cast<std::uint64_t>(
      reader.Integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
  result.fault = ReadEnum<Fault>(reader, "fault", kFaultNames);
  result.fault_place = ReadEnum<FaultPlace>(reader, "fault_place", kFaultPlaceNames);
  result.fault_rate = reader.Number("fault_rate", 0, 1);
  result.duration = std::chrono::milliseconds{reader.Integer("duration_ms", 0, kLongestRunMs)};
  if (result.fault == Fault::kBuild && result.fault_place == FaultPlace::kRuns) {
    reader.Fail("fault_place", "expected candidates or region for fault=build, found \"runs\"");
  }
  if (const auto fault = reader.Finish(); !fault) return fault.error();
  return result;
}

}  // namespace hone::toy
