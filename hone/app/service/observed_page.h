// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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

// One number for each observable, from looks at the page as they come. Of a page it keeps only what
// the numbers need, so that one may look often and for long.
class PageObserver {
 public:
  explicit PageObserver(const std::vector<Observable>& observables);

  // `seconds` since whenever, growing. kInvalidArgument: the page has no such thing, and what it
  // has instead. kUnavailable: there is no number for this stretch of time, since the service was
  // restarted.
  Result<void> Look(const std::string& page, double seconds);

  // In the order of the observables. kUnavailable: the service had nothing to do, or its number is
  // not finite. It takes two looks at least.
  Result<std::vector<std::pair<std::string, double>>> Numbers() const;

 private:
  // How many were at most so large, by the bound.
  using Buckets = std::map<double, double>;

  // What the looks so far have come to.
  struct Seen {
    Observable observable;
    double sum = 0;  // Of values.
    double first = 0;
    double last = 0;
    Buckets first_buckets{};
    Buckets last_buckets{};
  };

  Result<void> LookFor(Seen& seen, const std::string& page) const;
  Result<void> AddBuckets(Seen& seen, const std::string& page) const;
  Result<double> NumberOf(const Seen& seen) const;
  static Result<double> QuantileOf(const Seen& seen);

  std::vector<Seen> seen_;
  std::int64_t looks_ = 0;
  double began_ = 0;
  double ended_ = 0;
};

}  // namespace hone::app
