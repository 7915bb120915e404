// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernels {

// What a program or a library asks of the dynamic linker.
struct ElfProgram {
  std::uint16_t machine = 0;                   // EM_X86_64 and its like.
  std::string loader = {};                     // Empty: it needs none.
  std::vector<std::string> needed_names = {};  // Of libraries, as they stand there.
};

// Reads a file in ELF's 64-bit form; nullopt for anything else, and where it contradicts itself.
// The file may be hostile: nothing of it is run, and nothing outside of it is read.
std::optional<ElfProgram> ReadElfProgram(std::string_view file);

}  // namespace hone::kernels
