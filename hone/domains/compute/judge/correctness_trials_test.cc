// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hone/domains/compute/judge/correctness.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOneNumber = R"({"reference": "scalar",
  "inputs": [{"name": "x", "dtype": "f32", "shape": []}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": []}]})";

// Answers with the input, as the problem below wants it.
class CopyingRunner final : public Runner {
 public:
  Result<CallReport> Call(const CallOrder& order) override {
    CallReport report;
    report.outputs = {order.inputs[0]};
    return report;
  }
  Result<CallReport> CallNothing() override { return CallReport{}; }
  std::chrono::nanoseconds Used() const override { return {}; }
  void Pin(const std::vector<int>&) override {}
};

TimedCase CaseWith(float value) {
  TimedCase made;
  made.inputs = {Tensor::Zeros({"x", DType::kF32, {}})};
  made.inputs[0].As<float>()[0] = value;
  made.expected = made.inputs;
  made.declared = {made.inputs[0].spec};
  made.tolerances = {{}};
  return made;
}

class CorrectnessTrialsTest : public ::testing::Test {
 protected:
  Result<CorrectnessReport> Check(const Trials& trials) {
    return CheckCorrectness(runner_, {problem_, trials, 1, std::chrono::seconds{1}, {}});
  }

  const Problem problem_ = ParseProblem(kOneNumber, "p").value();
  CopyingRunner runner_;
};

TEST_F(CorrectnessTrialsTest, NoMoreThanOneTrialIsInMemoryAtATime) {
  std::vector<std::weak_ptr<const TimedCase>> made;
  std::size_t max_alive = 0;
  const Trials trials(1000, [&](std::size_t i) {
    std::size_t alive = 1;
    for (const auto& one : made) alive += one.expired() ? 0 : 1;
    max_alive = std::max(max_alive, alive);
    const SharedTrial trial = std::make_shared<TimedCase>(CaseWith(static_cast<float>(i)));
    made.push_back(trial);
    return Result<SharedTrial>(trial);
  });
  const auto report = Check(trials);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->passed, 1000);
  EXPECT_FALSE(report->is_cut);
  EXPECT_EQ(max_alive, 1U);
}

// The sum of finite differences may not be finite, and JSON has no word for that.
TEST_F(CorrectnessTrialsTest, DifferencesOfAnySizeCanBeReported) {
  TimedCase far_off;
  far_off.inputs = {Tensor::Zeros({"x", DType::kF64, {2}})};
  for (double& value : far_off.inputs[0].As<double>()) value = 1.7e308;
  far_off.expected = {Tensor::Zeros({"x", DType::kF64, {2}})};
  far_off.declared = {far_off.expected[0].spec};
  far_off.tolerances = {{0, 1.75e308}};
  const std::vector<SharedTrial> made = {std::make_shared<TimedCase>(far_off)};
  const auto report = Check(made);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->passed, 1);
  EXPECT_THAT(Dump(report->ToJson()), HasSubstr("\"avg_difference\":1.79"));
}

TEST_F(CorrectnessTrialsTest, TrialForWhichThereIsNoTimeCutsTheCheck) {
  int made = 0;
  const auto report = Check(Trials(10, [&](std::size_t) {
    return Result<SharedTrial>(++made > 3 ? nullptr : std::make_shared<TimedCase>(CaseWith(1)));
  }));
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->is_cut);
  EXPECT_FALSE(report->finding);
}

TEST_F(CorrectnessTrialsTest, AnotherTypeIsWrongInTheTrialsThoughItsValuesAreRight) {
  TimedCase finer = CaseWith(2);
  finer.expected[0] = Converted(finer.inputs[0], DType::kF64);
  CallReport call;
  call.outputs = {finer.expected[0]};
  call.outputs[0].spec.name = "output 0";
  const MaybeFinding finding = JudgeCall(problem_, finer, call);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->outcome, Outcome::kWrong);
  EXPECT_THAT(finding->reason, HasSubstr("output 0: expected f32 of shape [], found f64 of shape"));
}

TEST_F(CorrectnessTrialsTest, OutputsThatCameWithoutBytesAreToldByTypeAndShape) {
  CallReport call;
  call.outputs = {Tensor{{"output 0", DType::kF32, {1 << 20, 1 << 10}}, {}}};
  const MaybeFinding finding = JudgeCall(problem_, CaseWith(2), call);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->reason, HasSubstr("found f32 of shape [1048576, 1024]"));
}

TEST_F(CorrectnessTrialsTest, DegenerationIsWhatEveryTrialAccepts) {
  Degeneration degeneration;
  degeneration.See(std::make_shared<TimedCase>(CaseWith(0)));
  EXPECT_THAT(degeneration.Text(), HasSubstr("the constant 0 as output in all 1 trials"));
  degeneration.See(std::make_shared<TimedCase>(CaseWith(3)));
  EXPECT_THAT(degeneration.Text(), HasSubstr("a copy of input x as output in all 2 trials"));
}

// A case whose input is not its answer.
SharedTrial CaseThatAnswers(float input, std::vector<float> answers) {
  auto trial = std::make_shared<TimedCase>();
  trial->inputs = {Tensor::Zeros({"x", DType::kF32, {}})};
  trial->inputs[0].As<float>()[0] = input;
  trial->expected = {
      Tensor::Zeros({"out", DType::kF32, {static_cast<std::int64_t>(answers.size())}})};
  std::ranges::copy(answers, trial->expected[0].As<float>().begin());
  trial->tolerances = {{0, 1e-6}};
  return trial;
}

TEST_F(CorrectnessTrialsTest, MeanOfTheFirstAnswerIsAConstantThatOthersMayAccept) {
  Degeneration degeneration;
  degeneration.See(CaseThatAnswers(1, {5, 5}));
  EXPECT_EQ(degeneration.Text(), "") << "every scalar is its own mean: one trial tells nothing";
  degeneration.See(CaseThatAnswers(2, {5, 5}));
  EXPECT_THAT(degeneration.Text(), HasSubstr("the constant 5 as output in all 2 trials"));
  degeneration.See(CaseThatAnswers(3, {5, 6}));
  EXPECT_EQ(degeneration.Text(), "");
}

TEST_F(CorrectnessTrialsTest, AnswerToOtherInputsIsNoneOfItsOwn) {
  Degeneration degeneration;
  degeneration.See(CaseThatAnswers(1, {5, 7}));
  degeneration.See(CaseThatAnswers(2, {5, 7}));
  EXPECT_THAT(degeneration.Text(), HasSubstr("the answer to other inputs as output in all 2"));
  degeneration.See(CaseThatAnswers(3, {5, 8}));
  EXPECT_EQ(degeneration.Text(), "");
}

}  // namespace
}  // namespace hone::compute
