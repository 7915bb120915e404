// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"

// What a running service says about itself on a page: the text that Prometheus reads, JSON, or
// lines for people (nginx's stub_status). Numbers of a stretch of time are made from several looks
// at it.
namespace hone::app {

// "p99=quantile(0.99, http_seconds)": a name, and how its number is made.
struct Observable {
  enum class Kind {
    kValue,     // The mean of all looks.
    kRate,      // How much a counter grew, per second.
    kQuantile,  // Of what a histogram of Prometheus counted meanwhile.
  };
  std::string name;
  Kind kind = Kind::kValue;
  double quantile = 0;
  // "/json/pointer", "re:expression with (one group)", or a series of Prometheus:
  // `name{label="value"}`, where labels that are not named may be anything.
  std::string selector;
};
Result<Observable> ParseObservable(std::string_view text);

struct Look {
  std::string page;
  double seconds = 0;  // Since whenever.
};

// One number for each. kInvalidArgument: the page has no such thing, and what it has instead.
// kUnavailable: there is no number for this stretch of time, since the service was restarted or had
// nothing to do.
Result<std::vector<std::pair<std::string, double>>> NumbersOf(
    const std::vector<Observable>& observables, const std::vector<Look>& looks);

}  // namespace hone::app
