// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/cuda_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/backends/backend_contract.h"
#include "hone/domains/compute/gpu/recorded_launches.h"
#include "hone/domains/compute/runner/placement.h"
#include "hone/gpu/gpu_device.h"
#include "hone/testing/wait_until.h"

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

std::string HostKernel(const std::string& body) {
  return "__global__ void twice(const float* x, float* out, int64_t n) {\n"
         "  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body +
         "\n}\nextern \"C\" void kernel(const float* x, float* out, int64_t n) {\n"
         "  twice<<<(n + 63) / 64, 64>>>(x, out, n);\n}\n";
}

// The same with host code.
BackendExam ExamOfHostCode() {
  BackendExam exam = ExamOfCuda();
  exam.good = HostKernel("if (i < n) out[i] = 2 * x[i];");
  exam.does_not_build = HostKernel("out[0] = no_such_thing;");
  exam.crashes = HostKernel("*(volatile int*)8 = 1;");
  exam.hangs = HostKernel("for (;;) ((volatile float*)out)[0] = 1;");
  exam.changes_input = HostKernel("if (i < n) ((float*)x)[i] = 7;");
  exam.leaves_output = HostKernel("");
  return exam;
}

INSTANTIATE_TEST_SUITE_P(Cuda, BackendContract,
                         BackendContractCases({{"Cuda", ExamOfCuda()},
                                               {"CudaWithHostCode", ExamOfHostCode()}}),
                         NameOfBackendCase);

class CudaBackendTest : public ::testing::Test {
 protected:
  Result<Build> Compile(const std::string& source) {
    return backend_->Compile(
        {problem_, source, TensorRole::kCandidate, Precision::kDeclared, std::chrono::seconds{20}});
  }

  Result<Loaded> LoadOf(const std::string& source) {
    const auto build = Compile(source);
    EXPECT_TRUE(build && build->artefact) << (build ? build->reason + build->output : "no build");
    if (!build || !build->artefact) return Error{Errc::kInvalidArgument, "no build"};
    return backend_->Load({problem_, build->artefact});
  }

  // A call with n = 1000. All of x is 0 but its first element and its last.
  static CallReport CallWith(Runner& runner, float first, std::uint64_t secret,
                             bool is_sealed = false) {
    Tensors inputs{Tensor::Zeros({"x", DType::kF32, {1000}})};
    inputs[0].As<float>()[0] = first;
    inputs[0].As<float>()[999] = 21;
    const std::vector<TensorSpec> outputs{{"out", DType::kF32, {1000}}};
    const std::vector<std::int64_t> sizes{1000};
    CallOrder order;
    order.inputs = inputs;
    order.outputs = outputs;
    order.sizes = sizes;
    order.secret = secret;
    order.is_sealed = is_sealed;
    auto report = runner.Call(order);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : CallReport{};
  }

