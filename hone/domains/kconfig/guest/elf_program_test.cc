// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/elf_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/core/rng.h"
#include "hone/domains/kconfig/guest/elf_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::StartsWith;

const ElfForTest kAsked{.loader = "/lib64/ld.so.2", .needed_names = {"libone.so", "libtwo.so.6"}};

template <typename Part>
std::string ElfWith(std::string file, std::size_t at, const std::function<void(Part&)>& change) {
  Part part{};
  std::memcpy(&part, file.data() + at, sizeof(part));
  change(part);
  std::memcpy(file.data() + at, &part, sizeof(part));
  return file;
}

std::string ElfWithHeader(const std::function<void(Elf64_Ehdr&)>& change) {
  return ElfWith<Elf64_Ehdr>(MakeElf(kAsked), 0, change);
}

// 0: what is loaded, 1: the loader's name, 2: what is needed.
std::string ElfWithSegment(std::size_t number, const std::function<void(Elf64_Phdr&)>& change) {
  return ElfWith<Elf64_Phdr>(MakeElf(kAsked), sizeof(Elf64_Ehdr) + number * sizeof(Elf64_Phdr),
                             change);
}

std::string ElfWithEntry(std::size_t number, const std::function<void(Elf64_Dyn&)>& change) {
  const std::string file = MakeElf(kAsked);
  return ElfWith<Elf64_Dyn>(file, file.size() - (5 - number) * sizeof(Elf64_Dyn), change);
}

TEST(ElfProgramTest, TellsItsLoaderAndWhatItNeeds) {
  const auto program = ReadElfProgram(MakeElf(kAsked));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->machine, EM_X86_64);
  EXPECT_EQ(program->loader, "/lib64/ld.so.2");
  EXPECT_THAT(program->needed_names, ElementsAre("libone.so", "libtwo.so.6"));
}

TEST(ElfProgramTest, AProgramOfThisMachineIsReadAsItsLinkerDoes) {
  const auto text = ReadFile(*FindProgram("ls", SearchPath()));
  ASSERT_TRUE(text);
  const auto program = ReadElfProgram(*text);
  ASSERT_TRUE(program);
  EXPECT_THAT(program->loader, StartsWith("/lib"));
  EXPECT_THAT(program->needed_names, Contains("libc.so.6"));
}

TEST(ElfProgramTest, WhatIsNoneIsNothing) {
  for (const char* text : {"",
                           "\x7f"
                           "ELF",
                           "#!/bin/sh\n"})
    EXPECT_FALSE(ReadElfProgram(text));
  EXPECT_FALSE(ReadElfProgram(ElfWithHeader([](auto& h) { h.e_ident[EI_CLASS] = ELFCLASS32; })));
  EXPECT_FALSE(ReadElfProgram(ElfWithHeader([](auto& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; })));
}

TEST(ElfProgramTest, OneThatIsCutAnywhereIsNothingAndReadsNothingBeyond) {
  const std::string file = MakeElf(kAsked);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(ReadElfProgram({cut.data(), cut.size()})) << size;
  }
}

TEST(ElfProgramTest, OffsetsThatLeadOutAreRefused) {
  constexpr std::uint64_t kFar = ~std::uint64_t{0} - 8;
  const std::vector<std::pair<const char*, std::string>> hostile{
      {"segments beyond the end", ElfWithHeader([](auto& h) { h.e_phoff = kFar; })},
      {"more segments than fit", ElfWithHeader([](auto& h) { h.e_phnum = 0xffff; })},
      {"no segments", ElfWithHeader([](auto& h) { h.e_phnum = 0; })},
      {"segments of another size", ElfWithHeader([](auto& h) { h.e_phentsize = 1; })},
      {"a loader beyond the end", ElfWithSegment(1, [](auto& s) { s.p_offset = kFar; })},
      {"a loader without an end", ElfWithSegment(1, [](auto& s) { s.p_filesz = 3; })},
      {"a loader of everything", ElfWithSegment(1, [](auto& s) { s.p_filesz = kFar; })},
      {"names outside of what is loaded", ElfWithSegment(0, [](auto& s) { s.p_filesz = 8; })},
      {"names loaded from beyond", ElfWithSegment(0, [](auto& s) { s.p_offset = kFar; })},
      {"names below", ElfWithSegment(0, [](auto& s) { s.p_vaddr = kFar; })},
      {"two lists of needs", ElfWithSegment(1, [](auto& s) { s.p_type = PT_DYNAMIC; })},
      {"a name beyond its table", ElfWithEntry(0, [](auto& e) { e.d_un.d_val = kFar; })},
      {"a name that ends nowhere", ElfWithEntry(3, [](auto& e) { e.d_un.d_val = 5; })},
      {"an empty name", ElfWithEntry(0, [](auto& e) { e.d_un.d_val = 0; })},
      {"a table of names elsewhere", ElfWithEntry(2, [](auto& e) { e.d_un.d_ptr = kFar; })}};
  for (const auto& [what, file] : hostile) EXPECT_FALSE(ReadElfProgram(file)) << what;
  const ElfForTest greedy{.needed_names = std::vector<std::string>(2000, "lib.so")};
  EXPECT_FALSE(ReadElfProgram(MakeElf(greedy)));
}

TEST(ElfProgramTest, NoiseEndsInAnAnswer) {
  Rng rng(7);
  for (int round = 0; round < 20000; ++round) {
    std::string file = MakeElf(kAsked);
    for (int k = 0; k < 4; ++k) {
      file[rng.Below(file.size())] = static_cast<char>(rng.Below(256));
    }
    file.resize(rng.Below(file.size()) + 1);
    static_cast<void>(ReadElfProgram(file));
  }
}

}  // namespace
}  // namespace hone::kernels
