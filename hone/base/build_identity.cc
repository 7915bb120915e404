// SPDX-License-Identifier: Apache-2.0
#include "hone/base/build_identity.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <string_view>

namespace hone {
namespace {

// With its end, as the notes have it.
constexpr std::string_view kOwner("GNU\0", 4);

constexpr std::size_t PaddedTo4(std::size_t size) { return (size + 3) / 4 * 4; }

// The description of the note "GNU" of this type; empty if it is not among the notes.
std::string_view GnuNote(std::string_view notes, std::uint32_t type) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto& head = *reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
    notes.remove_prefix(sizeof head);
    const std::size_t name = PaddedTo4(head.n_namesz);
    if (name + PaddedTo4(head.n_descsz) > notes.size()) return {};
    const bool is_gnu = notes.substr(0, head.n_namesz) == kOwner;
    if (is_gnu && head.n_type == type) return notes.substr(name, head.n_descsz);
    notes.remove_prefix(name + PaddedTo4(head.n_descsz));
  }
  return {};
}

// The first object is the program itself.
int TakeBuildId(dl_phdr_info* object, std::size_t /*size*/, void* identity) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says where it is as a number.
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    for (const char c : GnuNote({notes, segment.p_memsz}, NT_GNU_BUILD_ID)) {
      *static_cast<std::string*>(identity) += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
  }
  return 1;
}

}  // namespace

std::string BuildIdentity() {
  std::string identity;
  dl_iterate_phdr(TakeBuildId, &identity);
  return identity;
}

}  // namespace hone
