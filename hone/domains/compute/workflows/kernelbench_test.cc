// SPDX-License-Identifier: Apache-2.0
// The order of steps, on runners without processes.
#include "hone/domains/compute/workflows/kernelbench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/runner/fake_runner_for_test.h"
#include "hone/domains/compute/shared_state.h"
#include "hone/domains/compute/workflows/references.h"
#include "hone/testing/fake_clock.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwice = R"({"reference": "scalar", "sizes": ["n"], "shapes": [{"n": 64}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";

using Bytes = std::vector<std::byte>;

void Double(std::span<const Tensor> inputs, Tensors& outputs) {
  for (std::int64_t i = 0; i < inputs[0].spec.Count(); ++i) {
    SetElement(outputs[0], i, 2 * ElementAt(inputs[0], i));
  }
}

// What the runners of one evaluation do.
struct Play {
  bool loads_fast = true;
  bool is_candidate_bored = false;
  FakeRunner::Kernel candidate = Double;
  FakeRunner::Kernel high = Double;  // The reference in double precision.
  bool are_inputs_seeded = false;
  int references = 0;               // That were loaded, in the declared precision.
  int living = 0;                   // References, in any precision.
  double reference_ns = 1'000'000;  // As the judge sees it.
  double claimed_share = 1;         // Of the candidate's time, by its own clock.
  std::chrono::nanoseconds shortest_limit = std::chrono::hours{1};  // Of a call of a reference.
};

// Works whenever nobody has called it for a while.
class BoredRunner final : public Runner {
 public:
  BoredRunner(FakeClock& clock, std::unique_ptr<Runner> real)
      : clock_(clock), real_(std::move(real)) {}

  Result<CallReport> Call(const CallOrder& order) override {
    auto report = real_->Call(order);
    called_ = clock_.Now();
    return report;
  }
  Result<CallReport> CallNothing() override { return real_->CallNothing(); }
  std::chrono::nanoseconds Used() const override {
    const std::chrono::nanoseconds idle = clock_.Now() - called_ - kMaxIdle;
    return real_->Used() + std::max(idle, std::chrono::nanoseconds{0});
  }
  void Pin(const std::vector<int>&) override {}

 private:
  static constexpr std::chrono::milliseconds kMaxIdle{15};

  FakeClock& clock_;
  std::unique_ptr<Runner> real_;
  Clock::Monotonic called_ = clock_.Now();
};

// A reference that writes down how long its calls might take.
class LimitedRunner final : public Runner {
 public:
  LimitedRunner(Play& play, std::unique_ptr<Runner> real) : play_(play), real_(std::move(real)) {
    ++play_.living;
  }
  LimitedRunner(const LimitedRunner&) = delete;
  LimitedRunner& operator=(const LimitedRunner&) = delete;
  ~LimitedRunner() override { --play_.living; }

  Result<CallReport> Call(const CallOrder& order) override {
    play_.shortest_limit = std::min(play_.shortest_limit, order.limit);
    return real_->Call(order);
  }
  Result<CallReport> CallNothing() override { return real_->CallNothing(); }
  std::chrono::nanoseconds Used() const override { return real_->Used(); }
  void Pin(const std::vector<int>&) override {}

 private:
  Play& play_;
  std::unique_ptr<Runner> real_;
};

class PlayedBackend final : public Backend {
 public:
  explicit PlayedBackend(Play& play) : play_(play) {
    facts_.name = "cpp";
    facts_.has_high_precision = true;
    facts_.loads_fast = play.loads_fast;
  }

  const BackendFacts& Facts() const override { return facts_; }
  Result<void> Check(const Problem&) const override { return {}; }

  Result<Build> Compile(const BuildOrder& order) override {
    Build build;
    build.artefact = std::make_shared<Artefact>(Artefact{order.source, {}, {}, {}, {}});
    return build;
  }

  Result<Loaded> Load(const LoadOrder& order) override {
    const bool is_candidate = order.role == TensorRole::kCandidate;
    const bool is_high = order.precision == Precision::kHigh;
    // Processes with the same code differ, this time by 4 %.
    const double reference = play_.reference_ns * (1 + 0.04 * (play_.references % 2));
    FakeRunner::Behaviour behaviour{is_candidate ? 500'000 : reference};
    if (is_candidate) behaviour.claimed_share = play_.claimed_share;
    if (!is_candidate && !is_high) ++play_.references;
    std::unique_ptr<Runner> runner =
        std::make_unique<FakeRunner>(clock_,
                                     is_high        ? play_.high
                                     : is_candidate ? play_.candidate
                                                    : Double,
                                     [behaviour](std::int64_t) { return behaviour; });
    if (is_candidate && play_.is_candidate_bored) {
      runner = std::make_unique<BoredRunner>(clock_, std::move(runner));
    }
    if (!is_candidate) runner = std::make_unique<LimitedRunner>(play_, std::move(runner));
    return Loaded{std::move(runner), {}};
  }

  MachinePeak Peak() const override { return {1e6, 1e6}; }

 private:
  Play& play_;
  BackendFacts facts_;
  FakeClock clock_;
};

class KernelbenchTest : public ::testing::Test {
 protected:
  std::shared_ptr<SharedState> StateWith(Play& play) const {
    const BackendTable table = {
        {"cpp", {"cpp", "", {}, {}, [&play](const auto&) -> Result<std::unique_ptr<Backend>> {
                   return std::make_unique<PlayedBackend>(play);
                 }}}};
    return std::make_shared<SharedState>(folder_.path(), table);
  }

