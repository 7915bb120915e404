// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/gpu_peak.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/gpu/cuda_backend.h"

// On the simulated GPU (tests/simulated_gpu).
namespace hone::compute {
namespace {

class GpuPeakTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("HONE_CUDA", HONE_SIMULATED_GPU, 1);
    gpu_ = gpu::FindGpus().value().front()->Facts();
    backend_ = CudaBackendEntry().make(folder_.path() / "cache").value();
  }

  std::filesystem::path KeptFile() const {
    return folder_.path() / "peaks" / (gpu_.uuid + "-" + gpu_.driver + ".json");
  }

  MachinePeak Peak() { return KeptGpuPeak(*backend_, gpu_, folder_.path() / "peaks"); }

  TempDir folder_ = TempDir::Make().value();
  gpu::GpuFacts gpu_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(GpuPeakTest, IsMeasuredOnceAndKept) {
  const MachinePeak first = Peak();
  const MachinePeak max = ArchitecturePeak(gpu_);
  EXPECT_GT(first.bytes_per_ns, 0);
  EXPECT_GT(first.operations_per_ns, 0);
  EXPECT_LE(first.bytes_per_ns, max.bytes_per_ns);
  EXPECT_LE(first.operations_per_ns, max.operations_per_ns);
  const MachinePeak again = Peak();
  EXPECT_DOUBLE_EQ(again.bytes_per_ns, first.bytes_per_ns);
  EXPECT_DOUBLE_EQ(again.operations_per_ns, first.operations_per_ns);
}

TEST_F(GpuPeakTest, WhatIsKeptIsNotMeasuredAgain) {
  ASSERT_TRUE(MakeFolder(KeptFile().parent_path()));
  ASSERT_TRUE(
      WriteFileAtomically(KeptFile(), R"({"bytes_per_ns": 1.5, "operations_per_ns": 2.5})"));
  EXPECT_DOUBLE_EQ(Peak().bytes_per_ns, 1.5);
  EXPECT_DOUBLE_EQ(Peak().operations_per_ns, 2.5);
}

TEST_F(GpuPeakTest, OneThatWasMeasuredInABadMomentIsRaised) {
  ASSERT_TRUE(MakeFolder(KeptFile().parent_path()));
  ASSERT_TRUE(
      WriteFileAtomically(KeptFile(), R"({"bytes_per_ns": 0.001, "operations_per_ns": 1e9})"));
  const MachinePeak raised = RaiseGpuPeak(*backend_, gpu_, folder_.path() / "peaks");
  EXPECT_GT(raised.bytes_per_ns, 0.001);
  EXPECT_DOUBLE_EQ(raised.operations_per_ns, ArchitecturePeak(gpu_).operations_per_ns);
  EXPECT_DOUBLE_EQ(Peak().bytes_per_ns, raised.bytes_per_ns);
}

TEST_F(GpuPeakTest, AFileThatMakesNoSenseIsMeasuredAnew) {
  ASSERT_TRUE(MakeFolder(KeptFile().parent_path()));
  ASSERT_TRUE(
      WriteFileAtomically(KeptFile(), R"({"bytes_per_ns": 0, "operations_per_ns": "much"})"));
  EXPECT_GT(Peak().bytes_per_ns, 0);
  EXPECT_THAT(ReadFile(KeptFile()).value(), ::testing::Not(::testing::HasSubstr("much")));
}

TEST_F(GpuPeakTest, IsNotKeptWhileOthersUseTheGpu) {
  ::setenv("HONE_SIMULATED_OTHER", "1", 1);
  const MachinePeak peak = Peak();
  ::unsetenv("HONE_SIMULATED_OTHER");
  EXPECT_DOUBLE_EQ(peak.bytes_per_ns, ArchitecturePeak(gpu_).bytes_per_ns);
  EXPECT_FALSE(std::filesystem::exists(KeptFile()));
}

TEST_F(GpuPeakTest, NoneIsAboveWhatTheArchitectureAllows) {
  ASSERT_TRUE(MakeFolder(KeptFile().parent_path()));
  ASSERT_TRUE(
      WriteFileAtomically(KeptFile(), R"({"bytes_per_ns": 1e30, "operations_per_ns": 1e30})"));
  EXPECT_DOUBLE_EQ(Peak().bytes_per_ns, ArchitecturePeak(gpu_).bytes_per_ns);
}

}  // namespace
}  // namespace hone::compute
