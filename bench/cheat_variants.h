// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/domain.h"

// Kernels made from one that is honest: others that try to look faster than it is, and others that
// are as honest as it is.
namespace hone {

struct KernelVariant {
  std::string kind;  // "early": what it tries; "honest" for those that try nothing.
  std::string name;
  std::string source;
  bool is_to_crash = false;  // What it tries is caught by ending its process.
};

// A problem with an honest kernel, and all that is made from it.
struct VariedProblem {
  std::string name;
  Options options;
  std::string honest;
  std::vector<KernelVariant> variants;
  int judges = 1;  // Side by side: where the one that times goes alone by itself.
};

VariedProblem VaryCpp(const std::string& problem);  // By its name.
// Honest kernels with up to four threads.
VariedProblem VaryThreads();
std::vector<VariedProblem> VaryTorch();
VariedProblem VaryCuda(const std::string& problem);

}  // namespace hone