  Result<RunResult> TryToJudge(Play& play, std::chrono::milliseconds limit,
                               std::chrono::milliseconds min_limit_beside) {
    return TryToJudge(StateWith(play), limit, min_limit_beside, play.are_inputs_seeded);
  }

  static std::shared_ptr<WorkflowContext> ContextOver(std::shared_ptr<SharedState> state,
                                                      bool are_inputs_seeded) {
    auto context = std::make_shared<WorkflowContext>();
    context->problem = ParseProblem(kTwice, "p").value();
    context->shared = std::move(state);
    context->backend = context->shared->BackendNamed("cpp").value();
    context->settings.are_inputs_seeded = are_inputs_seeded;
    return context;
  }

  static Result<RunResult> TryToJudge(std::shared_ptr<SharedState> state,
                                      std::chrono::milliseconds limit,
                                      std::chrono::milliseconds min_limit_beside,
                                      bool are_inputs_seeded = false,
                                      const std::string& problem = "") {
    auto context = ContextOver(std::move(state), are_inputs_seeded);
    context->settings.min_limit_beside = min_limit_beside;
    context->terms.problem = problem;
    const auto session = KernelbenchEntry().open(context);
    return session->Run({Arm::kCandidate, {{}, "source"}, 1, 0, limit, {}});
  }

  RunResult Judge(Play& play, std::chrono::milliseconds limit = std::chrono::seconds{30}) {
    auto result = TryToJudge(play, limit, std::chrono::minutes{1});
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : RunResult{};
  }

  // How many references live when an evaluation is over, of a problem of this name, or of none.
  static int LivingAfter(Play& play, const std::shared_ptr<SharedState>& state,
                         const std::string& problem) {
    constexpr std::chrono::seconds kLimit{30};
    const auto result = TryToJudge(state, kLimit, kLimit, false, problem);
    EXPECT_TRUE(result && result->outcome == Outcome::kAccepted);
    return play.living;
  }

  // Every input that a candidate sees in an evaluation; the seed is always the same. Not those that
  // are all 0, as sparse ones may be: they are alike whoever drew them.
  std::set<Bytes> InputsSeen(bool are_seeded) {
    Play play{.are_inputs_seeded = are_seeded};
    std::set<Bytes> seen;
    play.candidate = [&seen](std::span<const Tensor> inputs, Tensors& outputs) {
      const Bytes& input = inputs[0].bytes;
      if (input != Bytes(input.size())) seen.insert(input);
      Double(inputs, outputs);
    };
    EXPECT_EQ(Judge(play).outcome, Outcome::kAccepted);
    return seen;
  }

  static Json Evidence(const RunResult& result, const std::string& what) {
    for (const auto& one : result.evidence) {
      if (one.what == what) return ParseJson(one.text, what).value();
    }
    return Json::object();
  }

  const TempDir folder_ = TempDir::Make("hone-kernelbench-test").value();
};

TEST_F(KernelbenchTest, CandidateIsLoadedWhenEqualsHaveBeenCompared) {
  Play play;
  const RunResult result = Judge(play);
  ASSERT_EQ(result.outcome, Outcome::kAccepted) << result.reason;
  EXPECT_THAT(
      Evidence(result, "phases")["order"],
      ::testing::ElementsAre("reference", "twins", "load", "correctness", "timing", "cheating"));
  EXPECT_GT(Evidence(result, "times").value("twin_reach", 0.0), 0.03);
}

// Who could keep equals from being compared would have too narrow an interval.
TEST_F(KernelbenchTest, CandidateThatWorksMeanwhileCannotKeepEqualsFromBeingCompared) {
  for (const bool loads_fast : {true, false}) {
    Play play{.loads_fast = loads_fast, .is_candidate_bored = true};
    const RunResult result = Judge(play);
    EXPECT_GT(Evidence(result, "times").value("twin_reach", 0.0), 0.03) << loads_fast;
  }
}

std::size_t CountShared(const std::set<Bytes>& one, const std::set<Bytes>& other) {
  std::vector<Bytes> shared;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(shared));
  return shared.size();
}

// Who asks may have written the kernel, with the answers to these inputs in it.
TEST_F(KernelbenchTest, WhoKnowsTheSeedKnowsNoInput) {
  const std::set<Bytes> one = InputsSeen(false);
  const std::set<Bytes> other = InputsSeen(false);
  EXPECT_GT(one.size(), 20U);
  EXPECT_EQ(CountShared(one, other), 0U);
}

TEST_F(KernelbenchTest, WhereInputsAreSeededOnlyThoseOfTheTrialsAre) {
  const std::set<Bytes> one = InputsSeen(true);
  const std::set<Bytes> other = InputsSeen(true);
  EXPECT_GT(one.size(), 20U);
  EXPECT_GE(CountShared(one, other), 1U);
  EXPECT_LE(CountShared(one, other), static_cast<std::size_t>(JudgeSettings{}.trials));
}

