// SPDX-License-Identifier: Apache-2.0
// What is overrun in a program of ours ends the process: read off the files that are embedded.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "hone/base/file.h"

namespace hone {
namespace {

std::vector<std::string> Programs() {
  std::vector<std::string> programs;
  std::istringstream listed(HONE_PROGRAMS);
  for (std::string program; std::getline(listed, program, ':');) programs.push_back(program);
  return programs;
}

template <typename T>
T At(const std::string& file, std::size_t place) {
  T value{};
  if (place + sizeof value <= file.size()) std::memcpy(&value, file.data() + place, sizeof value);
  return value;
}

class HardeningTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto file = ReadFile(GetParam(), std::size_t{1} << 30);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    file_ = *std::move(file);
    header_ = At<Elf64_Ehdr>(file_, 0);
    ASSERT_EQ(std::memcmp(header_.e_ident, ELFMAG, SELFMAG), 0);
  }

  const Elf64_Phdr* Segment(Elf64_Word type) {
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      segment_ = At<Elf64_Phdr>(file_, header_.e_phoff + i * sizeof(Elf64_Phdr));
      if (segment_.p_type == type) return &segment_;
    }
    return nullptr;
  }

  Elf64_Xword DynamicFlags(Elf64_Sxword tag) {
    const Elf64_Phdr* dynamic = Segment(PT_DYNAMIC);
    if (dynamic == nullptr) return 0;
    for (std::size_t at = 0; at < dynamic->p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = At<Elf64_Dyn>(file_, dynamic->p_offset + at);
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return 0;
  }

  std::string file_;
  Elf64_Ehdr header_{};
  Elf64_Phdr segment_{};
};

TEST_P(HardeningTest, ItsPlaceInMemoryIsDrawnAtEveryStart) {
  EXPECT_EQ(header_.e_type, ET_DYN);
  EXPECT_NE(DynamicFlags(DT_FLAGS_1) & DF_1_PIE, 0U);
}

TEST_P(HardeningTest, TablesOfFunctionsCannotBeWritten) {
  EXPECT_NE(Segment(PT_GNU_RELRO), nullptr);
  EXPECT_NE(DynamicFlags(DT_FLAGS_1) & DF_1_NOW, 0U);
}

TEST_P(HardeningTest, TheStackCannotBeExecutedAndIsWatched) {
  const Elf64_Phdr* stack = Segment(PT_GNU_STACK);
  ASSERT_NE(stack, nullptr);
  EXPECT_EQ(stack->p_flags & PF_X, 0U);
  // A dynamic program asks the C library for the first, a static one has the second's words in it.
  EXPECT_TRUE(file_.find("__stack_chk_fail") != std::string::npos ||
              file_.find("stack smashing detected") != std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Programs, HardeningTest, testing::ValuesIn(Programs()),
                         [](const auto& instance) {
                           return std::filesystem::path(instance.param).filename().string();
                         });

}  // namespace
}  // namespace hone
