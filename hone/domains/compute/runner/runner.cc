// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner.h"

namespace hone::compute {

Result<CallReport> Runner::MakeInputs(std::uint64_t seed, std::chrono::nanoseconds limit) {
  (void)seed;
  (void)limit;
  return Error{Errc::kUnsupported, "this backend's inputs are drawn by the judge"};
}

}  // namespace hone::compute
