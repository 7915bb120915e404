// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/proposers/proposer_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>

#include "hone/core/check.h"

namespace hone::tune {
namespace {

Parameter Named(std::string name, Kind kind, Value default_value) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.kind = std::move(kind);
  parameter.default_value = std::move(default_value);
  return parameter;
}

Space Checked(Result<Space> space) {
  HONE_CHECK(space.has_value());
  return std::move(*space);
}

Space RealSpace(std::size_t count) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < count; ++i) {
    parameters.push_back(Named(fmt::format("x{:02}", i), RealRange{0, 1, 0, false}, 0.2));
  }
  return Checked(Space::Make(std::move(parameters)));
}

Parameter RandomParameter(std::size_t index, Rng& rng) {
  const std::string name = fmt::format("p{}", index);
  switch (rng.Below(7)) {
    case 0:
      return Named(name, IntegerRange{-5, 20, 1, false}, std::int64_t{3});
    case 1:
      return Named(name, IntegerRange{1, 1'000'000, 1, true}, std::int64_t{100});
    case 2:
      return Named(name, RealRange{0.001, 10, 0, true}, 20.0);  // The default lies outside.
    case 3:
      return Named(name, Boolean{}, false);
    case 4:
      return Named(name, Category{{"a", "b", "c", "d"}}, std::string("b"));
    case 5:
      return Named(name, OrderedTuple{3, IntegerRange{1, 64, 1, true}},
                   std::vector<std::int64_t>{1, 8, 64});
    default: {
      Parameter parameter = Named(name, IntegerRange{10, 500, 10, false}, std::int64_t{0});
      parameter.specials = {{std::int64_t{0}, "off"}, {std::int64_t{-1}, "automatic"}};
      return parameter;
    }
  }
}

// A proposer, its space, and a smooth made-up reward with its best in a corner of the cube.
class Examinee {
 public:
  Examinee(const ProposerEntry& entry, Space space, std::uint64_t seed, double noise = 0.02,
           bool wants_front = false)
      : space_(std::make_unique<Space>(std::move(space))),
        baseline_{.assignment = space_->Defaults(), .source = "kept"},
        noise_(noise),
        rng_(Rng(seed).Split("exam")) {
    auto made = entry.make({.space = *space_,
                            .baseline = baseline_,
                            .seed = seed,
                            .planned_trials = 30,
                            .wants_front = wants_front,
                            .options = {}});
    HONE_CHECK(made.has_value());
    proposer_ = std::move(*made);
  }

  Proposer& proposer() { return *proposer_; }
  const Faults& faults() const { return faults_; }
  void Note(std::string fault) { faults_.push_back(std::move(fault)); }
  void Require(bool holds, std::string fault) {
    if (!holds) Note(std::move(fault));
  }

  double TrueReward(const Candidate& candidate) const {
    return 0.2 * (Height(candidate) - Height(baseline_));
  }

  Candidate Ask() {
    auto asked = proposer_->Ask();
    if (!asked) {
      Note("Ask failed: " + asked.error().message);
      return baseline_;
    }
    if (auto valid = space_->Validate(asked->assignment); !valid) {
      Note("Ask gave an invalid candidate: " + valid.error().message);
      return baseline_;
    }
    Require(asked->source == baseline_.source, "Ask changed the source text");
    transcript_.push_back(ToText(asked->assignment));
    return *asked;
  }

  Trial Measured(const Candidate& candidate) {
    Trial trial;
    trial.number = next_number_++;
    trial.candidate = candidate;
    const double reward = TrueReward(candidate) + noise_ * rng_.Normal();
    trial.reward = {.mean = reward, .standard_error = noise_, .count = 1};
    return trial;
  }

  void Tell(const Trial& trial) {
    if (auto told = proposer_->Tell(trial); !told) Note("Tell failed: " + told.error().message);
  }

  void AskAndTell(int times) {
    for (int i = 0; i < times; ++i) Tell(Measured(Ask()));
  }

