// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the arithmetic that clients write into problems and candidates into their
// launches. scripts/fuzz-formula builds and runs it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hone/domains/compute/problem/formula.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using hone::compute::Formula;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto formula = Formula::Parse(text, {"m", "n"});
  if (!formula) {
    if (formula.error().message.size() > 3000) __builtin_trap();
    return 0;
  }
  const std::int64_t value = formula->At({{"m", 1}, {"n", std::int64_t{1} << 32}});
  if (value != formula->At({{"m", 1}, {"n", std::int64_t{1} << 32}})) __builtin_trap();
  return 0;
}
