// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/compute_domain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/backends/cpp_backend.h"
#include "hone/domains/compute/judged_for_test.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/domain_contract.h"

namespace hone::compute {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFastAdd = R"(
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
)";

TEST(ComputeDomainTest, RightKernelIsAcceptedWithItsTimes) {
  const RunResult result = Judged("vector_add", kFastAdd);
  ASSERT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_GT(result.sample.metrics.at("time").value, 0);
  EXPECT_GT(result.sample.metrics.at("reference_time").value, 0);
  EXPECT_GT(result.sample.metrics.at("speedup").value, 0);
  const auto times = ParseJson(TextOf(result, "times"), "times");
  ASSERT_TRUE(times);
  EXPECT_EQ((*times)["candidate"]["times_ns"].size(), (*times)["reference"]["times_ns"].size());
  // The shape that is timed with five variants of its distributions, and three others.
  EXPECT_THAT(TextOf(result, "correctness"), HasSubstr("\"passed\":8"));
  EXPECT_THAT(TextOf(result, "phases"), HasSubstr("timing"));
}

TEST(ComputeDomainTest, WrongKernelIsToldTheFirstDifference) {
  const RunResult result = Judged("vector_add", R"(
extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = i == 0 ? a[i] + b[i] + 1 : a[i] + b[i];
}
)");
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_THAT(TextOf(result, "difference"), HasSubstr("out[0]: expected"));
  EXPECT_THAT(TextOf(result, "phases"), HasSubstr("\"failed_in\":\"correctness\""));
}

// With this seed the reference is by chance nearly exact in the first trial, and a tolerance from
// that alone refused one evaluation in four.
TEST(ComputeDomainTest, AnotherOrderOfSummationIsRightInEveryTimedCall) {
  JudgeOrder order{"sum", R"(
extern "C" void kernel(const float* x, float* out, int64_t n) {
  float sums[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int j = 0; j < 16; ++j) sums[j] += x[i + j];
  float sum = 0;
  for (; i < n; ++i) sum += x[i];
  for (float part : sums) sum += part;
  *out = sum;
}
)"};
  order.seed = 1;
  order.options = {{"timing_budget_ms", "100"}};
  for (int round = 0; round < 12; ++round) {
    const RunResult result = Judged(order);
    ASSERT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  }
}

TEST(ComputeDomainTest, RoundingToTf32IsRightOnlyWhereTheProblemAllowsIt) {
  constexpr const char* kProblem =
      R"({{"name": "product", "sizes": ["n"], "shapes": [{{"n": 4096}}],
    "inputs": [{{"name": "x", "dtype": "f32", "shape": ["n"], "distributions": ["normal"]}},
               {{"name": "y", "dtype": "f32", "shape": ["n"], "distributions": ["normal"]}}],
    "outputs": [{{"name": "out", "dtype": "f32", "shape": ["n"]}}],
    "reference": "extern \"C\" void kernel(const scalar* x, const scalar* y, scalar* out, int64_t n) {{ for (int64_t i = 0; i < n; ++i) out[i] = x[i] * y[i]; }}",
    "policy": {{"tf32": {}}}}})";
  JudgeOrder order{"", R"(
#include <bit>
#include <cstdint>
static float Rounded(float x, int bits) {
  const std::uint32_t half = 1u << (bits - 1);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + half) & ~((1u << bits) - 1));
}
extern "C" void kernel(const float* x, const float* y, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = Rounded(x[i], 13) * Rounded(y[i], 13);
}
)"};
  order.options = {{"samples", "0"}, {"problem_text", fmt::format(kProblem, "false")}};
  const RunResult refused = Judged(order);
  EXPECT_EQ(refused.outcome, Outcome::kWrong) << Told(refused);
  order.options["problem_text"] = fmt::format(kProblem, "true");
  const RunResult allowed = Judged(order);
  EXPECT_EQ(allowed.outcome, Outcome::kAccepted) << Told(allowed);
}