  std::vector<Recommendation> Recommend(std::size_t max) {
    auto best = proposer_->Recommend(max);
    if (!best) {
      Note("Recommend failed: " + best.error().message);
      return {};
    }
    std::set<std::string> texts;
    for (const Recommendation& each : *best) {
      Require(space_->Validate(each.candidate.assignment).has_value(), "an invalid recommendation");
      Require(texts.insert(ToText(each.candidate.assignment)).second, "recommended twice");
      Require(std::isfinite(each.reward.mean) && std::isfinite(each.reward.standard_error),
              "a belief that is not finite");
      transcript_.push_back(
          fmt::format("{} {}", ToText(each.candidate.assignment), each.reward.mean));
    }
    Require(best->size() <= max, "more recommendations than wanted");
    return *best;
  }

  const std::vector<std::string>& transcript() const { return transcript_; }
  const Space& space() const { return *space_; }

 private:
  double Height(const Candidate& candidate) const {
    double sum = 0;
    const std::vector<double> unit = space_->ToUnit(candidate.assignment);
    for (const double u : unit) sum -= (u - 0.8) * (u - 0.8);
    return sum / std::sqrt(static_cast<double>(unit.size()));
  }

  std::unique_ptr<Space> space_;  // On the heap: the proposer refers to it.
  Candidate baseline_;
  double noise_;
  Rng rng_;
  std::unique_ptr<Proposer> proposer_;
  std::int64_t next_number_ = 0;
  Faults faults_;
  std::vector<std::string> transcript_;
};

// Ends a trial in one of the ways in which trials end.
Trial Ended(Trial trial, std::uint64_t way) {
  constexpr Outcome kFailures[] = {Outcome::kRejected, Outcome::kBuildFailed, Outcome::kCrashed,
                                   Outcome::kTimedOut, Outcome::kWrong,       Outcome::kCheated};
  if (way < std::size(kFailures)) {
    trial.outcome = kFailures[way];
    trial.reward.mean = std::numeric_limits<double>::quiet_NaN();  // Meaningless unless accepted.
  } else if (way == std::size(kFailures)) {
    trial.is_within_limits = false;
  }
  return trial;
}

void Append(Faults& all, const Examinee& examinee, const std::string& where) {
  for (const std::string& fault : examinee.faults()) all.push_back(where + ": " + fault);
}

std::set<std::string> Distinct(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

Space RandomSpace(Rng rng) {
  std::vector<Parameter> parameters;
  const std::size_t count = 1 + rng.Below(8);
  for (std::size_t i = 0; i < count; ++i) {
    Parameter parameter = RandomParameter(i, rng);
    for (const Parameter& parent : parameters) {
      if (parent.default_value == Value(false) && rng.Coin()) {
        parameter.condition = Condition{.parent = parent.name, .values = {true}};
      }
    }
    parameters.push_back(std::move(parameter));
  }
  parameters.push_back(Named("low", IntegerRange{0, 100, 1, false}, std::int64_t{10}));
  parameters.push_back(Named("high", IntegerRange{0, 100, 1, false}, std::int64_t{20}));
  parameters.push_back(Named("share", RealRange{0, 50, 0, false}, 1.0));
  std::vector<LinearConstraint> constraints = {
      {.terms = {{"low", 1}, {"high", -1}}, .is_strict = true, .bound = 0},
      {.terms = {{"high", 1}, {"share", 2}}, .is_strict = false, .bound = 110}};
  return Checked(Space::Make(std::move(parameters), std::move(constraints)));
}

Faults ExamineValidity(const ProposerEntry& entry) {
  Faults faults;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng = Rng(seed).Split("validity");
    Examinee examinee(entry, RandomSpace(rng.Split("space")), seed);
    for (int i = 0; i < 24; ++i) {
      examinee.Tell(Ended(examinee.Measured(examinee.Ask()), rng.Below(24)));
    }
    examinee.Recommend(5);
    Append(faults, examinee, fmt::format("random space {}", seed));
  }
  return faults;
}

