// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/counter_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "hone/measure/multiple.h"
#include "hone/measure/statistics.h"
#include "hone/tune/campaign/statistics_json.h"
#include "hone/tune/campaign/words.h"

namespace hone::tune {
namespace {

constexpr std::size_t kMinCounterPairs = 6;  // Fewer have no interval at 95 %.

struct KnownCounter {
  const char* name;
  const char* title;
  bool is_share;
  const char* when_less;
  const char* when_more;
};

constexpr const char* kRunTime = "run_time_s";
constexpr const char* kPerCycle = "instructions_per_cycle";

constexpr std::array<KnownCounter, 13> kKnownCounters{{
    {kRunTime, "time of a run, s", false, "the benchmark ended sooner",
     "the benchmark took longer to end"},
    {"cpu_time_s", "processor time, s", false, "the programs needed less of the processors",
     "the programs used more of the processors"},
    {"instructions", "instructions", false, "fewer instructions were executed",
     "more instructions were executed"},
    {"cycles", "cycles", false, "the processors worked for fewer cycles",
     "the processors worked for more cycles"},
    {kPerCycle, "instructions per cycle", false, "each cycle got less done: more of them waited",
     "each cycle got more done: fewer of them waited"},
    {"cache_misses", "cache misses", false, "main memory was asked less often",
     "main memory was asked more often"},
    {"context_switches", "context switches", false, "tasks were switched less often",
     "tasks were switched more often"},
    {"cpu_migrations", "migrations", false, "tasks moved less often from processor to processor",
     "tasks moved more often from processor to processor"},
    {"page_faults", "page faults", false, "fewer pages had to be mapped on first use",
     "more pages had to be mapped on first use"},
    {"major_faults", "major page faults", false, "fewer pages had to be read from disk",
     "more pages had to be read from disk"},
    {"pressure_cpu_some", "waiting for a processor", true,
     "tasks of the machine waited less for a processor",
     "tasks of the machine waited more for a processor"},
    {"pressure_memory_some", "waiting for memory", true,
     "tasks of the machine waited less for memory", "tasks of the machine waited more for memory"},
    {"pressure_io_some", "waiting for I/O", true, "tasks of the machine waited less for disks",
     "tasks of the machine waited more for disks"},
}};

std::optional<double> Observed(const Sample& sample, const std::string& name) {
  const auto found = sample.observations.find(name);
  if (found == sample.observations.end()) return std::nullopt;
  return found->second;
}

std::optional<double> CountIn(const Sample& sample, const std::string& name) {
  if (name == kRunTime) return std::chrono::duration<double>(sample.duration).count();
  if (name != kPerCycle) return Observed(sample, name);
  const auto cycles = Observed(sample, "cycles");
  const auto instructions = Observed(sample, "instructions");
  if (!cycles || !instructions || *cycles <= 0) return std::nullopt;
  return *instructions / *cycles;
}

// Of what the baseline has none, there is no relative change.
bool IsAbsolute(const CounterChange& counter) { return counter.is_share || counter.baseline == 0; }

// None where the pairs do not have it, or nothing was ever counted.
std::optional<CounterChange> ChangeOf(const KnownCounter& known,
                                      const std::vector<SamplePair>& pairs, double confidence) {
  std::vector<double> before;
  std::vector<double> after;
  for (const SamplePair& pair : pairs) {
    const auto baseline = CountIn(pair.baseline, known.name);
    const auto candidate = CountIn(pair.candidate, known.name);
    if (!baseline || !candidate) continue;
    before.push_back(*baseline);
    after.push_back(*candidate);
  }
  if (before.size() < kMinCounterPairs) return std::nullopt;
  CounterChange counter;
  counter.name = known.name;
  counter.title = known.title;
  counter.is_share = known.is_share;
  counter.baseline = Mean(before);
  counter.candidate = Mean(after);
  if (counter.baseline == 0 && counter.candidate == 0) return std::nullopt;
  const double unit = IsAbsolute(counter) ? 1 : counter.baseline;
  std::vector<double> changes;
  changes.reserve(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) changes.push_back((after[i] - before[i]) / unit);
  counter.change = TestPairs(changes, confidence);
  return counter;
}

// The run time says nothing alone: every sample has one, whatever made it.
bool HasCounts(const std::vector<CounterChange>& changes) {
  return std::ranges::any_of(changes, [](const auto& change) { return change.name != kRunTime; });
}

void JudgeTogether(double confidence, std::vector<CounterChange>& changes) {
  std::vector<double> p_values;
  p_values.reserve(changes.size());
  for (const CounterChange& counter : changes) p_values.push_back(counter.change.p_value);
  const auto adjusted = AdjustByHolm(p_values);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].adjusted_p = adjusted[i];
    changes[i].has_moved = adjusted[i] <= 1 - confidence && changes[i].change.effect != 0;
  }
}

std::string MeaningOf(const CounterChange& counter) {
  if (!counter.has_moved) return "";
  const auto* const known = std::ranges::find_if(
      kKnownCounters, [&](const KnownCounter& each) { return counter.name == each.name; });
  return counter.change.effect < 0 ? known->when_less : known->when_more;
}

}  // namespace

CounterReport CountersOf(const CampaignHistory& history) {
  CounterReport report;
  const auto& verdict = history.campaign.verdict;
  if (!verdict || !verdict->proof) return report;
  const double confidence = history.campaign.start.spec.proof.confidence;
  const auto pairs = PairsOfProof(history, verdict->proof->candidate);
  for (const KnownCounter& known : kKnownCounters) {
    auto change = ChangeOf(known, pairs, confidence);
    if (change) report.changes.push_back(std::move(*change));
  }
  if (!HasCounts(report.changes)) return {};
  JudgeTogether(confidence, report.changes);
  for (CounterChange& counter : report.changes) counter.meaning = MeaningOf(counter);
  std::ranges::stable_sort(report.changes, [](const auto& a, const auto& b) {
    if (a.has_moved != b.has_moved) return a.has_moved;
    return a.has_moved && a.adjusted_p < b.adjusted_p;
  });
  const auto& machine = history.campaign.start.machine;
  const auto missing = machine.find(kNotCountedFact);
  if (missing != machine.end()) report.missing = missing->second;
  return report;
}

std::string ChangeText(const CounterChange& counter, double change) {
  const double per_cent = std::round(1000 * change) / 10 + 0.0;  // No "-0.0".
  if (counter.is_share) return fmt::format("{:+.1f} points", per_cent);
  return IsAbsolute(counter) ? fmt::format("{:+.4g}", change) : SignedPercent(per_cent);
}

std::string LevelText(const CounterChange& counter, double level) {
  if (counter.is_share) return fmt::format("{:.1f} %", 100 * level);
  return TypesetNumber(level);
}

std::string MeaningText(const CounterChange& counter) {
  return counter.has_moved ? counter.meaning : "not shown to change";
}

Json ToJson(const CounterReport& report) {
  Json changes = Json::array();
  for (const CounterChange& counter : report.changes) {
    changes.push_back({{"name", counter.name},
                       {"title", counter.title},
                       {"is_share", counter.is_share},
                       {"baseline", counter.baseline},
                       {"candidate", counter.candidate},
                       {"change", ToJson(counter.change)},
                       {"adjusted_p", counter.adjusted_p},
                       {"has_moved", counter.has_moved},
                       {"meaning", counter.meaning}});
  }
  return {{"changes", std::move(changes)}, {"missing", report.missing}};
}

}  // namespace hone::tune
