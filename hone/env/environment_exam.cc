// SPDX-License-Identifier: Apache-2.0
#include "hone/env/environment_exam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "hone/core/rng.h"

namespace hone::env {
namespace {

using Complaints = std::vector<std::string>;

std::vector<double> RandomAction(const Environment& environment, Rng& rng) {
  std::vector<double> action(environment.Facts().action_size);
  for (double& coordinate : action) coordinate = rng.Uniform();
  return action;
}

bool IsFinite(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

bool IsSameTransition(const Transition& a, const Transition& b) {
  return a.observation == b.observation && a.reward == b.reward &&
         a.is_terminated == b.is_terminated && a.is_truncated == b.is_truncated;
}

// One episode of random actions from its own stream, cut off where it should long have ended.
Result<std::vector<Transition>> Play(Environment& environment, std::uint64_t seed) {
  if (const auto first = environment.Reset(seed); !first) return first.error();
  Rng rng = Rng(seed).Split("actions");
  std::vector<Transition> episode;
  while (std::ssize(episode) <= environment.Facts().max_steps) {
    auto transition = environment.Step(RandomAction(environment, rng));
    if (!transition) return transition.error();
    episode.push_back(std::move(*transition));
    if (episode.back().IsEnd()) break;
  }
  return episode;
}

Complaints AboutFacts(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  const EnvironmentFacts& facts = (*environment)->Facts();
  Complaints complaints;
  if (facts.action_size == 0) complaints.push_back("actions have no size");
  if (facts.observations.empty()) complaints.push_back("observations have no size");
  if (facts.max_steps < 1) complaints.push_back("episodes have no limit");
  std::set<std::string> names;
  for (const std::string& name : facts.observations) {
    if (name.empty()) complaints.push_back("an observation has no name");
    if (!names.insert(name).second) {
      complaints.push_back(fmt::format("observation {}: twice", name));
    }
  }
  return complaints;
}

Complaints AboutObservations(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  const std::size_t size = (*environment)->Facts().observations.size();
  const auto first = (*environment)->Reset(exam.seed);
  if (!first) return {first.error().message};
  Complaints complaints;
  if (first->size() != size || !IsFinite(*first)) {
    complaints.push_back("the first observation is not as declared");
  }
  const auto episode = Play(**environment, exam.seed);
  if (!episode) return {episode.error().message};
  for (const Transition& transition : *episode) {
    if (transition.observation.size() != size || !IsFinite(transition.observation)) {
      complaints.push_back("an observation is not as declared");
    }
    if (!std::isfinite(transition.reward)) complaints.push_back("a reward is not finite");
  }
  return complaints;
}

Complaints AboutEnds(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  const std::int64_t max_steps = (*environment)->Facts().max_steps;
  Complaints complaints;
  for (int i = 0; i < exam.episodes; ++i) {
    const auto episode = Play(**environment, exam.seed + static_cast<std::uint64_t>(i));
    if (!episode) return {episode.error().message};
    const Transition& last = episode->back();
    const std::int64_t steps = std::ssize(*episode);
    if (!last.IsEnd()) complaints.push_back("an episode went on after its last step");
    if (last.is_terminated && last.is_truncated) complaints.push_back("an end was of both kinds");
    if (last.is_truncated && steps != max_steps) {
      complaints.push_back(fmt::format("truncated after {} of {} steps", steps, max_steps));
    }
  }
  return complaints;
}

Complaints AboutRepetition(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  const auto other = exam.make();
  if (!other) return {other.error().message};
  const auto first = Play(**environment, exam.seed);
  const auto between = Play(**environment, exam.seed + 1);
  const auto again = Play(**environment, exam.seed);
  const auto elsewhere = Play(**other, exam.seed);
  if (!first || !between || !again || !elsewhere) return {"an episode gave an Error"};
  Complaints complaints;
  if (!std::ranges::equal(*first, *again, IsSameTransition)) {
    complaints.push_back("the same seed and actions led elsewhere after another episode");
  }
  if (!std::ranges::equal(*first, *elsewhere, IsSameTransition)) {
    complaints.push_back("the same seed and actions led elsewhere in another environment");
  }
  return complaints;
}

Complaints AboutOrderOfCalls(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  Rng rng(exam.seed);
  const auto action = RandomAction(**environment, rng);
  const auto is_refused = [&] {
    const auto transition = (*environment)->Step(action);
    return !transition && transition.error().code == Errc::kInvalidArgument;
  };
  Complaints complaints;
  if (!is_refused()) complaints.push_back("a step before the first Reset was not refused");
  if (const auto episode = Play(**environment, exam.seed); !episode) {
    return {episode.error().message};
  }
  if (!is_refused()) complaints.push_back("a step after the end was not refused");
  if (const auto first = (*environment)->Reset(exam.seed); !first) return {first.error().message};
  if (const auto step = (*environment)->Step(action); !step) {
    complaints.push_back("a step after Reset: " + step.error().message);
  }
  return complaints;
}

Complaints AboutResetInTheMiddle(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  const auto whole = Play(**environment, exam.seed);
  if (!whole) return {whole.error().message};
  if (const auto other = (*environment)->Reset(exam.seed + 1); !other) {
    return {other.error().message};
  }
  Rng rng(exam.seed);
  if (const auto step = (*environment)->Step(RandomAction(**environment, rng)); !step) {
    return {step.error().message};
  }
  const auto again = Play(**environment, exam.seed);
  if (!again) return {again.error().message};
  if (!std::ranges::equal(*whole, *again, IsSameTransition)) {
    return {"an episode that was left in the middle shows in the next"};
  }
  return {};
}

Complaints AboutBadActions(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  if ((*environment)->Facts().action_size == 0) return {"actions have no size"};
  const auto plain = Play(**environment, exam.seed);
  if (!plain) return {plain.error().message};
  if (const auto first = (*environment)->Reset(exam.seed); !first) return {first.error().message};
  Rng rng = Rng(exam.seed).Split("actions");
  const auto action = RandomAction(**environment, rng);
  auto longer = action;
  longer.push_back(0.5);
  auto broken = action;
  broken.front() = std::numeric_limits<double>::quiet_NaN();
  Complaints complaints;
  for (const auto& bad : {longer, broken}) {
    const auto step = (*environment)->Step(bad);
    if (step || step.error().code != Errc::kInvalidArgument) {
      complaints.push_back("an action of the wrong size, or not finite, was not refused");
    }
  }
  const auto step = (*environment)->Step(action);
  if (!step || !IsSameTransition(*step, plain->front())) {
    complaints.push_back("an action that was refused shows in the next step");
  }
  return complaints;
}

Complaints AboutClamping(const EnvironmentExam& exam) {
  const auto environment = exam.make();
  if (!environment) return {environment.error().message};
  std::vector<Transition> transitions;
  for (const double coordinate : {1.0, 7.0}) {
    if (const auto first = (*environment)->Reset(exam.seed); !first) return {first.error().message};
    const std::vector<double> action((*environment)->Facts().action_size, coordinate);
    auto transition = (*environment)->Step(action);
    if (!transition) return {transition.error().message};
    transitions.push_back(std::move(*transition));
  }
  if (!IsSameTransition(transitions[0], transitions[1])) {
    return {"a coordinate above 1 led elsewhere than 1"};
  }
  return {};
}

}  // namespace

const std::vector<EnvironmentQuestion>& EnvironmentQuestions() {
  static const std::vector<EnvironmentQuestion> questions = {
      {"FactsAreComplete", AboutFacts},
      {"ObservationsAreAsDeclared", AboutObservations},
      {"EpisodesEndOnceAndInOneWay", AboutEnds},
      {"SameSeedAndActionsGiveTheSameTransitions", AboutRepetition},
      {"StepOutsideAnEpisodeIsRefused", AboutOrderOfCalls},
      {"ResetInTheMiddleBeginsAnew", AboutResetInTheMiddle},
      {"BadActionIsRefusedAndLeavesNoTrace", AboutBadActions},
      {"ActionsOutsideTheCubeAreClamped", AboutClamping},
  };
  return questions;
}

std::vector<std::string> ComplaintsAbout(const EnvironmentExam& exam) {
  Complaints all;
  for (const EnvironmentQuestion& question : EnvironmentQuestions()) {
    for (const std::string& complaint : question.complaints(exam)) {
      all.push_back(fmt::format("{}: {}", question.name, complaint));
    }
  }
  return all;
}

}  // namespace hone::env
