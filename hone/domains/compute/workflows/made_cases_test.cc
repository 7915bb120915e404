// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/workflows/made_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMade = R"({"workflow": "kernel_simple", "backend": "torch",
  "reference": "def get_cases(): …"})";

// Makes one case with an input and an output, and says how close is close.
class CaseMaker final : public Runner {
 public:
  CaseMaker(double rtol, double atol) : header_{1, 1, 1, rtol, atol} {}

  Result<CallReport> Call(const CallOrder&) override { return CallReport{}; }
  Result<CallReport> CallNothing() override { return CallReport{}; }
  Result<CallReport> MakeInputs(std::uint64_t, std::chrono::nanoseconds) override {
    CallReport report;
    report.outputs = {Tensor::Zeros({"header", DType::kF64, {5}}),
                      Tensor::Zeros({"x", DType::kF32, {2}}),
                      Tensor::Zeros({"out", DType::kF32, {2}})};
    std::ranges::copy(header_, report.outputs[0].As<double>().begin());
    return report;
  }
  std::chrono::nanoseconds Used() const override { return {}; }
  void Pin(const std::vector<int>&) override {}

 private:
  std::vector<double> header_;
};

class CaseMakersBackend final : public Backend {
 public:
  CaseMakersBackend(double rtol, double atol) : rtol_(rtol), atol_(atol) {}

  const BackendFacts& Facts() const override { return facts_; }
  Result<void> Check(const Problem&) const override { return {}; }
  Result<Build> Compile(const BuildOrder&) override {
    Build build;
    build.artefact = std::make_shared<Artefact>();
    return build;
  }
  Result<Loaded> Load(const LoadOrder&) override {
    return Loaded{std::make_unique<CaseMaker>(rtol_, atol_), {}};
  }

 private:
  BackendFacts facts_;
  double rtol_;
  double atol_;
};

Result<std::vector<SharedTrial>> MadeWith(double rtol, double atol) {
  CaseMakersBackend backend(rtol, atol);
  auto context = std::make_shared<WorkflowContext>();
  context->problem = ParseProblem(kMade, "p").value();
  context->backend = &backend;
  SessionBuilds builds(std::move(context));
  return MakeCases(builds, std::chrono::seconds{1}, {});
}

TEST(MadeCasesTest, TolerancesOfTheProblemsCodeAreTaken) {
  const auto made = MadeWith(0.5, -1);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->size(), 1U);
  EXPECT_EQ((*made)[0]->tolerances[0].rtol, 0.5);
  EXPECT_EQ((*made)[0]->tolerances[0].atol, 1e-5);
}

TEST(MadeCasesTest, ToleranceThatIsNotFiniteIsTheProblemsFault) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const auto& made : {MadeWith(bad, 0.5), MadeWith(0.5, bad)}) {
      ASSERT_FALSE(made);
      EXPECT_EQ(made.error().code, Errc::kInvalidArgument);
      EXPECT_THAT(made.error().message, HasSubstr("a tolerance is not a finite number"));
    }
  }
}

}  // namespace
}  // namespace hone::compute
