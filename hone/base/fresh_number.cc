// SPDX-License-Identifier: Apache-2.0
#include "hone/base/fresh_number.h"

#include <sys/random.h>

#include "hone/core/check.h"

namespace hone {

std::uint64_t FreshNumber() {
  std::uint64_t number = 0;
  HONE_CHECK(::getrandom(&number, sizeof number, 0) == sizeof number);
  return number;
}

}  // namespace hone
