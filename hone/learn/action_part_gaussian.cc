// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "hone/learn/action_part.h"
#include "hone/learn/special_functions.h"

namespace hone::learn {
namespace {

constexpr double kSdeFloor = 1e-6;  // Added to the variance, as Stable-Baselines3 does.

double HalfLogTwoPi() { return 0.5 * std::log(2 * std::numbers::pi); }

// log of 1 - tanh(u)², which is the derivative of tanh.
double LogSlope(double u) { return 2 * (std::numbers::ln2 - u - Softplus(-2 * u)); }

// A normal variable, by its mean and the logarithm of its standard deviation.
LogTerms NormalTerms(double mean, double log_std, double action) {
  const double z = (action - mean) * std::exp(-log_std);
  return {.log_prob = -0.5 * z * z - log_std - HalfLogTwoPi(),
          .entropy = 0.5 + HalfLogTwoPi() + log_std};
}

struct NormalSlopes {
  double by_mean = 0;
  double by_log_std = 0;
};

NormalSlopes SlopesOfNormal(double mean, double log_std, double action) {
  const double z = (action - mean) * std::exp(-log_std);
  return {.by_mean = z * std::exp(-log_std), .by_log_std = z * z - 1};
}

class GaussianPart final : public ActionPart {
 public:
  GaussianPart(double low, double high, double initial_log_std)
      : low_(low), high_(high), initial_log_std_(initial_log_std) {}

  std::size_t outputs() const override { return 1; }
  std::size_t free_count() const override { return 1; }
  double initial_free() const override { return initial_log_std_; }

  double Sample(const PartInput& in, Rng& rng) const override {
    return in.outputs[0] + in.spreads[0] * rng.Normal();
  }
  double Mode(const PartInput& in) const override { return in.outputs[0]; }
  double ToUnit(double action) const override { return (action - low_) / (high_ - low_); }

  LogTerms Evaluate(const PartInput& in, double action) const override {
    return NormalTerms(in.outputs[0], in.free[0], action);
  }

  void Differentiate(const PartInput& in, double action, double by_log_prob, double by_entropy,
                     const PartGradient& gradient) const override {
    const NormalSlopes slopes = SlopesOfNormal(in.outputs[0], in.free[0], action);
    gradient.outputs[0] += by_log_prob * slopes.by_mean;
    gradient.free[0] += by_log_prob * slopes.by_log_std + by_entropy;
  }

 private:
  double low_;
  double high_;
  double initial_log_std_;
};

class SquashedPart final : public ActionPart {
 public:
  explicit SquashedPart(double initial_log_std) : initial_log_std_(initial_log_std) {}

  std::size_t outputs() const override { return 1; }
  std::size_t free_count() const override { return 1; }
  double initial_free() const override { return initial_log_std_; }

  double Sample(const PartInput& in, Rng& rng) const override {
    return in.outputs[0] + in.spreads[0] * rng.Normal();
  }
  double Mode(const PartInput& in) const override { return in.outputs[0]; }
  double ToUnit(double action) const override { return 0.5 * (1 + std::tanh(action)); }

  LogTerms Evaluate(const PartInput& in, double action) const override {
    const double log_prob =
        NormalTerms(in.outputs[0], in.free[0], action).log_prob - LogSlope(action);
    return {.log_prob = log_prob, .entropy = -log_prob};
  }

  void Differentiate(const PartInput& in, double action, double by_log_prob, double by_entropy,
                     const PartGradient& gradient) const override {
    const NormalSlopes slopes = SlopesOfNormal(in.outputs[0], in.free[0], action);
    gradient.outputs[0] += (by_log_prob - by_entropy) * slopes.by_mean;
    gradient.free[0] += (by_log_prob - by_entropy) * slopes.by_log_std;
  }

 private:
  double initial_log_std_;
};

class SdePart final : public ActionPart {
 public:
  SdePart(double low, double high, std::size_t features, double initial_log_std, bool is_squashed)
      : low_(low),
        high_(high),
        features_(features),
        initial_log_std_(initial_log_std),
        is_squashed_(is_squashed) {}

  std::size_t outputs() const override { return 1; }
  std::size_t free_count() const override { return features_; }
  double initial_free() const override { return initial_log_std_; }
  std::size_t noise_count() const override { return features_; }

  void DrawNoise(std::span<const double> spreads, std::span<double> noise,
                 Rng& rng) const override {
    for (std::size_t i = 0; i < features_; ++i) noise[i] = spreads[i] * rng.Normal();
  }

  double Sample(const PartInput& in, Rng&) const override {
    double action = in.outputs[0];
    for (std::size_t i = 0; i < features_; ++i) action += in.features[i] * in.noise[i];
    return action;
  }
  double Mode(const PartInput& in) const override { return in.outputs[0]; }

  double ToUnit(double action) const override {
    if (is_squashed_) return 0.5 * (1 + std::tanh(action));
    return (action - low_) / (high_ - low_);
  }

  LogTerms Evaluate(const PartInput& in, double action) const override {
    LogTerms terms = NormalTerms(in.outputs[0], 0.5 * std::log(Variance(in)), action);
    if (is_squashed_) {
      terms.log_prob -= LogSlope(action);
      terms.entropy = -terms.log_prob;
    }
    return terms;
  }

  // The features count as given: the exploration does not shape the network.
  void Differentiate(const PartInput& in, double action, double by_log_prob, double by_entropy,
                     const PartGradient& gradient) const override {
    const double variance = Variance(in);
    const NormalSlopes slopes = SlopesOfNormal(in.outputs[0], 0.5 * std::log(variance), action);
    const double by_probability = is_squashed_ ? by_log_prob - by_entropy : by_log_prob;
    const double by_spread = by_probability * slopes.by_log_std + (is_squashed_ ? 0 : by_entropy);
    gradient.outputs[0] += by_probability * slopes.by_mean;
    for (std::size_t i = 0; i < features_; ++i) {
      gradient.free[i] += by_spread * Share(in, i) / variance;
    }
  }

 private:
  static double Share(const PartInput& in, std::size_t i) {
    const double part = in.features[i] * in.spreads[i];
    return part * part;
  }

  double Variance(const PartInput& in) const {
    double sum = kSdeFloor;
    for (std::size_t i = 0; i < features_; ++i) sum += Share(in, i);
    return sum;
  }

  double low_;
  double high_;
  std::size_t features_;
  double initial_log_std_;
  bool is_squashed_;
};

}  // namespace

void ActionPart::DrawNoise(std::span<const double>, std::span<double>, Rng&) const {}

std::unique_ptr<ActionPart> MakeGaussianPart(double low, double high, double initial_log_std) {
  return std::make_unique<GaussianPart>(low, high, initial_log_std);
}

std::unique_ptr<ActionPart> MakeSquashedPart(double initial_log_std) {
  return std::make_unique<SquashedPart>(initial_log_std);
}

std::unique_ptr<ActionPart> MakeSdePart(double low, double high, std::size_t features,
                                        double initial_log_std, bool is_squashed) {
  return std::make_unique<SdePart>(low, high, features, initial_log_std, is_squashed);
}

}  // namespace hone::learn
