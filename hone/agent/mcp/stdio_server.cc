// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/stdio_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "hone/agent/mcp/line_writer.h"
#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"

namespace hone::agent {
namespace {

constexpr std::chrono::milliseconds kReaderTimeout{30'000};  // With a client that does not read.
constexpr std::chrono::milliseconds kLastAnswers{2'000};     // For quick calls after the end.
constexpr std::chrono::milliseconds kLastBytes{2'000};       // For what was answered.
constexpr const char* kStdioScope = "stdio";

class LineReply final : public McpReply {
 public:
  explicit LineReply(std::shared_ptr<LineWriter> writer) : writer_(std::move(writer)) {}
  void Notify(std::string text) override { writer_->Write(std::move(text)); }
  void Answer(std::string text, int) override { writer_->Write(std::move(text)); }
  void Drop() override {}

 private:
  const std::shared_ptr<LineWriter> writer_;  // Who answers late finds it still there.
};

// Takes bytes as they come and gives whole lines; of one that is too long only that it was there.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // `take(line, is_too_long)` for each line that ends in `bytes`.
  template <typename Take>
  void Feed(std::string_view bytes, Take take) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (line_.size() + piece.size() > max_bytes_) {
        is_too_long_ = true;
        line_.clear();
        line_.shrink_to_fit();
      }
      if (!is_too_long_) line_ += piece;
      if (end == std::string_view::npos) return;
      take(std::exchange(line_, {}), std::exchange(is_too_long_, false));
      bytes.remove_prefix(end + 1);
    }
  }

 private:
  const std::size_t max_bytes_;
  std::string line_;
  bool is_too_long_ = false;
};

bool IsBlank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

// Waits for input. False: a stop was asked for, or nothing can come any more.
bool AwaitInput(int in, int stopped) {
  std::array<pollfd, 2> places{pollfd{in, POLLIN, 0}, pollfd{stopped, POLLIN, 0}};
  while (::poll(places.data(), places.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  return places[1].revents == 0;
}

Result<void> ReadAll(McpServer& server, int in, int stopped, ToolCaller caller,
                     const std::shared_ptr<LineWriter>& writer) {
  McpPeer peer{kStdioScope, "", std::move(caller)};
  const auto reply = std::make_shared<LineReply>(writer);
  LineSplitter splitter(server.settings().max_message);
  std::array<char, 64 << 10> bytes{};
  while (AwaitInput(in, stopped)) {
    const ssize_t count = ::read(in, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return ErrnoError("standard input", errno);
    if (count == 0) return {};
    splitter.Feed({bytes.data(), static_cast<std::size_t>(count)},
                  [&](const std::string& line, bool is_too_long) {
                    if (is_too_long) {
                      writer->Write(TooLongText(server.settings().max_message));
                    } else if (!IsBlank(line)) {
                      static_cast<void>(server.Accept(line, peer, reply));
                    }
                  });
    if (!writer->AwaitRoom(kReaderTimeout)) return {};
  }
  return {};
}

}  // namespace

Result<void> ServeStdio(McpServer& server, int in, int out, ToolCaller caller,
                        const std::stop_token& stop) {
  const Descriptor stopped(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopped.is_open()) return ErrnoError("eventfd", errno);
  const std::stop_callback on_stop(stop, [&stopped] {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(stopped.get(), &one, sizeof one));
  });
  const auto writer = std::make_shared<LineWriter>(out);
  auto read = ReadAll(server, in, stopped.get(), std::move(caller), writer);
  if (!stop.stop_requested() && !writer->is_broken()) {
    static_cast<void>(server.Finish(kStdioScope, kLastAnswers));
  }
  server.CancelAll(kStdioScope);
  static_cast<void>(writer->Flush(kLastBytes));
  return read;
}

}  // namespace hone::agent
