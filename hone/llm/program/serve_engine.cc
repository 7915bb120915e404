// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/program/serve_engine.h"

#include <sys/socket.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "hone/base/json/json_frames.h"
#include "hone/llm/engine/engine.h"

namespace hone::llm {
namespace {

// What came over the socket and was not looked at yet.
class Inbox {
 public:
  explicit Inbox(int socket) : socket_(socket), reader_([this] { Read(); }) {}
  ~Inbox() {
    ::shutdown(socket_, SHUT_RDWR);
    reader_.join();
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // All of it; waits for something if `waits`. nullopt: the other side is gone.
  std::optional<std::deque<ToEngine>> Take(bool waits) {
    std::unique_lock lock(mutex_);
    if (waits) changed_.wait(lock, [this] { return end_.has_value() || !messages_.empty(); });
    if (end_) return std::nullopt;
    return std::exchange(messages_, {});
  }

  Error end() {
    const std::lock_guard lock(mutex_);
    return *end_;
  }

 private:
  void Read() {
    while (true) {
      auto frame = ReceiveFrame(socket_);
      auto message = frame ? ReadToEngine(*frame) : Result<ToEngine>(frame.error());
      const std::lock_guard lock(mutex_);
      if (message) {
        messages_.push_back(std::move(*message));
      } else {
        end_ = message.error();
      }
      changed_.notify_all();
      if (end_) return;
    }
  }

  const int socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ToEngine> messages_;  // Protected by mutex_; so is end_.
  std::optional<Error> end_;
  std::thread reader_;
};

Result<void> Answer(Engine& engine, const EngineFacts& facts, ToEngine message, int socket) {
  if (auto* submit = std::get_if<SubmitMessage>(&message)) {
    if (auto checked = Engine::Check(submit->request, facts.vocab_size, facts.max_length);
        !checked) {
      return SendFrame(socket,
                       ToJson(FromEngine(FailedMessage{submit->id, checked.error().message})));
    }
    engine.Submit(submit->id, std::move(submit->request));
  } else if (const auto* cancel = std::get_if<CancelMessage>(&message)) {
    engine.Cancel(cancel->id);
  } else {
    return SendFrame(socket, ToJson(FromEngine(engine.stats())));
  }
  return {};
}

}  // namespace

namespace {

Result<void> ServeUntilEnd(Engine& engine, Inbox& inbox, const EngineFacts& facts, int socket) {
  while (true) {
    auto messages = inbox.Take(engine.is_idle());
    if (!messages) return inbox.end();
    for (ToEngine& message : *messages) {
      if (auto sent = Answer(engine, facts, std::move(message), socket); !sent) return sent.error();
    }
    if (engine.is_idle()) continue;
    for (GenerationEvent& event : engine.Step()) {
      auto sent = SendFrame(socket, ToJson(FromEngine(std::move(event))));
      if (!sent) return sent.error();
    }
  }
}

}  // namespace

Result<void> ServeEngine(Decoder& decoder, const EngineFacts& facts, int socket) {
  if (auto sent = SendFrame(socket, ToJson(FromEngine(facts))); !sent) return sent.error();
  Engine engine(decoder);
  Inbox inbox(socket);
  try {
    const auto served = ServeUntilEnd(engine, inbox, facts, socket);
    if (!served && served.error().code != Errc::kUnavailable) return served.error();
    return {};                               // The other side is gone: that is the end.
  } catch (const std::exception& problem) {  // Of torch: what the rows hold is not known now.
    const std::string what = problem.what();
    const Error failed{Errc::kUnavailable, what.substr(0, what.find('\n'))};
    [[maybe_unused]] const auto told =
        SendFrame(socket, ToJson(FromEngine(FailedMessage{0, failed.message})));
    return failed;
  }
}

}  // namespace hone::llm