  CallReport CallOf(const std::string& source) {
    const auto loaded = LoadOf(source);
    EXPECT_TRUE(loaded) << loaded.error().message;
    CallReport failed;
    if (!loaded || loaded->fault) {
      failed.fault = loaded ? loaded->fault : std::nullopt;
      return failed;
    }
    return CallWith(*loaded->runner, 0, 7);
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

// It would keep all others from the GPU.
TEST_F(CudaBackendTest, ScratchOfManyTimesTheArraysIsNotGiven) {
  const auto loaded = LoadOf(
      "// hone: scratch all bytes(64 * 1024 * 1024 * n)\n"
      "// hone: launch twice grid(n) block(1) args(x, out, all)\n"
      "extern \"C\" __global__ void twice(const float* x, float* out, float*) {\n"
      "  out[blockIdx.x] = 2 * x[blockIdx.x];\n}\n");
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_TRUE(loaded->fault);
  EXPECT_EQ(loaded->fault->kind, RunnerFault::Kind::kNotLoaded);
  EXPECT_THAT(loaded->fault->reason, HasSubstr("64000 MiB of scratch memory; 1024 MiB"));
}

// By way of what an earlier call left there it would know its answer.
TEST_F(CudaBackendTest, NothingThatACallLeavesInScratchIsThereInTheNextOne) {
  const auto said = LoadOf(
      "// hone: scratch kept bytes(4 * n)\n"
      "// hone: launch keep grid(n) block(1) args(x, kept, out)\n"
      "extern \"C\" __global__ void keep(const float* x, float* kept, float* out) {\n"
      "  out[blockIdx.x] = kept[blockIdx.x];\n  kept[blockIdx.x] = 21;\n}\n");
  const auto recorded = LoadOf(
      "__global__ void keep(float* kept, float* out) {\n"
      "  out[blockIdx.x] = kept[blockIdx.x];\n  kept[blockIdx.x] = 21;\n}\n"
      "extern \"C\" void kernel(const float* x, float* out, int64_t n) {\n"
      "  float* kept = nullptr;\n  cudaMalloc((void**)&kept, 4 * n);\n"
      "  keep<<<n, 1>>>(kept, out);\n}\n");
  for (const auto* loaded : {&said, &recorded}) {
    ASSERT_TRUE(*loaded && !(*loaded)->fault);
    std::set<std::uint32_t> seen;
    for (std::uint64_t secret = 1; secret <= 4; ++secret) {
      const CallReport report = CallWith(*(*loaded)->runner, 0, secret);
      ASSERT_EQ(report.outputs.size(), 1U) << report.exception;
      const auto out = report.outputs[0].As<float>();
      for (const float value : {out[0], out[500], out[999]}) EXPECT_NE(value, 21);
      seen.insert(std::bit_cast<std::uint32_t>(out[0]));
    }
    EXPECT_GT(seen.size(), 1U);  // Nor is it always the same, and so of use.
  }
}

// A variable of the source stays: every call has other inputs.
TEST_F(CudaBackendTest, AVariableOfTheSourceStaysFromCallToCall) {
  const auto loaded =
      LoadOf("__device__ float kept;\n" +
             DeviceKernel("if (i < n) out[i] = kept;\n  if (i + 1 == n) kept = 21;"));
  ASSERT_TRUE(loaded && !loaded->fault);
  CallWith(*loaded->runner, 0, 1);
  EXPECT_EQ(CallWith(*loaded->runner, 0, 2).outputs.at(0).As<float>()[0], 21);
}

// Where the output of a call with this secret lies in the memory that both runners map.
std::uint64_t PlaceOfOutput(std::uint64_t secret) {
  constexpr std::size_t kMemoryBytes = 2 << 20;  // What this GPU gives at least.
  const std::vector<std::size_t> bytes{4000};
  Rng rng = Rng(secret).Split("places");
  PlaceArrays(bytes, kMemoryBytes, rng);  // Of the input.
  return PlaceArrays(bytes, kMemoryBytes, rng)->front().offset;
}

TEST_F(CudaBackendTest, AKernelDoesNotFindTheAnswerThatAnotherGaveBefore) {
  constexpr std::uint64_t kFirst = 7;
  std::uint64_t second = kFirst + 1;
  while (PlaceOfOutput(second) < PlaceOfOutput(kFirst) + 4096) ++second;
  const std::uint64_t elements = (PlaceOfOutput(second) - PlaceOfOutput(kFirst)) / sizeof(float);
  const auto away = static_cast<float>(elements);
  const auto reference = LoadOf(DeviceKernel("if (i < n) out[i] = 2 * x[i];"));
  const auto peeks = LoadOf(DeviceKernel("if (i < n) out[i] = out[i - (int64_t)x[0]];"));
  ASSERT_TRUE(reference && peeks);
  EXPECT_EQ(CallWith(*reference->runner, 0, kFirst).outputs.at(0).As<float>()[999], 42);
  const CallReport report = CallWith(*peeks->runner, away, second);
  ASSERT_EQ(report.outputs.size(), 1U) << report.exception;
  EXPECT_NE(report.outputs[0].As<float>()[999], 42);
}

TEST_F(CudaBackendTest, RunnersOfOneProblemSayThatTheyHoldItsMemoryTogether) {
  const auto one = LoadOf(DeviceKernel("if (i < n) out[i] = 2 * x[i];"));
  const auto other = LoadOf(DeviceKernel("if (i < n) out[i] = x[i] + x[i];"));
  ASSERT_TRUE(one && other);
  const HeldMemory held = one->runner->Held();
  EXPECT_GE(held.shared_bytes, std::size_t{2000} * sizeof(float));
  EXPECT_EQ(other->runner->Held().shared, held.shared);
  EXPECT_EQ(other->runner->Held().shared_bytes, held.shared_bytes);
}

TEST_F(CudaBackendTest, ASealedCallComputesTheSameAndSpansAllOfItsTime) {
  const auto loaded = LoadOf(DeviceKernel("if (i < n) out[i] = 2 * x[i];"));
  ASSERT_TRUE(loaded && loaded->runner);
  EXPECT_TRUE(loaded->runner->CanSeal());
  for (std::uint64_t secret = 1; secret <= 6; ++secret) {
    const bool is_sealed = secret % 2 == 0;
    const CallReport report = CallWith(*loaded->runner, 4, secret, is_sealed);
    ASSERT_FALSE(report.fault) << report.fault->reason;
    ASSERT_EQ(report.outputs.size(), 1U);
    EXPECT_EQ(report.outputs[0].As<float>()[0], 8);
    EXPECT_EQ(report.outputs[0].As<float>()[999], 42);
    EXPECT_FALSE(report.overrun);
    EXPECT_EQ(report.span.count() > 0, is_sealed);
    EXPECT_GE(report.span, is_sealed ? report.time : report.span);
  }
}

TEST_F(CudaBackendTest, AKernelThatDiesInASealedCallLeavesTheGpuToOthers) {
  const auto loaded = LoadOf(DeviceKernel("*(volatile int*)8 = 1;"));
  ASSERT_TRUE(loaded && loaded->runner);
  const CallReport report = CallWith(*loaded->runner, 1, 1, true);
  EXPECT_TRUE(report.fault || !report.exception.empty());
  EXPECT_EQ(report.span.count(), 0);
  const auto other = LoadOf(DeviceKernel("if (i < n) out[i] = 2 * x[i];"));
  ASSERT_TRUE(other && other->runner);
  EXPECT_GT(CallWith(*other->runner, 1, 2, true).span.count(), 0);
}

TEST_F(CudaBackendTest, NothingThatACallKeepsInTheCacheIsThereInTheNextOne) {
  const auto loaded = LoadOf("extern \"C\" { __device__ unsigned persisting_lines = 0; }\n" +
                             DeviceKernel("if (i < n) out[i] = (float)persisting_lines;\n"
                                          "  if (i + 1 == n) persisting_lines = 7;"));
  ASSERT_TRUE(loaded && !loaded->fault);
  for (std::uint64_t secret = 1; secret <= 2; ++secret) {
    const CallReport report = CallWith(*loaded->runner, 0, secret);
    ASSERT_EQ(report.outputs.size(), 1U);
    EXPECT_EQ(report.outputs[0].As<float>()[0], 0) << secret;
  }
}

TEST_F(CudaBackendTest, WritingBehindAnOutputIsSeen) {
  const CallReport report = CallOf(DeviceKernel("if (i == 0) out[n + 3] = 1;"));
  ASSERT_TRUE(report.overrun);
  EXPECT_EQ(report.overrun->array, "out");
  EXPECT_EQ(report.overrun->distance, 12);
}

TEST_F(CudaBackendTest, SourceThatSaysNoLaunchAndHasNoHostCodeIsNotBuilt) {
  const auto build = Compile("extern \"C\" __global__ void twice() {}");
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kBuildFailed);
  EXPECT_THAT(build->output, HasSubstr("no function extern \"C\" kernel"));
}

TEST_F(CudaBackendTest, CommentThatLaunchesNothingIsNotBuilt) {
  const auto build = Compile("// hone: scratch s bytes(4)\nextern \"C\" __global__ void k() {}");
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
  std::atomic<pid_t> waits = 0;
  std::jthread next([&] {
    waits = ::gettid();
    const auto turn = other->KeepStill();
    has_turn = true;
  });
  WaitUntil([&] { return has_turn || (waits != 0 && IsAsleep(waits)); }, "it has come to the GPU");
  EXPECT_FALSE(has_turn);
  still.reset();
  next.join();
  EXPECT_TRUE(has_turn);
}

TEST_F(CudaBackendTest, APeakThatWasMeasuredInABadMomentIsRaisedBeforeAnybodyIsAccused) {
  const gpu::GpuFacts gpu = gpu::FindGpus().value().front()->Facts();
  const auto folder = cache_.path() / "gpu-peaks";
  ASSERT_TRUE(MakeFolder(folder));
  ASSERT_TRUE(WriteFileAtomically(folder / (gpu.uuid + "-" + gpu.driver + ".json"),
                                  R"({"bytes_per_ns": 0.001, "operations_per_ns": 0.001})"));
  const auto turn = backend_->TakeTurn();
  ASSERT_DOUBLE_EQ(backend_->Peak().bytes_per_ns, 0.001);
  const MachinePeak raised = backend_->RaisePeak();
  EXPECT_GT(raised.bytes_per_ns, 0.01);
  EXPECT_GT(raised.operations_per_ns, 0.01);
  EXPECT_DOUBLE_EQ(backend_->Peak().bytes_per_ns, raised.bytes_per_ns);
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

// A source whose host code has this body, and two kernels.
std::string WithHostCode(const std::string& body) {
  return "__global__ void halve(const float* x, float* half, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) half[i] = x[i] / 2;\n}\n"
         "__global__ void add_four_times(const float* half, float* out, int64_t n) {\n"
         "  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) out[i] += 4 * half[i];\n}\n"
         "extern \"C\" void kernel(const float* x, float* out, int64_t n) {\n" +
         body + "\n}\n";
}

constexpr const char* kTwoLaunches =
    "  static float* half = nullptr;\n"
    "  if (half == nullptr) cudaMalloc((void**)&half, 4 * n);\n"
    "  cudaMemset(out, 0, 4 * n);\n"
    "  halve<<<(n + 63) / 64, 64>>>(x, half, n);\n"
    "  add_four_times<<<(n + 63) / 64, 64>>>(half, out, n);\n"
    "  cudaDeviceSynchronize();";

class HostCodeTest : public CudaBackendTest {
 protected:
  // What the compiler and the recorder said to a source that is not built.
  std::string RefusalOf(const std::string& body) {
    const auto build = Compile(WithHostCode(body));
    EXPECT_TRUE(build) << build.error().message;
    EXPECT_TRUE(build && build->outcome == Outcome::kBuildFailed);
    return build ? build->output : "";
  }

  // The steps that host code with this body asks for.
  std::vector<Step> StepsOf(const std::string& body) {
    const auto build = Compile(WithHostCode(body));
    EXPECT_TRUE(build && build->artefact) << (build ? build->output : "no build");
    if (!build || !build->artefact) return {};
    const auto made = UnpackEntryBuild(build->artefact->bytes);
    EXPECT_TRUE(made);
    const auto plan = RecordedLaunches::Make(*made, problem_, Precision::kDeclared);
    EXPECT_TRUE(plan) << plan.error().message;
    const auto block = std::make_unique<LaunchBlock>();
    EXPECT_TRUE(plan->Fill({{"n", 1000}}, *block));
    return {block->step, block->step + block->steps};
  }

  // "fill launch mark/1 await/0": each kind, with the stream where it is not the first.
  std::string OrderOf(const std::string& body) {
    std::string text;
    for (const Step& step : StepsOf(body)) {
      constexpr std::array kNames{"launch", "fill", "copy", "mark", "await", "join", "multiply"};
      text += text.empty() ? "" : " ";
      text += kNames.at(step.kind);
      if (step.stream != 0) text += "/" + std::to_string(step.stream);
    }
    return text;
  }
};

TEST_F(HostCodeTest, WhatItAsksForIsMadeInEveryCall) {
  const CallReport report = CallOf(WithHostCode(kTwoLaunches));
  ASSERT_EQ(report.outputs.size(), 1U) << report.exception;
  EXPECT_EQ(report.outputs[0].As<float>()[0], 0);
  EXPECT_EQ(report.outputs[0].As<float>()[999], 42);
}

TEST_F(HostCodeTest, StepsStandInTheirOrderWithAddressesOfTheCall) {
  const auto steps = StepsOf(kTwoLaunches);
  ASSERT_EQ(steps.size(), 3U);  // Waiting at the end is what every call does.
  EXPECT_EQ(steps[0].kind, kStepFill);
  EXPECT_EQ(steps[0].count, 4000U);
  EXPECT_EQ(steps[0].address[0].kind, kAddressOutput);
  EXPECT_EQ(steps[1].kind, kStepLaunch);
  ASSERT_EQ(steps[1].addresses, 2U);
  EXPECT_EQ(steps[1].address[0].kind, kAddressInput);
  EXPECT_EQ(steps[1].address[1].kind, kAddressScratch);
  EXPECT_EQ(steps[1].address[1].offset, 0);
  int n = 0;
  std::memcpy(&n, steps[1].bytes + steps[1].argument[2], sizeof(n));
  EXPECT_EQ(n, 1000);
  EXPECT_EQ(steps[2].grid[0], 16U);
}

TEST_F(HostCodeTest, PointersIntoAnArrayAndInsideAStructureAreFollowed) {
  const auto build = Compile(
      "struct Pair { const float* from; float* to; int more; };\n"
      "__global__ void copy(Pair pair, int64_t n) {}\n"
      "extern \"C\" void kernel(const float* x, float* out, int64_t n) {\n"
      "  copy<<<1, 32>>>(Pair{x + 10, out - 1, 3}, n);\n}\n");
  ASSERT_TRUE(build && build->artefact) << (build ? build->output : "no build");
  const auto made = UnpackEntryBuild(build->artefact->bytes);
  ASSERT_TRUE(made);
  const auto plan = RecordedLaunches::Make(*made, problem_, Precision::kDeclared);
  ASSERT_TRUE(plan) << plan.error().message;
  const auto block = std::make_unique<LaunchBlock>();
  ASSERT_TRUE(plan->Fill({{"n", 1000}}, *block));
  const Step& step = block->step[0];
  ASSERT_EQ(step.addresses, 2U);
  EXPECT_EQ(step.address[0].offset, 40);
  EXPECT_EQ(step.address[0].at, step.argument[0]);
  EXPECT_EQ(step.address[1].kind, kAddressOutput);
  EXPECT_EQ(step.address[1].offset, -4);
  EXPECT_EQ(step.address[1].at, step.argument[0] + 8);
}

TEST_F(HostCodeTest, TheDefaultStreamWaitsForTheOthersAndTheyForIt) {
  EXPECT_EQ(OrderOf("  cudaStream_t s; cudaStreamCreate(&s);\n"
                    "  halve<<<1, 1>>>(x, out, n);\n"
                    "  halve<<<1, 1, 0, s>>>(x, out, n);\n"
                    "  halve<<<1, 1, 0, s>>>(x, out, n);\n"
                    "  halve<<<1, 1>>>(x, out, n);"),
            "launch mark await/1 launch/1 launch/1 mark/1 await launch");
  EXPECT_EQ(OrderOf("  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"
                    "  halve<<<1, 1>>>(x, out, n);\n"
                    "  halve<<<1, 1, 0, s>>>(x, out, n);\n"
                    "  halve<<<1, 1>>>(x, out, n);"),
            "launch launch/1 launch");
}

TEST_F(HostCodeTest, EventsOrderStreamsAndWaitingIsAStepOnlyInTheMiddle) {
  EXPECT_EQ(OrderOf("  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n"
                    "  cudaEvent_t e; cudaEventCreate(&e);\n"
                    "  halve<<<1, 1, 0, s>>>(x, out, n);\n"
                    "  cudaEventRecord(e, s); cudaStreamWaitEvent(0, e, 0);\n"
                    "  halve<<<1, 1>>>(x, out, n);\n"
                    "  cudaDeviceSynchronize();\n"
                    "  halve<<<1, 1>>>(x, out, n);\n"
                    "  cudaDeviceSynchronize();"),
            "launch/1 mark/1 await launch join launch");
}

TEST_F(HostCodeTest, ItSeesTheGpuThatItIsBuiltFor) {
  const auto steps = StepsOf(
      "  cudaDeviceProp all; cudaGetDeviceProperties(&all, 0);\n"
      "  halve<<<all.multiProcessorCount, 32 * all.major>>>(x, out, n);");
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].grid[0], 4U);
  EXPECT_EQ(steps[0].block[0], 288U);
}

