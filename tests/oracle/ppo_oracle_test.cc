// SPDX-License-Identifier: Apache-2.0
// PPO and its parts against PyTorch's numbers in double precision; see ppo_reference.py.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/process/subprocess.h"
#include "hone/env/classic_control.h"
#include "hone/learn/ppo.h"

namespace hone {
namespace {

constexpr double kTolerance = 1e-11;
constexpr double kPolygammaTolerance = 1e-9;  // PyTorch's own is exact to about 1e-10 only.

const Json& Reference() {
  static const Json json = [] {
    const auto text = ReadFile(HONE_PPO_REFERENCE);
    EXPECT_TRUE(text) << text.error().message;
    return *ParseJson(*text, HONE_PPO_REFERENCE);
  }();
  return json;
}

std::vector<double> Numbers(const Json& json) { return json.get<std::vector<double>>(); }

void ExpectNear(const std::vector<double>& found, const std::vector<double>& expected,
                double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance) << what << " " << i;
  }
}

std::unique_ptr<learn::ActionPart> PartNamed(const std::string& kind, std::size_t features) {
  if (kind == "gaussian") return learn::MakeGaussianPart(-1, 1, -0.3);
  if (kind == "squashed") return learn::MakeSquashedPart(-0.3);
  if (kind == "sde") return learn::MakeSdePart(-1, 1, features, -0.3, false);
  if (kind == "squashed_sde") return learn::MakeSdePart(-1, 1, features, -0.3, true);
  if (kind == "beta") return learn::MakeBetaPart();
  return nullptr;
}

TEST(PpoOracleTest, AdvantagesEqualTheirDefinition) {
  for (const Json& each : Reference().at("advantages")) {
    learn::Rollout rollout;
    rollout.environments = each.at("environments").get<std::size_t>();
    rollout.rewards = Numbers(each.at("rewards"));
    rollout.values = Numbers(each.at("values"));
    for (const int end : each.at("ends").get<std::vector<int>>()) rollout.ends.push_back(end != 0);
    const learn::Advantages found =
        learn::EstimateAdvantages(rollout, Numbers(each.at("last_values")),
                                  each.at("gamma").get<double>(), each.at("lambda").get<double>());
    ExpectNear(found.advantages, Numbers(each.at("advantages")), kTolerance, "advantage");
    ExpectNear(found.returns, Numbers(each.at("returns")), kTolerance, "return");
  }
}

TEST(PpoOracleTest, LogProbabilitiesEntropiesAndTheirGradientsEqualAutograd) {
  for (const Json& each : Reference().at("parts")) {
    const auto kind = each.at("kind").get<std::string>();
    const auto outputs = Numbers(each.at("outputs"));
    const auto free = Numbers(each.at("free"));
    const auto features = Numbers(each.at("features"));
    std::vector<double> spreads;
    for (const double log : free) spreads.push_back(std::exp(log));
    const learn::PartInput input{.outputs = outputs,
                                 .free = free,
                                 .spreads = spreads,
                                 .features = features,
                                 .noise = {},
                                 .allowed = {}};
    const auto part = kind == "category" ? learn::MakeCategoryPart(outputs.size())
                                         : PartNamed(kind, features.size());
    const double action = each.at("action").get<double>();
    const learn::LogTerms terms = part->Evaluate(input, action);
    EXPECT_NEAR(terms.log_prob, each.at("log_prob").get<double>(), kTolerance) << kind;
    EXPECT_NEAR(terms.entropy, each.at("entropy").get<double>(), kTolerance) << kind;
    std::vector<double> by_outputs(outputs.size(), 0);
    std::vector<double> by_free(free.size(), 0);
    part->Differentiate(input, action, 0.7, 0.3, {.outputs = by_outputs, .free = by_free});
    ExpectNear(by_outputs, Numbers(each.at("by_outputs")),
               kind == "beta" ? kPolygammaTolerance : kTolerance, kind);
    ExpectNear(by_free, Numbers(each.at("by_free")), kTolerance, kind);
  }
}

learn::PpoSettings SettingsOf(const Json& each) {
  learn::PpoSettings settings;
  settings.learning_rate = {each.at("learning_rate").get<double>(), false};
  settings.clip_range = {each.at("clip_range").get<double>(), false};
  if (!each.at("clip_range_vf").is_null()) {
    settings.clip_range_vf = learn::Schedule{each.at("clip_range_vf").get<double>(), false};
  }
  if (!each.at("target_kl").is_null()) settings.target_kl = each.at("target_kl").get<double>();
  settings.vf_coef = each.at("vf_coef").get<double>();
  settings.ent_coef = each.at("ent_coef").get<double>();
  settings.max_grad_norm = each.at("max_grad_norm").get<double>();
  settings.n_epochs = each.at("n_epochs").get<std::int64_t>();
  settings.batch_size = each.at("rows").get<std::int64_t>();
  settings.net_arch = each.at("hidden").get<std::vector<std::int64_t>>();
  settings.activation_fn =
      each.at("activation_fn") == "tanh" ? learn::Activation::kTanh : learn::Activation::kRelu;
  settings.precision = learn::Precision::kDouble;
  return settings;
}