// What the simulated GPU is told, while it lives.
class TellGpu {
 public:
  TellGpu(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  TellGpu(const TellGpu&) = delete;
  TellGpu& operator=(const TellGpu&) = delete;
  ~TellGpu() { ::unsetenv(name_); }

 private:
  const char* name_;
};

// A process that uses it and is not ours: the first one of the machine.
class OtherOnGpu : TellGpu {
 public:
  OtherOnGpu() : TellGpu("HONE_SIMULATED_OTHER", "1") {}
};

JudgeOrder GpuOrder(const char* others) {
  JudgeOrder order{"", "", {{"samples", "10"}, {"others", others}}};
  order.options["problem_text"] = R"({"backend": "cuda", "reference":
    "// hone: launch twice grid(n) block(1) args(x, out)\nextern \"C\" __global__ void twice(const scalar* x, scalar* out) { out[blockIdx.x] = 2 * x[blockIdx.x]; }",
    "sizes": ["n"], "shapes": [{"n": 1000}],
    "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
    "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";
  order.source =
      "// hone: launch twice grid(n) block(1) args(x, out)\n"
      "extern \"C\" __global__ void twice(const float* x, float* out) {\n"
      "  out[blockIdx.x] = x[blockIdx.x] + x[blockIdx.x];\n}\n";
  return order;
}

TEST(ComputeDomainTest, WhoElseUsesTheGpuIsSaidBesideTheTimes) {
  const RunResult alone = Judged(GpuOrder("mark"));
  EXPECT_EQ(alone.outcome, Outcome::kAccepted) << Told(alone);
  EXPECT_EQ(TextOf(alone, "machine"), "");
  const OtherOnGpu other;
  const RunResult result = Judged(GpuOrder("mark"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_THAT(TextOf(result, "machine"), HasSubstr("others use the GPU"));
}

TEST(ComputeDomainTest, WhoWaitsForTheGpuTimesItWhenOthersHaveGone) {
  const auto judged_beside = [](const char* others) {
    const OtherOnGpu other;
    const TellGpu leaves("HONE_SIMULATED_OTHER_LOOKS", "3");
    return Judged(GpuOrder(others));
  };
  EXPECT_THAT(TextOf(judged_beside("mark"), "machine"), HasSubstr("others use the GPU"));
  EXPECT_EQ(TextOf(Judged(GpuOrder("mark")), "machine"), "");  // Looks are counted anew after it.
  const RunResult result = judged_beside("wait");
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_EQ(TextOf(result, "machine"), "");
}

// Reads behind the end of its input, which changes nothing that it writes.
JudgeOrder GpuOrderThatReadsBehind(const char* sanitize) {
  JudgeOrder order = GpuOrder("mark");
  order.options["sanitize"] = sanitize;
  order.source =
      "// hone: launch twice grid(n) block(1) args(x, out, n)\n"
      "extern \"C\" __global__ void twice(const float* x, float* out, int64_t n) {\n"
      "  float behind = *(volatile const float*)(x + n);\n"
      "  out[blockIdx.x] = behind == behind ? 2 * x[blockIdx.x] : x[blockIdx.x] * 2;\n}\n";
  return order;
}

TEST(ComputeDomainTest, WhatNoRunShowsIsFoundUnderASanitizer) {
  const RunResult unseen = Judged(GpuOrderThatReadsBehind("never"));
  EXPECT_EQ(unseen.outcome, Outcome::kAccepted) << Told(unseen);
  const RunResult seen = Judged(GpuOrderThatReadsBehind("always"));
  EXPECT_EQ(seen.outcome, Outcome::kWrong) << Told(seen);
  EXPECT_THAT(seen.reason, HasSubstr("compute-sanitizer, with n = 1000: memcheck: Invalid"));
  EXPECT_THAT(TextOf(seen, "sanitizer"), HasSubstr("behind an array"));
  JudgeOrder untimed = GpuOrderThatReadsBehind("always");
  untimed.options["samples"] = "0";
  EXPECT_EQ(Judged(untimed).outcome, Outcome::kWrong);
}

TEST(ComputeDomainTest, WhatASanitizerFindsNothingInIsAcceptedWithItsWord) {
  JudgeOrder order = GpuOrder("mark");
  order.options["sanitize"] = "always";
  const RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_THAT(TextOf(result, "sanitizer"),
              AllOf(HasSubstr("\"memcheck\":\"clean\""), HasSubstr("\"racecheck\":\"clean\""),
                    HasSubstr("\"initcheck\":\"clean\"")));
}

TEST(ComputeDomainTest, WhatAKernelPrintsIsNoWordOfTheSanitizer) {
  JudgeOrder order = GpuOrder("mark");
  order.options["sanitize"] = "always";
  order.options["samples"] = "0";
  order.source =
      "extern \"C\" int printf(const char*, ...);\n"
      "// hone: launch twice grid(n) block(1) args(x, out)\n"
      "extern \"C\" __global__ void twice(const float* x, float* out) {\n"
      "  for (int i = 0; i < 100; ++i) printf(\"checked ========= Invalid __global__ read\\n\");\n"
      "  out[blockIdx.x] = x[blockIdx.x] + x[blockIdx.x];\n}\n";
  const RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_THAT(TextOf(result, "sanitizer"), HasSubstr("\"memcheck\":\"clean\""));
}

TEST(ComputeDomainTest, WhatDiesUnderASanitizerThatWasAskedForIsNotAccepted) {
  JudgeOrder order = GpuOrder("mark");
  order.options["sanitize"] = "always";
  order.source =
      "extern \"C\" char* getenv(const char*);\nextern \"C\" void _exit(int);\n"
      "// hone: launch twice grid(n) block(1) args(x, out)\n"
      "extern \"C\" __global__ void twice(const float* x, float* out) {\n"
      "  const char* const tool = getenv(\"HONE_SIMULATED_TOOL\");\n"
      "  if (tool != nullptr && *tool == 'r') _exit(9);\n"
      "  out[blockIdx.x] = x[blockIdx.x] + x[blockIdx.x];\n}\n";
  const RunResult asked = Judged(order);
  EXPECT_EQ(asked.outcome, Outcome::kTimedOut) << Told(asked);
  EXPECT_THAT(asked.reason, HasSubstr("did not come to its end"));
  EXPECT_THAT(TextOf(asked, "sanitizer"), HasSubstr("\"racecheck\":\"failed\""));
  order.options["sanitize"] = "records";
  EXPECT_EQ(Judged(order).outcome, Outcome::kAccepted);
}

TEST(ComputeDomainTest, OnlyARecordIsSanitizedUnlessMoreIsAskedFor) {
  const RunResult slow = Judged(GpuOrderThatReadsBehind("records"));
  EXPECT_EQ(slow.outcome, Outcome::kAccepted) << Told(slow);
  JudgeOrder fast = GpuOrderThatReadsBehind("records");
  std::string& problem = fast.options["problem_text"];
  const std::string once = "out[blockIdx.x] = 2 * x[blockIdx.x];";
  problem.replace(problem.find(once), once.size(),
                  "for (volatile int i = 0; i < 3000; ++i) out[blockIdx.x] = 2 * x[blockIdx.x];");
  const RunResult result = Judged(fast);
  EXPECT_EQ(result.outcome, Outcome::kWrong) << Told(result);
  EXPECT_THAT(result.reason, HasSubstr("memcheck"));
}

TEST(ComputeDomainTest, ASanitizerThatIsAskedForMustBeThere) {
  const RunResult result =
      Judged({"saxpy", FindProblem("saxpy").value().reference, {{"sanitize", "always"}}});
  EXPECT_EQ(result.outcome, Outcome::kRejected) << Told(result);
  EXPECT_THAT(result.reason, HasSubstr("sanitize=always: cpp has no sanitizer"));
}

// Of an evaluation that ends without a verdict.
Error FailureOf(const JudgeOrder& order) {
  auto domain = MakeDomain({{"compute", EntryForTest()}}, "compute", order.options).value();
  auto session = domain->Open().value();
  const Candidate candidate{{}, order.source};
  EXPECT_TRUE(session->Prepare(candidate));
  const auto result =
      session->Run({Arm::kCandidate, candidate, 1, 0, std::chrono::milliseconds{3000}, {}, {}});
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

TEST(ComputeDomainTest, WhoWaitsInVainForTheGpuGetsNoVerdict) {
  const OtherOnGpu other;
  const Error failure = FailureOf(GpuOrder("wait"));
  EXPECT_EQ(failure.code, Errc::kUnavailable);
  EXPECT_THAT(failure.message, HasSubstr("not timed: others use the GPU"));
}

TEST(ComputeDomainTest, AGpuThatWasLostIsNobodysFaultAndUsedAgainWhenItIsBack) {
  EXPECT_EQ(Judged(GpuOrder("mark")).outcome, Outcome::kAccepted);
  {
    const TellGpu loss("HONE_SIMULATED_LOSS", "1");
    const Error failure = FailureOf(GpuOrder("mark"));
    EXPECT_EQ(failure.code, Errc::kUnavailable);
    EXPECT_THAT(failure.message, HasSubstr("GPU: copying to the GPU"));
  }
  const RunResult result = Judged(GpuOrder("mark"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
}

TEST(ComputeDomainTest, CompilerErrorComesBackWhole) {
  const RunResult result = Judged("vector_add", "this is not C++\n");
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed);
  EXPECT_THAT(TextOf(result, "compiler output"), HasSubstr("kernel.cc:1"));
}

TEST(ComputeDomainTest, WrongSignatureIsACompilerErrorThatShowsTheRightOne) {
  const RunResult result = Judged("vector_add", R"(
extern "C" void kernel(const double* a, const double* b, double* out, int64_t n) {}
)");
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed);
  EXPECT_THAT(TextOf(result, "compiler output"), HasSubstr("const float*"));
}

TEST(ComputeDomainTest, MissingEntryPointIsNamed) {
  const RunResult result = Judged("vector_add", "extern \"C\" void other() {}\n");
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed);
  EXPECT_THAT(result.reason, HasSubstr("void kernel(const float* a, const float* b, float* out"));
}

TEST(ComputeDomainTest, CrashIsSeenAtOnceWithItsSignal) {
  const auto began = std::chrono::steady_clock::now();
  const RunResult result = Judged("vector_add", R"(
extern "C" void kernel(const float*, const float*, float*, int64_t) { *(volatile int*)8 = 1; }
)");
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_THAT(result.reason, HasSubstr("SIGSEGV in call 1"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, kRunLimit / 2);
}

TEST(ComputeDomainTest, ExceptionIsToldWithItsText) {
  const RunResult result = Judged("vector_add", R"(
#include <stdexcept>
extern "C" void kernel(const float*, const float*, float*, int64_t) {
  throw std::runtime_error("no luck today");
}
)");
  EXPECT_EQ(result.outcome, Outcome::kCrashed);
  EXPECT_THAT(TextOf(result, "exception"), HasSubstr("no luck today"));
}

TEST(ComputeDomainTest, EndlessLoopTimesOutAndTheNextKernelIsUnharmed) {
  JudgeOrder order{"vector_add", R"(
extern "C" void kernel(const float*, const float*, float*, int64_t) { for (;;) asm volatile(""); }
)"};
  order.limit = std::chrono::milliseconds{1500};
  EXPECT_EQ(Judged(order).outcome, Outcome::kTimedOut);
  const RunResult next = Judged("vector_add", kFastAdd);
  EXPECT_EQ(next.outcome, Outcome::kAccepted) << Told(next);
}

// What was asked of a backend.
struct Builds {
  int count = 0;
  int stopped = 0;  // Of these, when they were to end soon.
};

// The backend of C++, with its builds counted.
class CountingBackend final : public Backend {
 public:
  CountingBackend(std::unique_ptr<Backend> real, Builds& builds)
      : real_(std::move(real)), builds_(builds) {}

  const BackendFacts& Facts() const override { return real_->Facts(); }
  Result<void> Check(const Problem& problem) const override { return real_->Check(problem); }
  Result<Build> Compile(const BuildOrder& order) override {
    ++builds_.count;
    builds_.stopped += order.stop.stop_requested() ? 1 : 0;
    return real_->Compile(order);
  }
  Result<Loaded> Load(const LoadOrder& order) override { return real_->Load(order); }

 private:
  std::unique_ptr<Backend> real_;
  Builds& builds_;
};

DomainEntry CountingEntry(const std::filesystem::path& folder, Builds& builds) {
  BackendEntry backend = CppBackendEntry();
  backend.make = [&builds, make = backend.make](
                     const std::filesystem::path& cache) -> Result<std::unique_ptr<Backend>> {
    return std::make_unique<CountingBackend>(make(cache).value(), builds);
  };
  return ComputeDomainEntry({folder, {{"cpp", backend}}});
}

TEST(ComputeDomainTest, PreparationThatIsAskedToStopStopsItsBuilds) {
  const auto folder = TempDir::Make("hone-compute-test");
  ASSERT_TRUE(folder);
  Builds builds;
  const DomainEntry entry = CountingEntry(folder->path(), builds);
  std::stop_source stop;
  stop.request_stop();
  for (const Options& options : {Options{{"problem", "vector_add"}},
                                 Options{{"problem_text", R"({"workflow": "kernel_simple",
    "cases": [{"inputs": [[1]], "outputs": [[1]]}],
    "inputs": [{"name": "x", "dtype": "f32", "shape": [1]}],
    "outputs": [{"name": "out", "dtype": "f32", "shape": [1]}]})"}}}) {
    const auto domain = entry.make(options);
    ASSERT_TRUE(domain) << domain.error().message;
    const auto session = (*domain)->Open();
    builds = {};
    static_cast<void>((*session)->Prepare({{}, kFastAdd}, stop.get_token()));
    EXPECT_GE(builds.count, 1);
    EXPECT_EQ(builds.stopped, builds.count);
  }
}

TEST(ComputeDomainTest, RunUsesWhatPrepareBuilt) {
  const auto folder = TempDir::Make("hone-compute-test");
  ASSERT_TRUE(folder);
  Builds builds;
  const DomainEntry entry = CountingEntry(folder->path(), builds);
  const auto domain = entry.make({{"problem", "vector_add"}, {"samples", "0"}});
  ASSERT_TRUE(domain) << domain.error().message;
  const auto session = (*domain)->Open();
  const Candidate candidate{{}, kFastAdd};
  ASSERT_EQ((*session)->Prepare(candidate)->outcome, Outcome::kAccepted);
  const int prepared = builds.count;
  EXPECT_EQ(prepared, 3);  // The candidate, and the reference in two precisions.
  for (int run = 0; run < 2; ++run) {
    const auto result = (*session)->Run({Arm::kCandidate, candidate, 1, run, kRunLimit, {}});
    EXPECT_EQ(result->outcome, Outcome::kAccepted) << Told(*result);
  }
  EXPECT_EQ(builds.count, prepared);
}

TEST(ComputeDomainTest, CheckOfOptionsNeedsNoCompiler) {
  BackendEntry backend = CppBackendEntry();
  backend.make = [](const std::filesystem::path&) -> Result<std::unique_ptr<Backend>> {
    return Error{Errc::kUnavailable, "a backend was made"};
  };
  const DomainEntry entry = ComputeDomainEntry({"/hone/no/cache", {{"cpp", backend}}});
  const auto needs = entry.check({{"problem", "vector_add"}});
  ASSERT_TRUE(needs) << needs.error().message;
  EXPECT_EQ(needs->names, std::set<std::string>{"cpp"});
  EXPECT_EQ(entry.check({{"problem_text", "{"}}).error().code, Errc::kInvalidArgument);
  const auto refused =
      entry.check({{"problem", "vector_add"}, {"policy", R"({"flags": ["-fplugin=x"]})"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("problem vector_add: policy.flags: -fplugin=x"));
}

TEST(ComputeDomainTest, SourceWithoutTextIsRejected) {
  EXPECT_EQ(Judged("vector_add", "").outcome, Outcome::kRejected);
}

TEST(ComputeDomainTest, BrokenReferenceIsNotChargedToTheKernel) {
  JudgeOrder order{"", kFastAdd};
  order.options = {{"problem_text", R"({"reference": "nonsense", "sizes": ["n"],
    "shapes": [{"n": 8}], "inputs": [{"name": "a", "dtype": "f32", "shape": ["n"]},
    {"name": "b", "dtype": "f32", "shape": ["n"]}],
    "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})"}};
  const RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.reason, HasSubstr("its reference cannot be used"));
}

TEST(ComputeDomainTest, CasesOfKernelSimpleAreCompared) {
  const std::string problem = R"({"workflow": "kernel_simple", "sizes": ["n"],
    "inputs": [{"name": "x", "dtype": "i32", "shape": ["n"], "low": 0, "high": 9}],
    "outputs": [{"name": "out", "dtype": "i32", "shape": []}],
    "cases": [{"sizes": {"n": 3}, "inputs": [[1, 2, 3]], "outputs": [6]},
              {"sizes": {"n": 1}, "inputs": [[7]], "outputs": [7]}]})";
  const auto kernel = [](const char* start) {
    return std::string("extern \"C\" void kernel(const int32_t* x, int32_t* out, int64_t n) {\n") +
           "  *out = " + start + ";\n  for (int64_t i = 0; i < n; ++i) *out += x[i];\n}\n";
  };
  JudgeOrder order{"", kernel("0")};
  order.options = {{"problem_text", problem}};
  RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  order.source = kernel("1");
  result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_THAT(TextOf(result, "difference"), HasSubstr("trial case"));
}

TEST(ComputeDomainTest, WithoutSamplesItIsOnlyCheckedForBeingRight) {
  JudgeOrder order{"vector_add", kFastAdd, {{"samples", "0"}}};
  const RunResult right = Judged(order);
  EXPECT_EQ(right.outcome, Outcome::kAccepted) << Told(right);
  EXPECT_TRUE(right.sample.metrics.empty());
  EXPECT_EQ(TextOf(right, "times"), "");
  order.source =
      "extern \"C\" void kernel(const float* a, const float* b, float* out, int64_t n) {\n"
      "  for (int64_t i = 0; i < n; ++i) out[i] = a[i];\n}\n";
  EXPECT_EQ(Judged(order).outcome, Outcome::kWrong);
}

TEST(ComputeDomainTest, ASlowReferenceIsNoTimeOutOfTheCandidate) {
  JudgeOrder order{"", R"(
extern "C" void kernel(const float* a, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = 2 * a[i];
})"};
  order.options = {{"problem_text", R"({"reference":
    "#include <chrono>\nextern \"C\" void kernel(const scalar* a, scalar* out, int64_t n) { const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400); while (std::chrono::steady_clock::now() < end) {} for (int64_t i = 0; i < n; ++i) out[i] = a[i] + a[i]; }",
    "sizes": ["n"], "shapes": [{"n": 100}],
    "inputs": [{"name": "a", "dtype": "f32", "shape": ["n"]}],
    "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})"}};
  order.options["samples"] = "0";
  order.limit = std::chrono::milliseconds{2000};  // Less than its trials take.
  const RunResult judged = Judged(order);
  EXPECT_EQ(judged.outcome, Outcome::kAccepted) << Told(judged);
}

TEST(ComputeDomainTest, DegenerateProblemIsSaidToBeOne) {
  JudgeOrder order{"", R"(
extern "C" void kernel(const float* a, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = 0;
})"};
  order.options = {{"problem_text", R"({"reference":
    "extern \"C\" void kernel(const scalar* a, scalar* out, int64_t n) { for (int64_t i = 0; i < n; ++i) out[i] = a[i] - a[i]; }",
    "sizes": ["n"], "shapes": [{"n": 100}],
    "inputs": [{"name": "a", "dtype": "f32", "shape": ["n"]}],
    "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})"}};
  EXPECT_THAT(TextOf(Judged(order), "problem"), HasSubstr("accepts the constant 0"));
}

DomainExam ExamOf(const std::string& problem) {
  DomainExam exam;
  exam.entry = EntryForTest();
  exam.options = {{"problem", problem}, {"timing_budget_ms", "20"}};
  exam.sources = {kFastAdd,
                  "",
                  "nonsense",
                  std::string("a\0b", 3),
                  std::string(2'000'000, ' '),
                  "extern \"C\" void kernel(const float*, const float*, float*, int64_t) {}"};
  exam.slow_options = {{"samples", "1000000"}, {"timing_budget_ms", "3600000"}, {"precision", "0"}};
  return exam;
}

INSTANTIATE_TEST_SUITE_P(Compute, DomainContract,
                         DomainContractCases({{"VectorAdd", ExamOf("vector_add")}}),
                         NameOfDomainCase);

}  // namespace
}  // namespace hone::compute
