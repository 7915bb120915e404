// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/gpu/gpu_device.h"
#include "hone/testing/wait_until.h"

// What every GpuDevice promises. In its test:
//
//   INSTANTIATE_TEST_SUITE_P(Fake, GpuDeviceContract, ::testing::Values(GpuCase{"Fake", make}),
//                            NameOfGpuCase);
//
// Include this in one source of a test program only.
namespace hone::gpu {

struct GpuCase {
  std::string name;  // Letters and digits.
  std::function<Result<std::shared_ptr<GpuDevice>>()> make;
};

inline std::string NameOfGpuCase(const ::testing::TestParamInfo<GpuCase>& info) {
  return info.param.name;
}

class GpuDeviceContract : public ::testing::TestWithParam<GpuCase> {
 protected:
  static constexpr std::size_t kBytes = 3 << 20;

  void SetUp() override {
    auto made = GetParam().make();
    if (!made && made.error().code == Errc::kUnsupported) GTEST_SKIP() << made.error().message;
    ASSERT_TRUE(made) << made.error().message;
    device_ = *made;
  }

  std::unique_ptr<GpuMemory> Make(std::size_t bytes = kBytes) {
    auto memory = device_->MakeMemory(bytes);
    EXPECT_TRUE(memory) << memory.error().message;
    return memory ? std::move(*memory) : nullptr;
  }

  static void Fill(GpuMemory& memory, const Range& range, int value) {
    std::fill_n(memory.here() + range.offset, range.bytes, static_cast<std::byte>(value));
  }

  void FillThere(GpuMemory& memory, int value) {
    Fill(memory, {0, memory.bytes()}, value);
    EXPECT_TRUE(memory.Upload({0, memory.bytes()}));
    EXPECT_TRUE(device_->Finish());
  }

  // What is there, of all of it. The copy here held something else before.
  std::vector<std::byte> There(GpuMemory& memory) {
    const Range all{0, memory.bytes()};
    Fill(memory, all, 0xEE);
    EXPECT_TRUE(memory.Download(all));
    EXPECT_TRUE(device_->Finish());
    return {memory.here(), memory.here() + memory.bytes()};
  }

  static void ExpectAll(const std::vector<std::byte>& found, const Range& range, int value) {
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(range.offset);
    const auto count = std::count(first, first + static_cast<std::ptrdiff_t>(range.bytes),
                                  static_cast<std::byte>(value));
    EXPECT_EQ(static_cast<std::size_t>(count), range.bytes) << "from byte " << range.offset;
  }

  std::shared_ptr<GpuDevice> device_;
};

TEST_P(GpuDeviceContract, ItHasANameAndMemoryAndTellsHowItIs) {
  EXPECT_FALSE(device_->Facts().name.empty());
  EXPECT_FALSE(device_->Facts().uuid.empty());
  EXPECT_GT(device_->Facts().memory_bytes, 0);
  const auto reading = device_->Read();
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_GE(reading->used_bytes, 0);
}

TEST_P(GpuDeviceContract, WhatWasUploadedComesBackAndNothingElseIsTouched) {
  const auto memory = Make();
  EXPECT_GE(memory->bytes(), kBytes);
  FillThere(*memory, 1);
  Fill(*memory, {0, memory->bytes()}, 2);
  EXPECT_TRUE(memory->Upload({1001, 77}));
  const auto found = There(*memory);
  ExpectAll(found, {0, 1001}, 1);
  ExpectAll(found, {1001, 77}, 2);
  ExpectAll(found, {1078, found.size() - 1078}, 1);
}

TEST_P(GpuDeviceContract, OnlyTheRangeThatIsDownloadedChangesHere) {
  const auto memory = Make();
  FillThere(*memory, 1);
  Fill(*memory, {0, memory->bytes()}, 2);
  EXPECT_TRUE(memory->Download({500, 100}));
  EXPECT_TRUE(device_->Finish());
  const std::vector<std::byte> here(memory->here(), memory->here() + memory->bytes());
  ExpectAll(here, {0, 500}, 2);
  ExpectAll(here, {500, 100}, 1);
  ExpectAll(here, {600, here.size() - 600}, 2);
}

TEST_P(GpuDeviceContract, APatternIsRepeatedToTheLastByteAndNoFurther) {
  const auto memory = Make();
  FillThere(*memory, 1);
  for (std::size_t i = 0; i < 24; ++i) memory->here()[64 + i] = static_cast<std::byte>(100 + i);
  EXPECT_TRUE(memory->Upload({64, 24}));
  const Range all{64, 24 * 5000 + 7};
  EXPECT_TRUE(memory->Repeat(all, 24));
  const auto found = There(*memory);
  ExpectAll(found, {0, 64}, 1);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.bytes; ++i) {
    wrong += found[64 + i] == static_cast<std::byte>(100 + i % 24) ? 0U : 1U;
  }
  EXPECT_EQ(wrong, 0U);
  ExpectAll(found, {64 + all.bytes, found.size() - 64 - all.bytes}, 1);
}

