// SPDX-License-Identifier: Apache-2.0
#include "hone/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace hone {

void FailCheck(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "hone: broken promise at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace hone
