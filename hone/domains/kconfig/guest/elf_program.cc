// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/elf_program.h"

#include <elf.h>

#include <cstring>
#include <utility>

namespace hone::kernels {
namespace {

constexpr std::size_t kMaxNeeded = 1024;
constexpr std::size_t kMaxName = 4096;  // A path, as long as the kernel takes one.

template <typename T>
std::optional<T> PartAt(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T part;
  std::memcpy(&part, file.data() + offset, sizeof(T));
  return part;
}

// Empty unless all of it is there.
std::string_view BytesAt(std::string_view file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return {};
  return file.substr(offset, size);
}

// nullopt unless it ends there, soon enough, and has a letter.
std::optional<std::string> NameAt(std::string_view names, std::uint64_t offset) {
  if (offset >= names.size()) return std::nullopt;
  const std::string_view rest = names.substr(offset, kMaxName);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return std::string(rest.substr(0, end));
}

class ElfReader {
 public:
  explicit ElfReader(std::string_view file) : file_(file) {}

  std::optional<ElfProgram> Read() {
    const auto header = PartAt<Elf64_Ehdr>(file_, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0) {
      return std::nullopt;
    }
    const std::string_view table =
        BytesAt(file_, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
    if (table.empty()) return std::nullopt;
    segments_.resize(header->e_phnum);
    std::memcpy(segments_.data(), table.data(), table.size());
    ElfProgram program{.machine = header->e_machine};
    for (const Elf64_Phdr& segment : segments_) {
      const bool is_read = (segment.p_type != PT_INTERP || ReadLoader(segment, program)) &&
                           (segment.p_type != PT_DYNAMIC || ReadNeeded(segment, program));
      if (!is_read) return std::nullopt;
    }
    return program;
  }

 private:
  bool ReadLoader(const Elf64_Phdr& segment, ElfProgram& program) const {
    const auto name = NameAt(BytesAt(file_, segment.p_offset, segment.p_filesz), 0);
    program.loader = name.value_or("");
    return name.has_value();
  }

  // Names stand in a table of texts, which is told by where it lies in memory.
  bool ReadNeeded(const Elf64_Phdr& segment, ElfProgram& program) {
    if (std::exchange(has_dynamic_, true)) return false;  // Each would be read to its end.
    const std::string_view entries = BytesAt(file_, segment.p_offset, segment.p_filesz);
    if (entries.size() != segment.p_filesz) return false;
    std::vector<std::uint64_t> needed;
    std::uint64_t names_at = 0;
    std::uint64_t names_size = 0;
    for (std::uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
      const auto entry = PartAt<Elf64_Dyn>(entries, at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_STRTAB) names_at = entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRSZ) names_size = entry->d_un.d_val;
      if (entry->d_tag == DT_NEEDED) needed.push_back(entry->d_un.d_val);
      if (needed.size() > kMaxNeeded) return false;
    }
    const std::string_view names = InMemory(names_at, names_size);
    for (const std::uint64_t offset : needed) {
      auto name = NameAt(names, offset);
      if (!name) return false;
      program.needed_names.push_back(std::move(*name));
    }
    return true;
  }

  // What of the file is loaded there; empty unless one segment has all of it.
  std::string_view InMemory(std::uint64_t address, std::uint64_t size) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const std::uint64_t into = address - segment.p_vaddr;
      if (into > segment.p_filesz || size > segment.p_filesz - into) continue;
      const std::string_view loaded = BytesAt(file_, segment.p_offset, segment.p_filesz);
      return BytesAt(loaded, into, size);
    }
    return {};
  }

  std::string_view file_;
  std::vector<Elf64_Phdr> segments_;
  bool has_dynamic_ = false;
};

}  // namespace

std::optional<ElfProgram> ReadElfProgram(std::string_view file) { return ElfReader(file).Read(); }

}  // namespace hone::kernels
