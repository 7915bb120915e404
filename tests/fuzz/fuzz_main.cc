// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls. HONE_FUZZ_ENTRY is one of the functions of kconfig_inputs.h.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/kconfig_inputs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  hone::kconfig::HONE_FUZZ_ENTRY(std::string_view(reinterpret_cast<const char*>(bytes), size));
  return 0;
}