struct Case {
  learn::PpoSettings settings;
  std::unique_ptr<learn::PpoLearner> learner;
  learn::Rollout rollout;
  learn::Advantages advantages;
};

Case CaseOf(const Json& each) {
  Case made;
  made.settings = SettingsOf(each);
  std::vector<std::unique_ptr<learn::ActionPart>> parts;
  for (const auto& kind : each.at("kinds").get<std::vector<std::string>>()) {
    parts.push_back(kind == "category"
                        ? learn::MakeCategoryPart(3)
                        : PartNamed(kind, static_cast<std::size_t>(made.settings.net_arch.back())));
  }
  made.learner = std::make_unique<learn::PpoLearner>(made.settings, 3,
                                                     learn::ActionDistribution(std::move(parts)));
  made.learner->network().SetListed(Numbers(each.at("start")));
  made.rollout.observations = Numbers(each.at("observations"));
  made.rollout.actions = Numbers(each.at("actions"));
  made.rollout.log_probs = Numbers(each.at("old_log_probs"));
  made.rollout.values = Numbers(each.at("values"));
  made.rollout.rewards.assign(made.rollout.values.size(), 0);
  made.rollout.ends.assign(made.rollout.values.size(), true);
  made.advantages = {Numbers(each.at("advantages")), Numbers(each.at("returns"))};
  return made;
}

TEST(PpoOracleTest, OneFullUpdateEqualsPyTorchs) {
  for (const Json& each : Reference().at("updates")) {
    const std::string what = each.at("kinds").dump();
    Case subject = CaseOf(each);
    const learn::UpdateReport report =
        subject.learner->Update(subject.rollout, subject.advantages, 1, Rng(1));
    EXPECT_EQ(report.minibatches, each.at("minibatches").get<std::int64_t>()) << what;
    ExpectNear({report.policy_loss, report.value_loss, report.entropy_loss, report.approx_kl,
                report.clip_fraction},
               Numbers(each.at("losses")), 1e-9, what);
    ExpectNear(subject.learner->network().Listed(), Numbers(each.at("end")), 1e-9, what);
  }
}

TEST(PpoOracleTest, TheFirstGradientEqualsAutograds) {
  for (const Json& each : Reference().at("updates")) {
    Json once = each;
    once["n_epochs"] = 1;
    Case subject = CaseOf(once);
    static_cast<void>(subject.learner->Update(subject.rollout, subject.advantages, 1, Rng(1)));
    ExpectNear(subject.learner->network().ListedGradient(), Numbers(each.at("first_gradient")),
               kTolerance, each.at("kinds").dump());
  }
}

TEST(PpoOracleTest, MotionsEqualThoseOfGymnasiumsEquations) {
  for (const Json& each : Reference().at("motions")) {
    const auto name = each.at("name").get<std::string>();
    const auto environment = *env::MakeClassicControl(name);
    ExpectNear(*environment->Reset(1), Numbers(each.at("start")), 1e-15, name);
    for (const Json& step : each.at("steps")) {
      const std::vector<double> action = {step.at("unit").get<double>()};
      const auto transition = environment->Step(action);
      ASSERT_TRUE(transition);
      ExpectNear(transition->observation, Numbers(step.at("observation")), 1e-8, name);
      EXPECT_NEAR(transition->reward, step.at("reward").get<double>(), 1e-8) << name;
      EXPECT_EQ(transition->is_terminated, step.at("is_terminated").get<bool>()) << name;
    }
  }
}

TEST(PpoOracleTest, PyTorchStillSaysTheSame) {
  Command command;
  command.arguments = {"/usr/bin/python3", HONE_PPO_SCRIPT, "--check", HONE_PPO_REFERENCE};
  const auto done = RunProcess(command);
  if (!done) GTEST_SKIP() << "needs /usr/bin/python3 with python3-torch: " << done.error().message;
  if (done->status == 77) GTEST_SKIP() << "needs the Debian package python3-torch";
  EXPECT_EQ(done->status, 0) << done->output << done->errors;
}

}  // namespace
}  // namespace hone
