// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "hone/core/value.h"

namespace hone {

// One proposal inside a domain: values for parameters or Kconfig options, a source text, or both.
struct Candidate {
  Assignment assignment;
  std::string source;

  bool operator==(const Candidate&) const = default;
};

// The same for equal candidates, on every machine: a seed. No key, for others may have it too.
std::uint64_t DigestOf(const Candidate& candidate);

// The parameters at which the two differ: those of `candidate`, as "name=value", for people.
std::string DescribeChange(const Candidate& baseline, const Candidate& candidate);

}  // namespace hone
