// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/runner.h"

namespace hone::compute {

std::int64_t BeginOf(const OutputPart& part, std::int64_t count) {
  return static_cast<std::int64_t>(part.place * static_cast<double>(count - part.elements));
}

Result<CallReport> Runner::MakeInputs(std::uint64_t seed, std::chrono::nanoseconds limit) {
  (void)seed;
  (void)limit;
  return Error{Errc::kUnsupported, "this backend's inputs are drawn by the judge"};
}

}  // namespace hone::compute