TEST_P(GpuDeviceContract, ARangeThatIsShorterThanThePatternStaysAsItIs) {
  const auto memory = Make();
  Fill(*memory, {0, memory->bytes()}, 3);
  EXPECT_TRUE(memory->Upload({0, memory->bytes()}));
  EXPECT_TRUE(memory->Repeat({100, 10}, 10));
  ExpectAll(There(*memory), {0, kBytes}, 3);
}

TEST_P(GpuDeviceContract, BytesComeFromAnotherMemory) {
  const auto from = Make();
  const auto to = Make();
  Fill(*from, {0, from->bytes()}, 5);
  Fill(*to, {0, to->bytes()}, 6);
  EXPECT_TRUE(from->Upload({0, from->bytes()}));
  EXPECT_TRUE(to->Upload({0, to->bytes()}));
  EXPECT_TRUE(to->CopyFrom(from->address() + 256, {1000, 500}));
  const auto found = There(*to);
  ExpectAll(found, {0, 1000}, 6);
  ExpectAll(found, {1000, 500}, 5);
  ExpectAll(found, {1500, found.size() - 1500}, 6);
}

TEST_P(GpuDeviceContract, CopiesAreMadeInTheirOrder) {
  const auto stage = Make();
  const auto memory = Make();
  for (int value = 1; value <= 20; ++value) {
    const auto at = static_cast<std::uint64_t>(value) * 64;
    Fill(*stage, {at, 64}, value);
    EXPECT_TRUE(stage->Upload({at, 64}));
    EXPECT_TRUE(memory->CopyFrom(stage->address() + at, {0, 64}));
    EXPECT_TRUE(memory->Repeat({0, 4096}, 64));
  }
  ExpectAll(There(*memory), {0, 4096}, 20);
}

TEST_P(GpuDeviceContract, ChillingLeavesMemoryAsItIs) {
  const auto memory = Make();
  Fill(*memory, {0, memory->bytes()}, 9);
  EXPECT_TRUE(memory->Upload({0, memory->bytes()}));
  EXPECT_TRUE(device_->Chill());
  ExpectAll(There(*memory), {0, kBytes}, 9);
}

TEST_P(GpuDeviceContract, ItCanBeTakenAgainAndAgainAndCopiesAreMadeMeanwhile) {
  const auto memory = Make();
  for (int value = 1; value <= 5; ++value) {
    ASSERT_TRUE(device_->BeginTaking());
    WaitUntil([&] { return device_->IsTaken(); }, "the GPU is taken");
    FillThere(*memory, value);
    ExpectAll(There(*memory), {0, kBytes}, value);
    device_->LetGo();
    const auto gap = device_->LongestGap();
    ASSERT_TRUE(gap) << gap.error().message;
    EXPECT_LT(*gap, std::chrono::seconds{1});
  }
}

TEST_P(GpuDeviceContract, MoreMemoryThanThereIsIsAnErrorAndNoMore) {
  const auto much = device_->MakeMemory(std::size_t{1} << 50);
  EXPECT_FALSE(much);
  EXPECT_NE(Make(), nullptr);
}

}  // namespace hone::gpu
