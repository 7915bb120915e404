// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace hone {

// What the caller can do about an Error.
enum class Errc {
  kInvalidArgument,  // Correct the request; the same one fails again.
  kNotFound,         // The named thing does not exist.
  kConflict,         // The name is taken by something else: choose another.
  kStale,            // Someone else holds it now: stop, do not retry.
  kUnavailable,      // Try again later.
  kUnsupported,      // Not in this build, or not on this machine.
  kCorrupt,          // Stored data does not parse: a person must look.
};

// A failure of the service. What a candidate did (it was wrong, it hung) is an Evaluation.
struct Error {
  Errc code;
  std::string message;  // Names the thing first: "sysctl vm.swapiness: no such key"
};

// A T, or the Error that kept it from being made.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;

  // Implicit, so that `return Error{…};` and `return other.error();` read as they should.
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

}  // namespace hone
