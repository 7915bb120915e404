// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "hone/base/clock.h"
#include "hone/domains/toy/toy_faults.h"
#include "hone/domains/toy/toy_noise.h"
#include "hone/domains/toy/toy_options.h"
#include "hone/domains/toy/toy_surface.h"

namespace hone {
namespace toy {
namespace {

constexpr char kSummary[] = "A made-up system whose true optimum is known: no root needed.";

// The noise of a share between 0 and 1 is this much smaller than that of a rate.
constexpr double kStabilityNoise = 0.25;

// What all sessions of a domain share and none changes.
struct ToyContext {
  ToyContext(const ToyOptions& from, Surface made)
      : options(from), surface(std::move(made)), noise(from.noise), faults(from, surface) {}
  ToyContext(const ToyContext&) = delete;  // `faults` refers to `surface`.

  ToyOptions options;
  Surface surface;
  Noise noise;
  FaultPlan faults;
};

RunResult Failure(Outcome outcome, std::string reason, std::vector<Evidence> evidence = {}) {
  return {outcome, std::move(reason), {}, std::move(evidence)};
}

class ToySession final : public Session {
 public:
  explicit ToySession(std::shared_ptr<const ToyContext> context) : context_(std::move(context)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& /*stop*/) override {
    if (!candidate.source.empty()) {
      return Failure(Outcome::kRejected, "toy: a candidate has parameters, not a source text");
    }
    if (const auto valid = context_->surface.space().Validate(candidate.assignment); !valid) {
      return Failure(Outcome::kRejected, valid.error().message);
    }
    if (context_->faults.OfPreparing(candidate) == Fault::kBuild) {
      return Failure(Outcome::kBuildFailed, "toy: the build failed, as asked for",
                     {{"build log", "error: this candidate does not build"}});
    }
    return RunResult{};
  }

  Result<RunResult> Run(const RunOrder& order) override {
    const WallTime started = SystemClock().Wall();
    const auto begin = SystemClock().Now();
    const Fault fault = context_->faults.OfRun(order);
    const bool is_late = fault == Fault::kHang || context_->options.duration > order.limit;
    SleepUntilStop(SystemClock(), is_late ? order.limit : context_->options.duration, order.stop);
    if (order.stop.stop_requested()) return Failure(Outcome::kTimedOut, "toy: asked to stop");
    if (is_late) {
      return Failure(Outcome::kTimedOut,
                     fmt::format("toy: still running after {} ms", order.limit.count()));
    }
    const Truth truth = context_->surface.At(order.candidate.assignment);
    if (truth.is_crash || fault == Fault::kCrash) {
      return Failure(Outcome::kCrashed, "toy: the run crashed",
                     {{"standard error", "Segmentation fault (made up)"}});
    }
    RunResult result;
    result.sample = Measure(truth, order);
    if (fault == Fault::kMissing) result.sample.metrics.erase("throughput");
    if (fault == Fault::kGarbage) {
      result.sample.metrics["throughput"].value = std::numeric_limits<double>::quiet_NaN();
    }
    result.sample.started = started;
    result.sample.duration =
        std::chrono::duration_cast<std::chrono::microseconds>(SystemClock().Now() - begin);
    return result;
  }

 private:
  Sample Measure(const Truth& truth, const RunOrder& order) const {
    const auto loss = [&](std::uint64_t stream) {
      return context_->noise.LossAt(order.seed, order.position, stream);
    };
    const double level = context_->noise.LevelAt(order.position);
    const double throughput = truth.throughput * std::exp(level - loss(0));
    const double latency_ms = truth.latency_ms * std::exp(loss(1) - level);
    const double stability = std::min(1.0, truth.stability * std::exp(-kStabilityNoise * loss(2)));

    Sample sample;
    sample.arm = order.arm;
    sample.metrics = {{"throughput", {.value = throughput}},
                      {"latency_ms", {.value = latency_ms}},
                      {"stability", {.value = stability}}};
    // Little's law.
    sample.observations = {{"requests_in_flight", throughput * latency_ms / 1000},
                           {"machine_level", std::exp(level)}};
    return sample;
  }

  std::shared_ptr<const ToyContext> context_;
};

class ToyDomain final : public Domain {
 public:
  explicit ToyDomain(std::shared_ptr<const ToyContext> context) : context_(std::move(context)) {
    facts_.name = "toy";
    facts_.summary = kSummary;
    facts_.metrics = {
        {"throughput", "ops/s", Direction::kHigherIsBetter, "Operations completed per second."},
        {"latency_ms", "ms", Direction::kLowerIsBetter, "Mean time of an operation."},
        {"stability", "1", Direction::kHigherIsBetter, "Share of the time at full speed."}};
    facts_.is_deterministic = true;
    facts_.expected_run = context_->options.duration;
  }

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return context_->surface.space(); }
  Candidate Baseline() const override { return {context_->surface.space().Defaults(), ""}; }

  Result<std::unique_ptr<Session>> Open() override {
    return std::make_unique<ToySession>(context_);
  }

 private:
  DomainFacts facts_;
  std::shared_ptr<const ToyContext> context_;
};

Result<std::unique_ptr<Domain>> MakeToyDomain(const Options& options) {
  const auto read = ReadToyOptions(options);
  if (!read) return read.error();
  auto surface = Surface::Make(read->surface, read->gain);
  if (!surface) return surface.error();
  return std::make_unique<ToyDomain>(
      std::make_shared<const ToyContext>(*read, std::move(*surface)));
}

}  // namespace
}  // namespace toy

DomainEntry ToyDomainEntry() {
  return {"toy", toy::kSummary, toy::ToyOptionFacts(), toy::MakeToyDomain};
}

}  // namespace hone
