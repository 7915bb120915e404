// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hone/core/candidate.h"
#include "hone/core/space.h"

namespace hone::tune {

// One small change of one parameter.
struct WatchStep {
  std::string
      key;  // What is changed and which way: "vm.swappiness up", "tcp_rmem.2 down", "cc=bbr".
  std::string text;  // "vm.swappiness 60 -> 50"
  Candidate candidate;

  bool operator==(const WatchStep&) const = default;
};

struct StepSettings {
  double radius = 0.25;         // How far a value may get from where it started, of its range.
  double length = 0.08;         // Of one step, of the range; at least to the neighbouring value.
  std::set<std::string> fixed;  // Parameters that may not move.
};

// Where a watch may go: small steps inside a trust radius around the values in force at the start,
// in the unit cube of the space. A category or a boolean has no distance: another choice is one
// step. Special values are never entered or left, for they mean something else altogether. A step
// changes one parameter, and besides only what its conditions switch on or off.
class TrustRegion {
 public:
  TrustRegion(Space space, Candidate start, StepSettings settings);

  std::vector<WatchStep> StepsFrom(const Candidate& from) const;

  // Whether every value that can be told to have a distance is within the radius.
  bool Contains(const Candidate& candidate) const;

  // Active parameters that no step from the start can move, and which were not declared fixed.
  std::vector<std::string> Stuck() const;

 private:
  struct Move {
    std::size_t parameter;
    std::size_t coordinate;  // In the unit cube.
    std::string name;        // Of the parameter, with the part of a tuple.
  };

  std::optional<WatchStep> StepAlong(const Candidate& from, const Move& move, int sign) const;
  void AddChoices(const Candidate& from, const Move& move, std::vector<WatchStep>& steps) const;
  std::optional<WatchStep> StepTo(const Candidate& from, const Move& move, const Value& value,
                                  const std::string& key) const;
  bool IsOrdered(const Parameter& parameter) const;

  Space space_;
  Candidate start_;
  StepSettings settings_;
  std::vector<double> start_unit_;
  std::vector<Move> moves_;
};

}  // namespace hone::tune
