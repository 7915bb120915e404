// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/stdio_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "hone/agent/mcp/mcp_server_for_test.h"
#include "hone/base/descriptor.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {
namespace {

struct PipeEnds {
  Descriptor read;
  Descriptor write;
};

PipeEnds MakePipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// A server behind two pipes, in a thread.
class StdioServerTest : public testing::Test {
 protected:
  StdioServerTest() {
    thread_ = std::thread([this] {
      result_ =
          ServeStdio(test_.server(), input_.read.get(), output_.write.get(), {}, stop_.get_token());
      is_over_ = true;
      output_.write.Close();
    });
  }
  ~StdioServerTest() override {
    stop_.request_stop();
    input_.write.Close();
    if (thread_.joinable()) thread_.join();
  }

  void Say(const std::string& text) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t written = ::write(input_.write.get(), rest.data(), rest.size());
      ASSERT_GT(written, 0);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  // The next line; empty at the end.
  std::string Line() {
    while (heard_.find('\n') == std::string::npos) {
      pollfd wait{output_.read.get(), POLLIN, 0};
      if (::poll(&wait, 1, static_cast<int>(std::chrono::milliseconds(kTestTimeout).count())) !=
          1) {
        ADD_FAILURE() << "no line came";
        return "";
      }
      std::array<char, 4096> bytes{};
      const ssize_t count = ::read(output_.read.get(), bytes.data(), bytes.size());
      if (count <= 0) return "";
      heard_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    const std::string line = heard_.substr(0, heard_.find('\n'));
    heard_.erase(0, line.size() + 1);
    return line;
  }
  Json Heard() { return ParseJson(Line(), "line").value(); }
  void Join() { thread_.join(); }

  McpServerForTest test_;
  PipeEnds input_ = MakePipe();
  PipeEnds output_ = MakePipe();
  std::stop_source stop_;
  std::atomic<bool> is_over_ = false;
  Result<void> result_;
  std::string heard_;
  std::thread thread_;
};

TEST_F(StdioServerTest, MessagesAreLinesAndTheEndOfInputIsTheEnd) {
  Say(Dump(ModernRequest(1, "tools/call", CallOf("echo", {{"text", "a\nb"}}))) + "\n\n \r\n");
  Say(R"({"jsonrpc":"2.0","id":2,)");
  Say("\"method\":\"ping\"}\n");
  std::set<int> ids{Heard()["id"].get<int>(), Heard()["id"].get<int>()};
  EXPECT_EQ(ids, (std::set<int>{1, 2}));
  input_.write.Close();
  EXPECT_EQ(Line(), "");
  Join();
  EXPECT_TRUE(result_);
}

TEST_F(StdioServerTest, QuickCallsAreAnsweredAlthoughTheInputHasEnded) {
  for (int k = 0; k < 5; ++k) {
    Say(Dump(ModernRequest(k, "tools/call", CallOf("echo"))) + "\n");
  }
  input_.write.Close();
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(Heard().contains("result"));
  EXPECT_EQ(Line(), "");
}

TEST_F(StdioServerTest, AnEndlessLineIsRefusedWithoutBeingKept) {
  const std::string piece(1 << 20, 'x');
  for (int k = 0; k < 20; ++k) Say(piece);
  Say("\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  EXPECT_EQ(Heard()["error"]["code"], kRpcInvalidRequest);
  EXPECT_EQ(Heard()["id"], 1);
}

TEST_F(StdioServerTest, GarbageAndDepthAreRefusedAndTheNextMessageIsServed) {
  Say(std::string(100'000, '[') + "\n");
  Say(std::string("\0\xff\x01garbage\n", 11));
  Say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  EXPECT_EQ(Heard()["error"]["code"], kRpcParseError);
  EXPECT_EQ(Heard()["error"]["code"], kRpcParseError);
  EXPECT_EQ(Heard()["id"], 1);
}

TEST_F(StdioServerTest, ThousandsOfRequestsAreAllAnswered) {
  std::thread reader([this] {
    for (int k = 0; k < 3000; ++k) ASSERT_NE(Line(), "");
  });
  for (int k = 0; k < 3000; ++k) {
    Say(Dump(ModernRequest(k, k % 2 == 0 ? "tools/list" : "tools/call", CallOf("echo"))) + "\n");
  }
  reader.join();
}

TEST_F(StdioServerTest, WorkEndsWithTheInput) {
  Say(Dump(ModernRequest(1, "tools/call", CallOf("slow"))) + "\n");
  input_.write.Close();
  Join();
  EXPECT_TRUE(result_);
}

TEST_F(StdioServerTest, AClientThatReadsNoMoreEndsIt) {
  output_.read.Close();
  Say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  WaitUntil(
      [this] {
        const std::string text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        static_cast<void>(!::write(input_.write.get(), text.data(), text.size()));
        return is_over_.load();
      },
      "it has noticed");
}

TEST_F(StdioServerTest, AStopEndsItWhileItWaitsForInput) {
  stop_.request_stop();
  Join();
  EXPECT_TRUE(result_);
}

}  // namespace
}  // namespace hone::agent
