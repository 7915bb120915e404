// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::compute {

struct ElfSection {
  Elf64_Shdr header{};
  std::string name;
  std::string_view bytes;  // Of the file; cut where it ends.
};

// The sections of an ELF file of 64 bit, in their order. The file may be hostile: whatever its
// headers say, nothing outside of it is read. `what` names it in an error.
Result<std::vector<ElfSection>> ReadElfSections(std::string_view file, std::string_view what);

// The name that begins there in a section of names.
std::string ElfNameAt(std::string_view names, std::uint64_t offset);

}  // namespace hone::compute
