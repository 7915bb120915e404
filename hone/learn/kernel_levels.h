// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/learn/kernels.h"

// One function a level; the file that defines it is compiled for that level. Whether it may be
// called is for kernels.cc to know.
namespace hone::learn {

struct KernelPair {
  Kernels<float> single;
  Kernels<double> twofold;
};

KernelPair PlainKernels();
KernelPair Avx2Kernels();
KernelPair Avx512Kernels();
KernelPair NeonKernels();

}  // namespace hone::learn