TEST_F(HostCodeTest, DataIsOutOfItsReach) {
  EXPECT_THAT(RefusalOf("  if (x[0] > 1) halve<<<1, 1>>>(x, out, n);"),
              HasSubstr("died by signal"));
  EXPECT_THAT(RefusalOf("  float first; cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);\n"
                        "  halve<<<1, 1>>>(x, out, n);"),
              HasSubstr("cudaMemcpy of memory of the processor"));
}

// Twice x, seen as one row: out = 2 * x * (1).
constexpr const char* kTwiceByCublas =
    "  static cublasHandle_t handle = nullptr;\n"
    "  cublasCreate(&handle);\n"
    "  float* one;\n"
    "  cudaMalloc((void**)&one, 4);\n"
    "  cudaMemset(one, 0, 4);\n"
    "  set_to_one<<<1, 1>>>(one);\n"
    "  const float two = 2, nothing = 0;\n"
    "  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, 1, 1, &two, x, n, one, 1, &nothing, out, "
    "n);";

std::string WithCublas(const std::string& body) {
  return "#include <cublas_v2.h>\n__global__ void set_to_one(float* one) { *one = 1; }\n" +
         WithHostCode(body);
}

TEST_F(HostCodeTest, ProductsOfCublasAreMadeWhereThePolicyAllowsLibraries) {
  problem_.policy.libraries = true;
  const CallReport report = CallOf(WithCublas(kTwiceByCublas));
  ASSERT_FALSE(report.fault) << report.fault->reason << report.fault->output;
  ASSERT_EQ(report.outputs.size(), 1U) << report.exception;
  EXPECT_EQ(report.outputs[0].As<float>()[0], 0);
  EXPECT_EQ(report.outputs[0].As<float>()[999], 42);
}

TEST_F(HostCodeTest, ProductsOfCublasAreRefusedWhereThePolicyAllowsNone) {
  const auto build = Compile(WithCublas(kTwiceByCublas));
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kBuildFailed);
  EXPECT_THAT(build->output, HasSubstr("the problem's policy allows no libraries"));
}

TEST_F(HostCodeTest, WhatCannotBeRecordedIsRefusedWithItsName) {
  EXPECT_THAT(RefusalOf("  cudaGraphLaunch(nullptr, 0);"), HasSubstr("cudaGraphLaunch"));
  EXPECT_THAT(RefusalOf("  cudaDeviceSynchronize();"), HasSubstr("it launches nothing"));
  EXPECT_THAT(RefusalOf("  throw 3;"), HasSubstr("an exception"));
  EXPECT_THAT(RefusalOf("  cudaMemset(out, 0, 4 * n + 1);"), HasSubstr("beyond its array"));
  EXPECT_THAT(RefusalOf("  halve<<<1, 2000>>>(x, out, n);"), HasSubstr("1024"));
}

}  // namespace
}  // namespace hone::compute