Faults ExamineRepeatability(const ProposerEntry& entry) {
  Faults faults;
  for (const bool wants_front : {false, true}) {
    Examinee first(entry, RandomSpace(Rng(5)), 1, 0.02, wants_front);
    Examinee second(entry, RandomSpace(Rng(5)), 1, 0.02, wants_front);
    Examinee curious(entry, RandomSpace(Rng(5)), 1, 0.02, wants_front);
    std::vector<std::string> curious_asks;
    for (int i = 0; i < 30; ++i) {
      for (Examinee* examinee : {&first, &second, &curious}) {
        examinee->Tell(examinee->Measured(examinee->Ask()));
      }
      curious_asks.push_back(curious.transcript().back());
      if (i % 7 == 3) {
        curious.Recommend(3);
        curious.proposer().ExpectedRemainingGain();
      }
    }
    if (first.transcript() != second.transcript()) faults.push_back("equal calls, other answers");
    if (first.transcript() != curious_asks) faults.push_back("a question changed later answers");
    first.Recommend(3);
    second.Recommend(3);
    if (first.transcript() != second.transcript()) faults.push_back("other recommendations");
    if (first.proposer().ExpectedRemainingGain() != second.proposer().ExpectedRemainingGain()) {
      faults.push_back("another expected gain");
    }
    Append(faults, first, "repeatability");
  }
  return faults;
}

Faults ExamineSeeds(const ProposerEntry& entry) {
  Examinee first(entry, RealSpace(3), 1);
  Examinee second(entry, RealSpace(3), 2);
  first.AskAndTell(5);
  second.AskAndTell(5);
  if (first.transcript() == second.transcript()) return {"two seeds, the same candidates"};
  return first.faults();
}

Faults ExaminePendingAsks(const ProposerEntry& entry) {
  Examinee examinee(entry, RealSpace(4), 3);
  for (int i = 0; i < 12; ++i) examinee.Ask();
  examinee.Require(Distinct(examinee.transcript()).size() == 12, "first asks repeat each other");
  examinee.AskAndTell(20);
  const std::size_t before = examinee.transcript().size();
  for (int i = 0; i < 6; ++i) examinee.Ask();
  const std::vector<std::string> late(
      examinee.transcript().begin() + static_cast<std::ptrdiff_t>(before),
      examinee.transcript().end());
  examinee.Require(Distinct(late).size() == 6, "later asks repeat each other");
  return examinee.faults();
}

Faults ExamineFailures(const ProposerEntry& entry) {
  Faults faults;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Examinee examinee(entry, RealSpace(2), seed);
    Rng rng = Rng(seed).Split("failures");
    std::set<std::string> failed;
    for (int i = 0; i < 24; ++i) {
      const Trial trial = Ended(examinee.Measured(examinee.Ask()), rng.Below(10));
      const bool is_fine = trial.outcome == Outcome::kAccepted && trial.is_within_limits;
      if (!is_fine) failed.insert(ToText(trial.candidate.assignment));
      examinee.Tell(trial);
    }
    for (const Recommendation& each : examinee.Recommend(50)) {
      examinee.Require(!failed.contains(ToText(each.candidate.assignment)),
                       "a failed candidate is recommended");
    }
    Append(faults, examinee, fmt::format("failures {}", seed));
  }
  Examinee hopeless(entry, RealSpace(2), 9);
  for (std::uint64_t i = 0; i < 16; ++i) {
    hopeless.Tell(Ended(hopeless.Measured(hopeless.Ask()), i % 7));
  }
  hopeless.Require(hopeless.Recommend(3).empty(), "recommended although nothing was accepted");
  Append(faults, hopeless, "all failed");
  return faults;
}

Faults ExamineReplacement(const ProposerEntry& entry) {
  Examinee examinee(entry, RealSpace(2), 4);
  std::vector<Trial> trials;
  for (int i = 0; i < 10; ++i) {
    Trial trial = examinee.Measured(examinee.Ask());
    trial.reward = {.mean = i == 4 ? 2.0 : 0.1, .standard_error = 0.01, .count = 2};
    examinee.Tell(trial);
    trials.push_back(trial);
  }
  trials[4].reward = {.mean = -2.0, .standard_error = 0.01, .count = 4};
  examinee.Tell(trials[4]);
  for (const Recommendation& each : examinee.Recommend(20)) {
    examinee.Require(each.candidate != trials[4].candidate,
                     "the first form of a trial still counts");
  }
  trials[5].outcome = Outcome::kCrashed;
  examinee.Tell(trials[5]);
  for (const Recommendation& each : examinee.Recommend(20)) {
    examinee.Require(each.candidate != trials[5].candidate, "a trial that failed later counts");
  }
  return examinee.faults();
}

