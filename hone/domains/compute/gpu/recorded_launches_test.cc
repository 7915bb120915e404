// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/recorded_launches.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "hone/domains/compute/gpu/entry_recording.h"

namespace hone::compute {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kCopying = R"({"reference": "-", "backend": "cuda",
  "sizes": ["n"], "shapes": [{"n": 100}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";

template <typename T>
void Append(std::string& text, const T& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// A cubin with these kernels and nothing else.
std::string CubinWith(const std::vector<std::string>& kernels) {
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> sections(1);
  const auto add = [&](const std::string& name, std::uint64_t offset, std::uint64_t bytes) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<std::uint32_t>(names.size());
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = offset;
    section.sh_size = bytes;
    sections.push_back(section);
    names += name + '\0';
  };
  for (const std::string& kernel : kernels) add(".nv.info." + kernel, sizeof(Elf64_Ehdr), 0);
  add(".shstrtab", sizeof(Elf64_Ehdr), 0);
  sections.back().sh_size = names.size();
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof(header) + names.size();
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_shstrndx = static_cast<std::uint16_t>(sections.size() - 1);
  std::string cubin;
  Append(cubin, header);
  cubin += names;
  for (const Elf64_Shdr& section : sections) Append(cubin, section);
  return cubin;
}

class RecordedLaunchesTest : public ::testing::Test {
 protected:
  RecordedLaunchesTest() {
    step_->kind = kStepLaunch;
    for (int i = 0; i < 3; ++i) step_->grid[i] = step_->block[i] = 1;
    step_->function = 1;
    step_->arguments = 1;
    step_->count = 8;
    step_->addresses = 1;
    step_->address[0] = {kAddressOutput, 1, 0, 0, 0};
  }

  Result<RecordedLaunches> Make() {
    EntryBuild build;
    build.cubin = CubinWith({"first", "second"});
    std::string recording;
    Append(recording, header_);
    Append(recording, *step_);
    build.recordings = {recording};
    // By way of its packed form, which is what is kept.
    const auto unpacked = UnpackEntryBuild(PackEntryBuild(build));
    return RecordedLaunches::Make(unpacked.value(), problem_, Precision::kDeclared);
  }

  // What is said when the recording is changed so.
  std::string Complaint(const std::function<void()>& change) {
    const RecordingHeader header = header_;
    const Step step = *step_;
    change();
    const auto made = Make();
    header_ = header;
    *step_ = step;
    return made ? "" : made.error().message;
  }

  void BecomeFill(std::uint64_t bytes) {
    step_->kind = kStepFill;
    step_->count = bytes;
  }

  void BecomeProduct() {
    step_->kind = kStepMultiply;
    step_->count = kProductAt + sizeof(MatrixProduct);
    step_->addresses = 3;
    step_->address[0] = {kAddressInput, 0, 0, 0, 0};
    step_->address[1] = {kAddressInput, 0, 8, 0, 0};
    step_->address[2] = {kAddressOutput, 1, 16, 0, 0};
  }

  Problem problem_ = ParseProblem(kCopying, "test").value();
  RecordingHeader header_{kRecordingMagic, 1, 0, 0, 0};
  std::unique_ptr<Step> step_ = std::make_unique<Step>();
};

TEST_F(RecordedLaunchesTest, OnlyKernelsThatAreLaunchedAreLoaded) {
  const auto plan = Make();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(plan->functions(), ElementsAre("second"));
  const auto block = std::make_unique<LaunchBlock>();
  ASSERT_TRUE(plan->Fill({{"n", 100}}, *block));
  EXPECT_EQ(block->steps, 1U);
  EXPECT_EQ(block->step[0].function, 0U);
  EXPECT_FALSE(plan->Fill({{"n", 101}}, *block));
}

TEST_F(RecordedLaunchesTest, WhatNoHostCodeCanAskForIsRefused) {
  EXPECT_EQ(Complaint([] {}), "");
  EXPECT_THAT(Complaint([this] { header_.magic = 1; }), HasSubstr("do not fit"));
  EXPECT_THAT(Complaint([this] { header_.steps = 2; }), HasSubstr("do not fit"));
  EXPECT_THAT(Complaint([this] { header_.streams = kMaxStreams; }), HasSubstr("do not fit"));
  EXPECT_THAT(Complaint([this] { step_->stream = 1; }), HasSubstr("no stream"));
  EXPECT_THAT(Complaint([this] { step_->kind = 77; }), HasSubstr("no kind"));
  EXPECT_THAT(Complaint([this] { step_->function = 2; }), HasSubstr("no kernel"));
  EXPECT_THAT(Complaint([this] { step_->arguments = kMaxArguments + 1; }), HasSubstr("no kernel"));
  EXPECT_THAT(Complaint([this] { step_->argument[0] = kMaxArgumentBytes; }), HasSubstr("reach"));
  EXPECT_THAT(Complaint([this] { step_->address[0].at = kMaxArgumentBytes - 4; }),
              HasSubstr("reach"));
  EXPECT_THAT(Complaint([this] { step_->addresses = kMaxAddresses + 1; }), HasSubstr("no stream"));
  EXPECT_THAT(Complaint([this] { step_->address[0].which = 2; }), HasSubstr("no array"));
  EXPECT_THAT(Complaint([this] { step_->address[0].kind = kAddressInput; }), HasSubstr("no array"));
  EXPECT_THAT(Complaint([this] { step_->address[0].kind = kAddressScratch; }),
              HasSubstr("no array"));
  EXPECT_THAT(Complaint([this] { step_->kind = kStepMark; }), HasSubstr("event"));
  EXPECT_THAT(Complaint([this] { step_->block[0] = 1025; }), HasSubstr("1024"));
}

TEST_F(RecordedLaunchesTest, FillsAndCopiesStayWithinArraysThatMayBeWritten) {
  EXPECT_EQ(Complaint([this] { BecomeFill(400); }), "");
  EXPECT_THAT(Complaint([this] { BecomeFill(401); }), HasSubstr("beyond its array"));
  EXPECT_THAT(Complaint([this] {
                BecomeFill(4);
                step_->address[0].offset = -4;
              }),
              HasSubstr("beyond its array"));
  EXPECT_THAT(Complaint([this] {
                BecomeFill(std::uint64_t{1} << 63);
                step_->address[0].offset = 8;
              }),
              HasSubstr("beyond its array"));
  EXPECT_THAT(Complaint([this] {
                BecomeFill(4);
                step_->address[0] = {kAddressInput, 0, 0, 0, 0};
              }),
              HasSubstr("writes to an input"));
  EXPECT_THAT(Complaint([this] {
                BecomeFill(4);
                step_->addresses = 0;
              }),
              HasSubstr("without its addresses"));
}

TEST_F(RecordedLaunchesTest, ProductsNeedAPolicyAndTheirThreeMatrices) {
  EXPECT_THAT(Complaint([this] { BecomeProduct(); }), HasSubstr("no library is allowed"));
  problem_.policy.libraries = true;
  EXPECT_EQ(Complaint([this] { BecomeProduct(); }), "");
  EXPECT_THAT(Complaint([this] {
                BecomeProduct();
                step_->addresses = 2;
              }),
              HasSubstr("without its matrices"));
  EXPECT_THAT(Complaint([this] {
                BecomeProduct();
                step_->count = kMaxArgumentBytes;
              }),
              HasSubstr("without its matrices"));
  EXPECT_THAT(Complaint([this] {
                BecomeProduct();
                step_->address[1].at = kProductAt;  // It would change what is multiplied.
              }),
              HasSubstr("out of reach"));
  EXPECT_THAT(Complaint([this] {
                BecomeProduct();
                step_->address[2] = {kAddressInput, 0, 16, 0, 0};
              }),
              HasSubstr("written to an input"));
  BecomeProduct();
  EXPECT_TRUE(Make()->multiplies());
}

TEST_F(RecordedLaunchesTest, BuildThatIsCutIsNoBuild) {
  EntryBuild build;
  build.cubin = CubinWith({"first"});
  build.recordings = {"one", "two"};
  const std::string packed = PackEntryBuild(build);
  const auto whole = UnpackEntryBuild(packed);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->recordings, ElementsAre("one", "two"));
  EXPECT_FALSE(UnpackEntryBuild(packed.substr(0, packed.size() - 1)));
  EXPECT_FALSE(UnpackEntryBuild(packed.substr(0, 4)));
}

}  // namespace
}  // namespace hone::compute