// The key of any other holds a seed that nobody draws again, and would only take up memory.
TEST_F(KernelbenchTest, OnlyTrialsOfSeededInputsAreKept) {
  for (const bool are_seeded : {true, false}) {
    Play play;
    SessionBuilds builds(ContextOver(StateWith(play), are_seeded));
    auto references = References::Open(builds, {}, {});
    ASSERT_TRUE(references) << references.error().message;
    const auto once = references->MakeTrial(0, 0, 7, std::chrono::seconds{30});
    const auto again = references->MakeTrial(0, 0, 7, std::chrono::seconds{30});
    ASSERT_TRUE(once && again);
    EXPECT_EQ(*once == *again, are_seeded);
  }
}

TEST_F(KernelbenchTest, ReferenceThatGivesOtherOutputsInAnotherRunIsTheProblemsFault) {
  Play play;
  play.high = [](std::span<const Tensor>, Tensors& outputs) { outputs.clear(); };
  const RunResult fewer = Judge(play);
  EXPECT_EQ(fewer.outcome, Outcome::kRejected) << fewer.reason;
  EXPECT_THAT(fewer.reason, HasSubstr("1 outputs, and 0 in another run"));
  play.high = [](std::span<const Tensor>, Tensors& outputs) {
    outputs[0] = Tensor::Zeros({"out", DType::kF64, {2}});
  };
  const RunResult shorter = Judge(play);
  EXPECT_EQ(shorter.outcome, Outcome::kRejected) << shorter.reason;
  EXPECT_THAT(shorter.reason, HasSubstr("f32 of shape [64], and f64 of shape [2] in another run"));
}

// Else the problem would be blamed where a run was given too little time.
TEST_F(KernelbenchTest, WhatTheCandidateHasLeftDoesNotLimitItsReference) {
  Play play;
  for (const int limit : {1, 10, 100}) Judge(play, std::chrono::milliseconds{limit});
  EXPECT_GT(play.shortest_limit, std::chrono::seconds{20});
}

TEST_F(KernelbenchTest, ReferenceThatTakesAllTheTimeIsNoFaultOfTheCandidate) {
  constexpr std::chrono::milliseconds kLimit{200};
  Play play;
  play.high = [&](std::span<const Tensor> inputs, Tensors& outputs) {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    while (std::chrono::steady_clock::now() < end) {
    }
    Double(inputs, outputs);
  };
  const auto result = TryToJudge(play, kLimit, kLimit);
  ASSERT_FALSE(result) << result->reason;
  EXPECT_EQ(result.error().code, Errc::kUnavailable);
  EXPECT_THAT(result.error().message, HasSubstr("the machine and the reference alone"));
}

// A cheat may make empty calls slow, which are subtracted: the reference then looks faster than it
// is, all that comes after it restless, for as long as it takes to forget.
TEST_F(KernelbenchTest, WhoCheatsTeachesNothingOfTheReferencesTime) {
  constexpr std::chrono::seconds kLimit{30};
  Play play;
  const auto state = StateWith(play);
  const std::string key = fmt::format("{} cpp scalar {}", static_cast<int>(CacheState::kFresh),
                                      ParseProblem(kTwice, "p").value().text);
  play.reference_ns = 250'000;
  play.claimed_share = 0.01;
  const auto cheat = TryToJudge(state, kLimit, kLimit);
  ASSERT_TRUE(cheat) << cheat.error().message;
  EXPECT_EQ(cheat->outcome, Outcome::kCheated) << cheat->reason;
  EXPECT_EQ(state->QuietNs(key), 0);
  play.reference_ns = 1'000'000;
  play.claimed_share = 1;
  const auto honest = TryToJudge(state, kLimit, kLimit);
  ASSERT_TRUE(honest) << honest.error().message;
  EXPECT_EQ(honest->outcome, Outcome::kAccepted) << honest->reason;
  EXPECT_NEAR(state->QuietNs(key), 1'000'000, 50'000);
}

// It is its sender's code, on the processors of the next evaluation.
TEST_F(KernelbenchTest, ReferenceThatWasSentEndsWithItsEvaluation) {
  for (const bool loads_fast : {true, false}) {
    Play play{.loads_fast = loads_fast};
    const auto state = StateWith(play);
    EXPECT_EQ(LivingAfter(play, state, ""), 0) << loads_fast;
    EXPECT_EQ(LivingAfter(play, state, ""), 0) << loads_fast;
  }
}

TEST_F(KernelbenchTest, ReferencesOfTheHousesProblemsServeTheNextEvaluationToo) {
  Play fast{.loads_fast = true};
  const auto state = StateWith(fast);
  EXPECT_EQ(LivingAfter(fast, state, "twice"), 1) << "the one in double precision";
  Play slow{.loads_fast = false};
  const auto other = StateWith(slow);
  EXPECT_EQ(LivingAfter(slow, other, "twice"), 2);
}

}  // namespace
}  // namespace hone::compute
