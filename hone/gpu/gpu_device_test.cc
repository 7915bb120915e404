// SPDX-License-Identifier: Apache-2.0
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

INSTANTIATE_TEST_SUITE_P(Fake, GpuDeviceContract,
                         ::testing::Values(GpuCase{"Fake",
                                                   [] { return std::make_shared<FakeGpu>(); }}),
                         NameOfGpuCase);
INSTANTIATE_TEST_SUITE_P(Cuda, GpuDeviceContract,
                         ::testing::Values(GpuCase{"Cuda", FirstCudaDevice}), NameOfGpuCase);

}  // namespace
}  // namespace hone::gpu
