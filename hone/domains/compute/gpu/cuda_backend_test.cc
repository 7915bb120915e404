// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/cuda_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/backends/backend_contract.h"

// On the simulated GPU (tests/simulated_gpu).
namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwice = R"({"backend": "cuda", "reference":
  "// hone: launch twice grid((n + 63) / 64) block(64) args(x, out, n)\nextern \"C\" __global__ void twice(const scalar* x, scalar* out, int64_t n) { int64_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = 2 * x[i]; }",
  "sizes": ["n"], "shapes": [{"n": 1000}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";

const bool kIsSimulated = [] {
  ::setenv("HONE_CUDA", HONE_SIMULATED_GPU, 1);
  return true;
}();

std::string DeviceKernel(const std::string& body) {
  return "// hone: launch twice grid((n + 63) / 64) block(64) args(x, out, n)\n"
         "extern \"C\" __global__ void twice(const float* x, float* out, int64_t n) {\n"
         "  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body + "\n}\n";
}

BackendExam ExamOfCuda() {
  BackendExam exam;
  exam.make = CudaBackendEntry().make;
  exam.problem_text = kTwice;
  exam.good = DeviceKernel("if (i < n) out[i] = 2 * x[i];");
  exam.does_not_build = DeviceKernel("out[0] = no_such_thing;");
  exam.complaint = "no_such_thing";
  exam.crashes = DeviceKernel("*(volatile int*)8 = 1;");
  exam.hangs = DeviceKernel("for (;;) ((volatile float*)out)[0] = 1;");
  exam.changes_input = DeviceKernel("if (i < n) ((float*)x)[i] = 7;");
  exam.protects_inputs = true;
  exam.leaves_output = DeviceKernel("");
  return exam;
}

INSTANTIATE_TEST_SUITE_P(Cuda, BackendContract, BackendContractCases({{"Cuda", ExamOfCuda()}}),
                         NameOfBackendCase);

class CudaBackendTest : public ::testing::Test {
 protected:
  Result<Build> Compile(const std::string& source) {
    return backend_->Compile(
        {problem_, source, TensorRole::kCandidate, Precision::kDeclared, std::chrono::seconds{20}});
  }

  // What one call with n = 1000 came to.
  CallReport CallOf(const std::string& source) {
    const auto build = Compile(source);
    EXPECT_TRUE(build && build->artefact) << (build ? build->reason + build->output : "no build");
    if (!build || !build->artefact) return {};
    auto loaded = backend_->Load({problem_, build->artefact});
    EXPECT_TRUE(loaded) << loaded.error().message;
    CallReport failed;
    if (!loaded || loaded->fault) {
      failed.fault = loaded ? loaded->fault : std::nullopt;
      return failed;
    }
    Tensors inputs{Tensor::Zeros({"x", DType::kF32, {1000}})};
    inputs[0].As<float>()[999] = 21;
    const std::vector<TensorSpec> outputs{{"out", DType::kF32, {1000}}};
    const std::vector<std::int64_t> sizes{1000};
    CallOrder order;
    order.inputs = inputs;
    order.outputs = outputs;
    order.sizes = sizes;
    order.secret = 7;
    auto report = loaded->runner->Call(order);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : failed;
  }

  TempDir cache_ = TempDir::Make("hone-cuda-test").value();
  Problem problem_ = ParseProblem(kTwice, "test").value();
  std::unique_ptr<Backend> backend_ = CudaBackendEntry().make(cache_.path()).value();
};

TEST_F(CudaBackendTest, EveryThreadOfTheGridHasItsTurn) {
  const CallReport report = CallOf(DeviceKernel("if (i < n) out[i] = 2 * x[i];"));
  ASSERT_EQ(report.outputs.size(), 1U);
  EXPECT_EQ(report.outputs[0].As<float>()[0], 0);
  EXPECT_EQ(report.outputs[0].As<float>()[999], 42);
  EXPECT_FALSE(report.changed);
  EXPECT_FALSE(report.overrun);
  EXPECT_GT(report.time.count(), 0);
}

TEST_F(CudaBackendTest, LaunchesFollowEachOtherAndShareScratch) {
  const CallReport report = CallOf(
      "// hone: scratch half bytes(4 * n)\n"
      "// hone: launch first grid(n) block(1) args(x, half)\n"
      "// hone: launch second grid(1) block(1) args(half, out, int n)\n"
      "extern \"C\" __global__ void first(const float* x, float* half) {\n"
      "  half[blockIdx.x] = x[blockIdx.x] / 2;\n}\n"
      "extern \"C\" __global__ void second(const float* half, float* out, int n) {\n"
      "  for (int i = 0; i < n; ++i) out[i] = 4 * half[i];\n}\n");
  ASSERT_EQ(report.outputs.size(), 1U);
  EXPECT_EQ(report.outputs[0].As<float>()[999], 42);
}

TEST_F(CudaBackendTest, WritingBehindAnOutputIsSeen) {
  const CallReport report = CallOf(DeviceKernel("if (i == 0) out[n + 3] = 1;"));
  ASSERT_TRUE(report.overrun);
  EXPECT_EQ(report.overrun->array, "out");
  EXPECT_EQ(report.overrun->distance, 12);
}

TEST_F(CudaBackendTest, SourceThatSaysNoLaunchIsNotBuilt) {
  const auto build = Compile("extern \"C\" __global__ void twice() {}");
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kBuildFailed);
  EXPECT_THAT(build->reason, HasSubstr("launches nothing"));
}

TEST_F(CudaBackendTest, KernelThatIsNotThereIsNotLoaded) {
  const CallReport report =
      CallOf("// hone: launch thrice grid(1) block(1)\nextern \"C\" __global__ void twice() {}");
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, RunnerFault::Kind::kNotLoaded);
  EXPECT_THAT(report.fault->reason, HasSubstr("thrice: CUDA_ERROR_NOT_FOUND"));
}

TEST_F(CudaBackendTest, OneEvaluationHasTheGpuAtATime) {
  const auto other = CudaBackendEntry().make(cache_.path()).value();
  auto still = backend_->KeepStill();
  std::atomic<bool> has_turn = false;
  std::jthread next([&] {
    const auto turn = other->KeepStill();
    has_turn = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  EXPECT_FALSE(has_turn);
  still.reset();
  next.join();
  EXPECT_TRUE(has_turn);
}

TEST_F(CudaBackendTest, FlagThatReadsAFileIsRefused) {
  Problem problem = problem_;
  problem.policy.flags = {"--use_fast_math"};
  EXPECT_TRUE(backend_->Check(problem));
  problem.policy.flags = {"--include-path=/etc"};
  const auto checked = backend_->Check(problem);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("--include-path=/etc is not allowed"));
}

}  // namespace
}  // namespace hone::compute
