// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hone/core/result.h"
#include "hone/env/environment.h"
#include "hone/env/thread_team.h"

namespace hone::env {

// What one step of every environment led to, in the order of the environments.
struct VectorStep {
  // Where an episode ended, its last observation stands here.
  std::vector<Transition> transitions;

  // What to act on next, a row each: where an episode ended, the first of the next one.
  std::vector<double> observations;
};

// How to come to where the environments are: the episodes that began, and what was done in the last
// of each.
struct VectorPosition {
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> episodes;
  std::vector<std::vector<double>> actions;  // Of the episodes under way, one after the other.
};

// Environments of one kind that are stepped in parallel. An episode that ends is followed by the
// next, whose seed comes from the seed of Reset, the environment's index and the episode's number:
// the results are the same on one thread and on several. Not safe for concurrent use.
class VectorEnvironment {
 public:
  // kInvalidArgument unless there is at least one environment and all declare the same sizes.
  static Result<std::unique_ptr<VectorEnvironment>> Make(
      std::vector<std::unique_ptr<Environment>> environments, std::size_t threads);

  std::size_t size() const { return members_.size(); }
  const EnvironmentFacts& Facts() const { return members_.front().environment->Facts(); }

  // The first observations, a row each.
  Result<std::vector<double>> Reset(std::uint64_t seed);

  // Takes a row of actions each. An Error is that of the first environment that failed; the others
  // may have stepped, so go on with Reset.
  Result<VectorStep> Step(std::span<const double> actions);

  // Where the environments are, and how to come there again: the episodes under way are played once
  // more, so it is exact where what is evaluated is deterministic. Gives the observations to act
  // on.
  VectorPosition Position() const;
  Result<std::vector<double>> Restore(const VectorPosition& position);

 private:
  struct Member {
    std::unique_ptr<Environment> environment;
    std::uint64_t episodes = 0;       // That began.
    std::vector<double> actions;      // Of the episode under way.
    std::vector<double> observation;  // To act on next.
    Transition transition;
    std::optional<Error> error;
  };

  VectorEnvironment(std::vector<std::unique_ptr<Environment>> environments, std::size_t threads);

  Result<void> BeginEpisode(std::size_t index);
  Result<void> ReplayEpisode(std::size_t index, std::span<const double> actions);
  Result<void> StepOne(std::size_t index, std::span<const double> action);
  Result<std::vector<double>> Observations() const;  // Or the first error.

  std::vector<Member> members_;
  std::uint64_t seed_ = 0;
  ThreadTeam team_;
};

}  // namespace hone::env
