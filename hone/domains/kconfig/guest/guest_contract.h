// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/domains/kconfig/guest/guest.h"
#include "hone/domains/kconfig/guest/guest_result.h"
#include "hone/domains/kconfig/guest/initramfs.h"

// What every Guest promises, as a test suite. In the test of one:
//
//   INSTANTIATE_TEST_SUITE_P(Qemu, GuestContract, ::testing::Values(&MakeMyExam));
//
// Include this in one source of a test program only.
namespace hone::kernels {

struct GuestExam {
  std::unique_ptr<Guest> guest;
  GuestArch arch;
  std::filesystem::path image;  // A kernel that boots.
  std::string program;          // The first one.
  std::vector<InitramfsFile> modules = {};
  std::string skipped = {};  // Why it cannot be held here.
};

class GuestContract : public ::testing::TestWithParam<GuestExam (*)()> {
 protected:
  void SetUp() override {
    exam_ = GetParam()();
    if (!exam_.skipped.empty()) GTEST_SKIP() << exam_.skipped;
  }

  GuestOrder Order(std::uint64_t seed = 1) const {
    return OrderOf(GuestTask("n0nce", {"syscall", "mmap"}, {}), seed);
  }

  GuestOrder EndlessOrder() const { return OrderOf("nonce n0nce\nwait ever\n", 1); }

  GuestOrder OrderOf(const std::string& task, std::uint64_t seed) const {
    GuestOrder order;
    order.arch = exam_.arch;
    order.image = exam_.image;
    std::vector<InitramfsFile> files = exam_.modules;
    files.push_back({"init", exam_.program, true});
    files.push_back({"etc/hone", task, false});
    order.initramfs = MakeInitramfs(files);
    order.counts_instructions = true;
    order.seed = seed;
    order.limit = std::chrono::minutes{2};
    return order;
  }

  GuestReport Boot(const GuestOrder& order) {
    const auto report = exam_.guest->Boot(order);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : GuestReport{};
  }

  GuestExam exam_;
};

TEST_P(GuestContract, AKernelThatBootsAnswersTheQuestion) {
  const GuestReport report = Boot(Order());
  ASSERT_EQ(report.end, GuestEnd::kEnded) << report.console;
  const auto result = ReadGuestResult(report.result, "n0nce", exam_.arch);
  ASSERT_TRUE(result) << result.error().message << "\n" << report.result;
  EXPECT_EQ(result->workloads.size(), std::size_t{2});
  EXPECT_GT(result->booted_ns, 0);
}

TEST_P(GuestContract, TheSameSeedGivesTheSameBytes) {
  const GuestReport first = Boot(Order());
  EXPECT_NE(first.result, "");
  EXPECT_EQ(Boot(Order()).result, first.result);
}

TEST_P(GuestContract, AnotherSeedLaysThingsElsewhere) {
  EXPECT_NE(Boot(Order(2)).result, Boot(Order(1)).result);
}

TEST_P(GuestContract, OneThatNeverEndsIsEndedAtTheLimit) {
  GuestOrder order = EndlessOrder();
  order.limit = std::chrono::seconds{12};
  EXPECT_EQ(Boot(order).end, GuestEnd::kHung);
}

TEST_P(GuestContract, OneThatIsAskedToStopStops) {
  GuestOrder order = EndlessOrder();
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  order.console = theirs.get();
  std::stop_source stop;
  order.stop = stop.get_token();
  std::jthread asks([&] {
    pollfd first_word{ours.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&first_word, 1, 60'000), 1) << "it says nothing";
    stop.request_stop();
  });
  EXPECT_EQ(Boot(order).end, GuestEnd::kStopped);
}

TEST_P(GuestContract, AKernelWithoutAFirstProgramSaysSo) {
  GuestOrder order = Order();
  order.initramfs = MakeInitramfs({{"etc/hone", "nonce n0nce\n", false}});
  const GuestReport report = Boot(order);
  EXPECT_EQ(report.end, GuestEnd::kNoInit) << report.console;
  EXPECT_NE(report.fault, "");
}

TEST_P(GuestContract, TwoAtATimeDoNotDisturbEachOther) {
  const std::string alone = Boot(Order()).result;
  std::string beside;
  {
    std::jthread other([&] { beside = Boot(Order()).result; });
    EXPECT_EQ(Boot(Order()).result, alone);
  }
  EXPECT_EQ(beside, alone);
}

}  // namespace hone::kernels