Faults ExamineModesty(const ProposerEntry& entry) {
  Examinee examinee(entry, RealSpace(2), 6);
  for (int i = 0; i < 20; ++i) {
    Trial trial = examinee.Measured(examinee.Ask());
    trial.reward = {.mean = -0.4, .standard_error = 0.01, .count = 2};
    examinee.Tell(trial);
  }
  examinee.Require(examinee.Recommend(3).empty(), "recommended although all are clearly worse");
  return examinee.faults();
}

Faults ExamineRecommendations(const ProposerEntry& entry) {
  Faults faults;
  for (const std::size_t parameters : {1U, 3U, 40U}) {
    for (const double noise : {0.0, 0.02, 3.0}) {
      Examinee examinee(entry, RealSpace(parameters), 7, noise);
      examinee.AskAndTell(25);
      const auto best = examinee.Recommend(4);
      if (parameters < 40 && noise < 1) {
        examinee.Require(!best.empty() && examinee.TrueReward(best.front().candidate) > 0,
                         "a clear gain was missed");
      }
      const auto gain = examinee.proposer().ExpectedRemainingGain();
      examinee.Require(!gain || (std::isfinite(*gain) && *gain >= 0), "a gain that cannot be");
      Append(faults, examinee, fmt::format("{} parameters, noise {}", parameters, noise));
    }
  }
  return faults;
}

Faults ExamineTinySpace(const ProposerEntry& entry) {
  Examinee examinee(
      entry, Checked(Space::Make({Named("x", IntegerRange{1, 3, 1, false}, std::int64_t{1})})), 8);
  examinee.AskAndTell(20);
  for (int i = 0; i < 5; ++i) examinee.Ask();
  examinee.Require(Distinct(examinee.transcript()).size() >= 2,
                   "not all of a tiny space was tried");
  examinee.Recommend(5);
  return examinee.faults();
}

Faults ExamineBadTrials(const ProposerEntry& entry) {
  Examinee examinee(entry, RealSpace(2), 10);
  Trial nan = examinee.Measured(examinee.Ask());
  nan.reward.mean = std::numeric_limits<double>::quiet_NaN();
  Trial negative = examinee.Measured(examinee.Ask());
  negative.reward.standard_error = -1;
  Trial foreign = examinee.Measured(examinee.Ask());
  foreign.candidate.assignment["nobody"] = true;
  for (const Trial& trial : {nan, negative, foreign}) {
    examinee.Require(!examinee.proposer().Tell(trial), "a trial without sense was accepted");
  }
  examinee.AskAndTell(20);
  examinee.Recommend(3);
  return examinee.faults();
}

Faults ExamineFront(const ProposerEntry& entry) {
  Examinee examinee(entry, RealSpace(2), 11, 0.0, true);
  std::map<std::string, std::pair<double, double>> seen;
  for (int i = 0; i < 30; ++i) {
    Trial trial = examinee.Measured(examinee.Ask());
    const std::vector<double> unit = examinee.space().ToUnit(trial.candidate.assignment);
    const double waste = (unit[1] - 0.5) * (unit[1] - 0.5);
    const std::pair both{unit[0] - waste, 1 - unit[0] * unit[0] - waste};
    trial.objectives = {{both.first, 0.001, 1}, {both.second, 0.001, 1}};
    trial.reward.mean = (both.first + both.second) / 2;
    seen[ToText(trial.candidate.assignment)] = both;
    examinee.Tell(trial);
  }
  const auto front = examinee.Recommend(20);
  examinee.Require(front.size() >= 2, "one point is no front");
  constexpr double kClearly = 0.05;
  for (const Recommendation& each : front) {
    const auto found = seen.find(ToText(each.candidate.assignment));
    if (found == seen.end()) continue;
    for (const auto& [text, other] : seen) {
      examinee.Require(!(other.first > found->second.first + kClearly &&
                         other.second > found->second.second + kClearly),
                       "a member of the front is clearly beaten");
    }
  }
  return examinee.faults();
}

}  // namespace hone::tune
