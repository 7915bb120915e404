// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/terminal_relay.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "hone/base/descriptor.h"
#include "hone/testing/wait_until.h"

namespace hone::cli {
namespace {

class TerminalRelayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int person = -1;
    int terminal = -1;
    if (::openpty(&person, &terminal, nullptr, nullptr, nullptr) != 0) {
      GTEST_SKIP() << "needs pseudo-terminals";
    }
    person_ = Descriptor(person);
    terminal_ = Descriptor(terminal);
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = Descriptor(ends[0]);
    guest_ = Descriptor(ends[1]);
  }

  termios Modes() const {
    termios modes{};
    EXPECT_EQ(::tcgetattr(terminal_.get(), &modes), 0);
    return modes;
  }

  static std::string Read(int from, std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t done = 0; done < size;) {
      const ssize_t some = ::read(from, text.data() + done, size - done);
      if (some <= 0) return text.substr(0, done);
      done += static_cast<std::size_t>(some);
    }
    return text;
  }

  Descriptor person_;
  Descriptor terminal_;
  Descriptor ours_;
  Descriptor guest_;
};

TEST_F(TerminalRelayTest, KeysGoThroughAsTheyArePressedAndTheTerminalIsThenAsBefore) {
  const termios before = Modes();
  Result<void> relayed = Error{Errc::kUnavailable, "not run"};
  {
    std::jthread relay(
        [&] { relayed = RelayTerminal(terminal_.get(), terminal_.get(), ours_.get()); });
    WaitUntil([&] { return (Modes().c_lflag & ICANON) == 0; }, "the terminal is raw");
    const std::string keys("a\x03\x01x", 4);  // No line's end, an interrupt, an escape.
    ASSERT_EQ(::write(person_.get(), keys.data(), keys.size()), 4);
    EXPECT_EQ(Read(guest_.get(), keys.size()), keys);
    ASSERT_EQ(::write(guest_.get(), "hello\r\n", 7), 7);
    EXPECT_EQ(Read(person_.get(), 7), "hello\r\n");  // And no echo of the keys before it.
    guest_.Close();
  }
  EXPECT_TRUE(relayed);
  const termios after = Modes();
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_EQ(after.c_iflag, before.c_iflag);
  EXPECT_EQ(after.c_oflag, before.c_oflag);
}

TEST_F(TerminalRelayTest, WhatIsNoTerminalIsRefused) {
  EXPECT_FALSE(RelayTerminal(ours_.get(), ours_.get(), ours_.get()));
}

}  // namespace
}  // namespace hone::cli
