// SPDX-License-Identifier: Apache-2.0
// How long one ask and one tell of the Bayesian proposer take with 300 observations of 20
// parameters of all kinds, a tenth of the trials failing. Calls that refit the hyper-parameters
// are among those measured.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/rng.h"
#include "hone/core/space.h"
#include "hone/tune/proposers/bayes.h"

namespace hone {
namespace {

constexpr int kObservations = 300;
constexpr double kMaxMilliseconds = 20;

Parameter Named(int index, Kind kind, Value default_value) {
  Parameter parameter;
  parameter.name = fmt::format("parameter_{:02}", index);
  parameter.kind = std::move(kind);
  parameter.default_value = std::move(default_value);
  return parameter;
}

Space MakeSpace() {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 20; i += 5) {
    parameters.push_back(Named(i, IntegerRange{1, 1'000'000, 1, true}, std::int64_t{1000}));
    parameters.push_back(Named(i + 1, RealRange{0, 1, 0, false}, 0.25));
    parameters.push_back(Named(i + 2, Boolean{}, false));
    parameters.push_back(Named(i + 3, Category{{"a", "b", "c"}}, "a"));
    parameters.push_back(Named(i + 4, IntegerRange{1, 64, 1, false}, std::int64_t{8}));
    parameters.back().specials = {{std::int64_t{0}, "off"}};
  }
  return *Space::Make(
      std::move(parameters),
      {{.terms = {{"parameter_04", 1}, {"parameter_09", 1}}, .is_strict = false, .bound = 96}});
}

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Moment {
  double processor_ms = Now(CLOCK_THREAD_CPUTIME_ID);
  double wall_ms = Now(CLOCK_MONOTONIC);
};

struct Spent {
  double processor_ms = 0;
  double wall_ms = 0;
};

class Loop {
 public:
  Loop(const Space& space, std::uint64_t seed)
      : space_(space),
        rng_(seed),
        proposer_(*tune::MakeBayes({.space = space,
                                    .baseline = {.assignment = space.Defaults(), .source = {}},
                                    .seed = seed,
                                    .planned_trials = std::int64_t{2} * kObservations,
                                    .wants_front = false,
                                    .options = {}})) {}

  // Of one ask and one tell.
  Spent Step() {
    const Moment start;
    tune::Trial trial;
    trial.number = number_++;
    trial.candidate = *proposer_->Ask();
    const Moment asked;
    const std::vector<double> unit = space_.ToUnit(trial.candidate.assignment);
    double reward = 0.1;
    for (std::size_t k = 0; k < 4; ++k) reward -= 0.2 * (unit[k] - 0.6) * (unit[k] - 0.6);
    if (rng_.Uniform() < 0.1) trial.outcome = Outcome::kCrashed;
    trial.reward = {.mean = reward + 0.05 * rng_.Normal(), .standard_error = 0.05, .count = 1};
    const Moment measured;
    const auto told = proposer_->Tell(trial);
    const Moment end;
    if (!told) std::cerr << told.error().message << "\n";
    return {.processor_ms =
                asked.processor_ms - start.processor_ms + end.processor_ms - measured.processor_ms,
            .wall_ms = asked.wall_ms - start.wall_ms + end.wall_ms - measured.wall_ms};
  }

 private:
  const Space& space_;
  Rng rng_;
  std::unique_ptr<tune::Proposer> proposer_;
  std::int64_t number_ = 0;
};

struct Summary {
  double median = 0;
  double p95 = 0;
  double longest = 0;
};

Summary Summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 95 / 100], times.back()};
}

void Print(std::string_view what, const Summary& times) {
  std::cout << fmt::format("{}: median {:.1f} ms, 95 % under {:.1f} ms, longest {:.1f} ms\n", what,
                           times.median, times.p95, times.longest);
}

// One thread computes and waits for nothing, so processor time is what it takes on a machine that
// has a core to spare; wall time on a busy one says more about the others.
int Main(bool is_quick) {
  const Space space = MakeSpace();
  std::vector<double> processor;
  std::vector<double> wall;
  for (std::uint64_t seed = 0; seed < (is_quick ? 1 : 5); ++seed) {
    Loop loop(space, seed);
    for (int i = 0; i < kObservations - 20; ++i) loop.Step();
    for (int i = 0; i < 40; ++i) {
      const Spent spent = loop.Step();
      processor.push_back(spent.processor_ms);
      wall.push_back(spent.wall_ms);
    }
  }
  std::cout << fmt::format(
      "one ask and one tell at {} to {} observations of 20 parameters, {} times\n",
      kObservations - 20, kObservations + 20, processor.size());
  const Summary judged = Summarise(processor);
  Print("processor time", judged);
  Print("wall time", Summarise(wall));
  const bool holds = judged.p95 < kMaxMilliseconds;
  std::cout << (holds ? "ask_tell: holds\n"
                      : fmt::format("ask_tell: falls short: 95 % under {:.1f} ms, not {} ms\n",
                                    judged.p95, kMaxMilliseconds));
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const bool is_quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  if (argc > 2 || (argc == 2 && !is_quick)) {
    std::cerr << "usage: ask_tell_benchmark [--quick]\n";
    return 2;
  }
  return hone::Main(is_quick);
}
