// SPDX-License-Identifier: Apache-2.0
// The order of steps, on runners without processes.
#include "hone/domains/compute/workflows/kernel_simple.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/runner/fake_runner_for_test.h"
#include "hone/domains/compute/shared_state.h"
#include "hone/testing/fake_clock.h"

namespace hone::compute {
namespace {

constexpr const char* kTwiceOfOneCase = R"({"workflow": "kernel_simple", "sizes": ["n"],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}],
  "cases": [{"name": "one", "sizes": {"n": 2}, "inputs": [[1, 2]], "outputs": [[2, 4]]}]})";

struct Lives {
  int candidates = 0;  // That live.
  int most = 0;        // That lived at a time.
};

void DoubleOne(std::span<const Tensor> inputs, Tensors& outputs) {
  for (std::int64_t i = 0; i < inputs[0].spec.Count(); ++i) {
    SetElement(outputs[0], i, 2 * ElementAt(inputs[0], i));
  }
}

// A candidate that is counted as long as it lives.
class CountedRunner final : public Runner {
 public:
  CountedRunner(Lives& lives, std::unique_ptr<Runner> real)
      : lives_(lives), real_(std::move(real)) {
    lives_.most = std::max(lives_.most, ++lives_.candidates);
  }
  CountedRunner(const CountedRunner&) = delete;
  CountedRunner& operator=(const CountedRunner&) = delete;
  ~CountedRunner() override { --lives_.candidates; }

  Result<CallReport> Call(const CallOrder& order) override { return real_->Call(order); }
  Result<CallReport> CallNothing() override { return real_->CallNothing(); }
  std::chrono::nanoseconds Used() const override { return real_->Used(); }
  void Pin(const std::vector<int>&) override {}

 private:
  Lives& lives_;
  std::unique_ptr<Runner> real_;
};

class CountingBackend final : public Backend {
 public:
  explicit CountingBackend(Lives& lives) : lives_(lives) { facts_.loads_fast = true; }

  const BackendFacts& Facts() const override { return facts_; }
  Result<void> Check(const Problem&) const override { return {}; }
  Result<Build> Compile(const BuildOrder&) override {
    Build build;
    build.artefact = std::make_shared<Artefact>();
    return build;
  }
  Result<Loaded> Load(const LoadOrder& order) override {
    std::unique_ptr<Runner> runner = std::make_unique<FakeRunner>(
        clock_, DoubleOne, [](std::int64_t) { return FakeRunner::Behaviour{100'000}; });
    if (order.artefact) runner = std::make_unique<CountedRunner>(lives_, std::move(runner));
    return Loaded{std::move(runner), {}};
  }
  MachinePeak Peak() const override { return {1e6, 1e6}; }

 private:
  Lives& lives_;
  BackendFacts facts_;
  FakeClock clock_;
};

RunResult JudgeCounted(Lives& lives, const std::string& problem) {
  CountingBackend backend(lives);
  auto context = std::make_shared<WorkflowContext>();
  context->problem = ParseProblem(problem, "p").value();
  context->backend = &backend;
  const auto session = KernelSimpleEntry().open(context);
  auto result = session->Run({Arm::kCandidate, {{}, "source"}, 1, 0, std::chrono::seconds{30}, {}});
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : RunResult{};
}

// By locks, or whatever else two processes see of each other, it would tell them the answers.
TEST(KernelSimpleTest, ProcessThatHasSeenTheCasesIsGoneWhenOthersAreToSeeThemFirst) {
  Lives lives;
  const RunResult result = JudgeCounted(lives, kTwiceOfOneCase);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << result.reason;
  EXPECT_EQ(lives.most, 1);
  EXPECT_EQ(lives.candidates, 0);
}

}  // namespace
}  // namespace hone::compute
