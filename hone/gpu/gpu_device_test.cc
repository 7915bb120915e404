// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdlib>

#include "hone/gpu/fake_gpu_for_test.h"
#include "hone/gpu/gpu_device_contract.h"

namespace hone::gpu {
namespace {

// That of this machine if HONE_TEST_GPU is set, else the simulated one (tests/simulated_gpu).
Result<std::shared_ptr<GpuDevice>> FirstCudaDevice() {
  if (std::getenv("HONE_TEST_GPU") == nullptr) ::setenv("HONE_CUDA", HONE_SIMULATED_GPU, 1);
  auto found = FindGpus();
  if (!found) return found.error();
  return found->front();
}

// The judge's loop asks on, whatever became of the GPU.
TEST(CudaDeviceTest, AGpuThatIsLostWhileItIsTakenIsLetGoWithoutHarm) {
  if (std::getenv("HONE_TEST_GPU") != nullptr) GTEST_SKIP() << "only the simulated GPU can be lost";
  const auto found = FirstCudaDevice();
  ASSERT_TRUE(found) << found.error().message;
  GpuDevice& device = **found;
  const auto memory = device.MakeMemory(64);
  ASSERT_TRUE(memory) << memory.error().message;
  ASSERT_TRUE(device.BeginTaking());
  ::setenv("HONE_SIMULATED_LOSS", "1", 1);
  EXPECT_FALSE((*memory)->Upload({0, 64}));
  ::unsetenv("HONE_SIMULATED_LOSS");
  EXPECT_TRUE(device.MakeMemory(64));  // In a new context.
  EXPECT_FALSE(device.IsTaken());
  device.LetGo();
  const auto gap = device.LongestGap();
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().code, Errc::kUnavailable);
  EXPECT_THAT(gap.error().message, ::testing::HasSubstr("lost while it was taken"));
  EXPECT_TRUE(device.BeginTaking());
  device.LetGo();
}

INSTANTIATE_TEST_SUITE_P(Fake, GpuDeviceContract,
                         ::testing::Values(GpuCase{"Fake",
                                                   [] { return std::make_shared<FakeGpu>(); }}),
                         NameOfGpuCase);
INSTANTIATE_TEST_SUITE_P(Cuda, GpuDeviceContract,
                         ::testing::Values(GpuCase{"Cuda", FirstCudaDevice}), NameOfGpuCase);

}  // namespace
}  // namespace hone::gpu
