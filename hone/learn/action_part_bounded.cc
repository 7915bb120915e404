// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "hone/core/check.h"
#include "hone/learn/action_part.h"
#include "hone/learn/special_functions.h"

namespace hone::learn {
namespace {

constexpr double kEdge = 1e-6;  // Actions keep off the bounds by so much; a log-probability is
                                // finite there.

// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000; shape >= 1.
double GammaVariable(double shape, Rng& rng) {
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = rng.Normal();
    const double v = std::pow(1 + c * x, 3);
    const double u = rng.Uniform();
    if (v > 0 && std::log(1 - u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

class BetaPart final : public ActionPart {
 public:
  std::size_t outputs() const override { return 2; }

  double Sample(const PartInput& in, Rng& rng) const override {
    const double a = GammaVariable(Shape(in, 0), rng);
    const double b = GammaVariable(Shape(in, 1), rng);
    return std::clamp(a / (a + b), kEdge, 1 - kEdge);
  }

  // Where both shapes are 1 every point is a mode; this one is the middle.
  double Mode(const PartInput& in) const override {
    const double a = Softplus(in.outputs[0]);
    const double b = Softplus(in.outputs[1]);
    return a + b > 0 ? a / (a + b) : 0.5;
  }
  double ToUnit(double action) const override { return action; }

  LogTerms Evaluate(const PartInput& in, double x) const override {
    const double a = Shape(in, 0);
    const double b = Shape(in, 1);
    const double log_beta = LogGamma(a) + LogGamma(b) - LogGamma(a + b);
    return {.log_prob = (a - 1) * std::log(x) + (b - 1) * std::log1p(-x) - log_beta,
            .entropy = log_beta - (a - 1) * Digamma(a) - (b - 1) * Digamma(b) +
                       (a + b - 2) * Digamma(a + b)};
  }

  void Differentiate(const PartInput& in, double x, double by_log_prob, double by_entropy,
                     const PartGradient& gradient) const override {
    const double shapes[2] = {Shape(in, 0), Shape(in, 1)};
    const double sum = shapes[0] + shapes[1];
    const double logs[2] = {std::log(x), std::log1p(-x)};
    for (std::size_t i = 0; i < 2; ++i) {
      const double log_prob = logs[i] - Digamma(shapes[i]) + Digamma(sum);
      const double entropy = -(shapes[i] - 1) * Trigamma(shapes[i]) + (sum - 2) * Trigamma(sum);
      gradient.outputs[i] +=
          (by_log_prob * log_prob + by_entropy * entropy) * Sigmoid(in.outputs[i]);
    }
  }

 private:
  static double Shape(const PartInput& in, std::size_t i) { return 1 + Softplus(in.outputs[i]); }
};

class CategoryPart final : public ActionPart {
 public:
  explicit CategoryPart(std::size_t choices) : choices_(choices) {}

  std::size_t outputs() const override { return choices_; }
  std::size_t choices() const override { return choices_; }

  double Sample(const PartInput& in, Rng& rng) const override {
    const double log_sum = LogSum(in);
    double left = rng.Uniform();
    std::size_t last = choices_;
    for (std::size_t i = 0; i < choices_; ++i) {
      if (!IsAllowed(in, i)) continue;
      last = i;
      left -= std::exp(in.outputs[i] - log_sum);
      if (left < 0) break;
    }
    HONE_CHECK(last < choices_);  // One choice at least is allowed.
    return static_cast<double>(last);
  }

  double Mode(const PartInput& in) const override {
    std::size_t best = choices_;
    for (std::size_t i = 0; i < choices_; ++i) {
      if (IsAllowed(in, i) && (best == choices_ || in.outputs[i] > in.outputs[best])) best = i;
    }
    return static_cast<double>(best);
  }

  double ToUnit(double action) const override {
    return (action + 0.5) / static_cast<double>(choices_);
  }

  LogTerms Evaluate(const PartInput& in, double action) const override {
    const double log_sum = LogSum(in);
    LogTerms terms{.log_prob = in.outputs[static_cast<std::size_t>(action)] - log_sum,
                   .entropy = 0};
    for (std::size_t i = 0; i < choices_; ++i) {
      if (!IsAllowed(in, i)) continue;
      const double log_prob = in.outputs[i] - log_sum;
      terms.entropy -= std::exp(log_prob) * log_prob;
    }
    return terms;
  }

  void Differentiate(const PartInput& in, double action, double by_log_prob, double by_entropy,
                     const PartGradient& gradient) const override {
    const double log_sum = LogSum(in);
    const double entropy = by_entropy == 0 ? 0 : Evaluate(in, action).entropy;
    const auto chosen = static_cast<std::size_t>(action);
    for (std::size_t i = 0; i < choices_; ++i) {
      if (!IsAllowed(in, i)) continue;
      const double log_prob = in.outputs[i] - log_sum;
      const double p = std::exp(log_prob);
      gradient.outputs[i] +=
          by_log_prob * ((i == chosen ? 1 : 0) - p) - by_entropy * p * (log_prob + entropy);
    }
  }

 private:
  static bool IsAllowed(const PartInput& in, std::size_t i) {
    return in.allowed.empty() || in.allowed[i] != 0;
  }

  double LogSum(const PartInput& in) const {
    double largest = -HUGE_VAL;
    for (std::size_t i = 0; i < choices_; ++i) {
      if (IsAllowed(in, i)) largest = std::max(largest, in.outputs[i]);
    }
    double sum = 0;
    for (std::size_t i = 0; i < choices_; ++i) {
      if (IsAllowed(in, i)) sum += std::exp(in.outputs[i] - largest);
    }
    return largest + std::log(sum);
  }

  std::size_t choices_;
};

}  // namespace

std::unique_ptr<ActionPart> MakeBetaPart() { return std::make_unique<BetaPart>(); }

std::unique_ptr<ActionPart> MakeCategoryPart(std::size_t choices) {
  return std::make_unique<CategoryPart>(choices);
}

}  // namespace hone::learn
