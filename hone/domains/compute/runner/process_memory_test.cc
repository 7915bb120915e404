// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/process_memory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stop_token>
#include <string>
#include <vector>

namespace hone::compute {
namespace {

constexpr std::size_t kPage = 4096;

// A child that waits to be killed, with what we have now in its memory.
class ProcessMemoryTest : public ::testing::Test {
 protected:
  ProcessMemoryTest() {
    auto* const pages = static_cast<std::byte*>(
        ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::munmap(pages + kPage, kPage);
    page_ = {pages, kPage};
    std::memset(page_.data(), 7, kPage);
    child_ = ::fork();
    while (child_ == 0) ::pause();
    std::memset(page_.data(), 1, kPage);  // Ours only.
  }
  ~ProcessMemoryTest() override {
    End();
    ::munmap(page_.data(), kPage);
  }

  void End() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  std::uint64_t Address() const { return reinterpret_cast<std::uint64_t>(page_.data()); }

  std::span<std::byte> page_;
  pid_t child_ = -1;
  std::array<std::byte, kPage> read_{};
};

TEST_F(ProcessMemoryTest, WhatAnotherProcessHoldsIsRead) {
  const auto memory = ProcessMemory::Of(child_);
  ASSERT_TRUE(memory) << memory.error().message;
  ASSERT_TRUE(memory->Read(Address(), read_));
  EXPECT_EQ(read_.front(), std::byte{7});
  EXPECT_EQ(read_.back(), std::byte{7});
  EXPECT_TRUE(memory->Read(0, {}));
}

TEST_F(ProcessMemoryTest, WhatIsNotThereIsNotRead) {
  const auto memory = ProcessMemory::Of(child_);
  ASSERT_TRUE(memory);
  EXPECT_FALSE(memory->Read(Address() + 1, read_)) << "its last byte lies behind the end";
  EXPECT_FALSE(memory->Read(0, read_));
  EXPECT_FALSE(memory->Read(~std::uint64_t{0} - 8, read_));
  EXPECT_FALSE(ProcessMemory().Read(Address(), read_));
}

TEST_F(ProcessMemoryTest, OfAProcessThatEndedNothingIsReadWhoeverHasItsNumber) {
  const auto memory = ProcessMemory::Of(child_);
  ASSERT_TRUE(memory);
  End();
  EXPECT_FALSE(memory->Read(Address(), read_));
  EXPECT_FALSE(ProcessMemory::Of(child_));
}

// Two pages of one file, mapped where `second` says, in one stretch of addresses.
class MappedTwice {
 public:
  explicit MappedTwice(bool is_same)
      : at_(::mmap(nullptr, 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    const Descriptor file(::memfd_create("pages", MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.get(), 2 * kPage), 0);
    for (const std::size_t page : {0U, 1U}) {
      void* const wanted = static_cast<std::byte*>(at_) + page * kPage;
      const auto offset = static_cast<off_t>(is_same ? 0 : page * kPage);
      EXPECT_EQ(
          ::mmap(wanted, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), offset),
          wanted);
    }
  }
  MappedTwice(const MappedTwice&) = delete;
  MappedTwice& operator=(const MappedTwice&) = delete;
  ~MappedTwice() { ::munmap(at_, 2 * kPage); }

  std::uint64_t Address() const { return reinterpret_cast<std::uint64_t>(at_); }

 private:
  void* at_;
};

TEST_F(ProcessMemoryTest, OnePageThatLiesAtTwoAddressesIsSeen) {
  const auto memory = ProcessMemory::Of(::getpid());
  ASSERT_TRUE(memory) << memory.error().message;
  const MappedTwice twice(true);
  EXPECT_FALSE(memory->IsWithoutAliases(twice.Address(), 2 * kPage));
  EXPECT_FALSE(memory->IsWithoutAliases(twice.Address() + kPage - 1, 2));
  EXPECT_TRUE(memory->IsWithoutAliases(twice.Address() + kPage, kPage));
  const MappedTwice in_order(false);
  EXPECT_TRUE(memory->IsWithoutAliases(in_order.Address(), 2 * kPage));
}

TEST_F(ProcessMemoryTest, WhatIsTheProcesssOwnHasNoAliases) {
  const auto memory = ProcessMemory::Of(::getpid());
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_TRUE(memory->IsWithoutAliases(Address(), kPage));
  EXPECT_FALSE(memory->IsWithoutAliases(Address(), 2 * kPage)) << "its second half is not there";
  EXPECT_FALSE(memory->IsWithoutAliases(8, 8));
  EXPECT_TRUE(memory->IsWithoutAliases(0, 0));
  const std::vector<std::byte> large(64 << 20);
  EXPECT_TRUE(
      memory->IsWithoutAliases(reinterpret_cast<std::uint64_t>(large.data()), large.size()));
  // Parts of it with other rights are stretches of their own.
  ::mprotect(page_.data(), kPage, PROT_READ);
  EXPECT_TRUE(memory->IsWithoutAliases(Address(), kPage));
}

// One page of a file that has a long name, at so many addresses.
class MappedOften {
 public:
  explicit MappedOften(int times) {
    const Descriptor file(::memfd_create(std::string(240, 'x').c_str(), MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.get(), kPage), 0);
    for (int i = 0; i < times; ++i) {
      places_.push_back(::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file.get(), 0));
      EXPECT_NE(places_.back(), MAP_FAILED);
    }
  }
  MappedOften(const MappedOften&) = delete;
  MappedOften& operator=(const MappedOften&) = delete;
  ~MappedOften() {
    for (void* const place : places_) ::munmap(place, kPage);
  }

  // Behind all others in the map, or before them.
  std::uint64_t Last() const {
    return reinterpret_cast<std::uint64_t>(*std::ranges::max_element(places_));
  }
  std::uint64_t First() const {
    return reinterpret_cast<std::uint64_t>(*std::ranges::min_element(places_));
  }

 private:
  std::vector<void*> places_;
};

// Else the judge would hold all that a process can make the kernel write.
TEST_F(ProcessMemoryTest, MoreMappingsThanAreLookedAtAreAsIfTheyWereAliases) {
  const auto memory = ProcessMemory::Of(::getpid());
  ASSERT_TRUE(memory) << memory.error().message;
  const MappedOften few(1000);
  EXPECT_TRUE(memory->IsWithoutAliases(few.Last(), kPage));
  const MappedOften many(40'000);
  EXPECT_TRUE(memory->IsWithoutAliases(many.First(), kPage));
  EXPECT_FALSE(memory->IsWithoutAliases(many.Last(), kPage));
}

TEST_F(ProcessMemoryTest, NothingIsLookedAtWhenAskedToStop) {
  const auto memory = ProcessMemory::Of(::getpid());
  ASSERT_TRUE(memory) << memory.error().message;
  std::stop_source stop;
  EXPECT_TRUE(memory->IsWithoutAliases(Address(), kPage, stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(memory->IsWithoutAliases(Address(), kPage, stop.get_token()));
}

}  // namespace
}  // namespace hone::compute
