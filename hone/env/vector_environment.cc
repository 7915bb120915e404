// SPDX-License-Identifier: Apache-2.0
#include "hone/env/vector_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "hone/core/rng.h"

namespace hone::env {
namespace {

// Runs on a thread that nobody could catch anything from.
template <typename Body>
std::optional<Error> ErrorOf(std::size_t index, const Body& body) {
  try {
    const Result<void> result = body();
    if (result) return std::nullopt;
    return Error{result.error().code,
                 fmt::format("environment {}: {}", index, result.error().message)};
  } catch (const std::exception& exception) {
    return Error{Errc::kUnavailable, fmt::format("environment {}: {}", index, exception.what())};
  }
}

}  // namespace

Result<std::unique_ptr<VectorEnvironment>> VectorEnvironment::Make(
    std::vector<std::unique_ptr<Environment>> environments, std::size_t threads) {
  if (environments.empty() || threads == 0) {
    return Error{Errc::kInvalidArgument,
                 "vector environment: it needs at least one environment and one thread"};
  }
  const EnvironmentFacts& first = environments.front()->Facts();
  for (const auto& environment : environments) {
    const EnvironmentFacts& facts = environment->Facts();
    if (facts.action_size != first.action_size || facts.observations != first.observations) {
      return Error{
          Errc::kInvalidArgument,
          "vector environment: the environments declare different actions or observations"};
    }
  }
  threads = std::min(threads, environments.size());
  return std::unique_ptr<VectorEnvironment>(
      new VectorEnvironment(std::move(environments), threads));
}

VectorEnvironment::VectorEnvironment(std::vector<std::unique_ptr<Environment>> environments,
                                     std::size_t threads)
    : members_(environments.size()), team_(threads) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].environment = std::move(environments[i]);
  }
}

Result<std::vector<double>> VectorEnvironment::Reset(std::uint64_t seed) {
  seed_ = seed;
  team_.Do(members_.size(), [this](std::size_t i) {
    members_[i].episodes = 0;
    members_[i].error = ErrorOf(i, [&] { return BeginEpisode(i); });
  });
  return Observations();
}

Result<VectorStep> VectorEnvironment::Step(std::span<const double> actions) {
  const std::size_t width = Facts().action_size;
  if (actions.size() != width * members_.size()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("vector environment: {} numbers for {} actions of {}", actions.size(),
                             members_.size(), width)};
  }
  team_.Do(members_.size(), [&](std::size_t i) {
    members_[i].error = ErrorOf(i, [&] { return StepOne(i, actions.subspan(i * width, width)); });
  });
  auto observations = Observations();
  if (!observations) return observations.error();
  VectorStep step;
  step.observations = std::move(*observations);
  step.transitions.reserve(members_.size());
  for (Member& member : members_) step.transitions.push_back(std::move(member.transition));
  return step;
}

Result<void> VectorEnvironment::BeginEpisode(std::size_t index) {
  Member& member = members_[index];
  const std::uint64_t seed = Rng(seed_).Split(index).Split(member.episodes++).Next();
  auto observation = member.environment->Reset(seed);
  if (!observation) return observation.error();
  member.observation = std::move(*observation);
  member.actions.clear();
  return {};
}

VectorPosition VectorEnvironment::Position() const {
  VectorPosition position{.seed = seed_, .episodes = {}, .actions = {}};
  for (const Member& member : members_) {
    position.episodes.push_back(member.episodes);
    position.actions.push_back(member.actions);
  }
  return position;
}

Result<std::vector<double>> VectorEnvironment::Restore(const VectorPosition& position) {
  if (position.episodes.size() != members_.size() || position.actions.size() != members_.size()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("vector environment: a position of {} environments, there are {}",
                             position.episodes.size(), members_.size())};
  }
  if (std::ranges::count(position.episodes, 0U) > 0) {
    return Error{Errc::kInvalidArgument, "vector environment: a position before the first Reset"};
  }
  seed_ = position.seed;
  team_.Do(members_.size(), [&](std::size_t i) {
    members_[i].episodes = position.episodes[i] - 1;
    members_[i].error = ErrorOf(i, [&] { return ReplayEpisode(i, position.actions[i]); });
  });
  return Observations();
}

Result<void> VectorEnvironment::ReplayEpisode(std::size_t index, std::span<const double> actions) {
  if (auto begun = BeginEpisode(index); !begun) return begun;
  const std::size_t width = Facts().action_size;
  for (std::size_t at = 0; at + width <= actions.size(); at += width) {
    if (auto stepped = StepOne(index, actions.subspan(at, width)); !stepped) return stepped;
  }
  if (members_[index].actions.size() == actions.size()) return {};
  return Error{Errc::kCorrupt, "the stored actions end an episode that went on before"};
}

Result<void> VectorEnvironment::StepOne(std::size_t index, std::span<const double> action) {
  Member& member = members_[index];
  auto transition = member.environment->Step(action);
  if (!transition) return transition.error();
  member.transition = std::move(*transition);
  if (member.transition.IsEnd()) return BeginEpisode(index);
  member.actions.insert(member.actions.end(), action.begin(), action.end());
  member.observation = member.transition.observation;
  return {};
}

Result<std::vector<double>> VectorEnvironment::Observations() const {
  std::vector<double> observations;
  observations.reserve(members_.size() * Facts().observations.size());
  for (const Member& member : members_) {
    if (member.error) return *member.error;
    observations.insert(observations.end(), member.observation.begin(), member.observation.end());
  }
  return observations;
}

}  // namespace hone::env
