// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis/redis_listener.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/log.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Ear final : public RedisListener {
 public:
  Ear(RedisCaller& caller, std::function<void(std::string_view)> on_change, Descriptor end)
      : caller_(caller), on_change_(std::move(on_change)), end_(std::move(end)) {}

  ~Ear() override {
    const std::uint64_t one = 1;
    if (thread_.joinable() && ::write(end_.get(), &one, sizeof one) > 0) thread_.join();
  }

  Result<void> Start() {
    if (auto subscribed = Subscribe(); !subscribed) return subscribed;
    if (auto epoch = caller_.Run(RedisScript::kEpoch, {caller_.NewToken()}); epoch) {
      epoch_ = epoch->words.back();
    } else {
      return epoch.error();
    }
    thread_ = std::thread([this] { Run(); });
    return {};
  }

 private:
  enum class Why { kEnded, kLost };

  void Run() {
    try {
      milliseconds pause{0};
      while (true) {
        if (connection_) {
          if (Hear() == Why::kEnded) return;
          connection_.reset();
          pause = milliseconds{0};
        }
        if (HasEnded(pause)) return;
        pause = std::clamp(pause * 2, milliseconds{20}, milliseconds{1'000});
        if (auto subscribed = Subscribe(); !subscribed) {
          caller_.NoteTrouble(subscribed.error());
          continue;
        }
        caller_.NoteSuccess();
        on_change_("*");
      }
    } catch (const std::exception& exception) {
      Log(LogLevel::kError, "{}: the listener ended: {}", Server(), exception.what());
    }
  }

  std::string Server() const { return caller_.settings().address.Name(); }

  bool HasEnded(milliseconds pause) const {
    pollfd watched{end_.get(), POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(pause.count())) > 0;
  }

  Result<void> Subscribe() {
    const RedisSettings& settings = caller_.settings();
    auto connection = RedisConnection::Open(settings.address, settings.connect_timeout);
    if (!connection) return connection.error();
    const std::string channel = caller_.Key("bell");
    const auto reply = (*connection)->Ask({"SUBSCRIBE", channel}, settings.reply_timeout);
    if (!reply) return reply.error();
    if (reply->IsFault()) return MeaningOf(reply->text, Server()).error;
    connection_ = std::move(*connection);
    return {};
  }

  // Hears until the connection is lost or the listener ends. Twice in a heartbeat it asks whether
  // the server is still there: a connection that nothing comes over looks the same when it is dead.
  Why Hear() {
    const milliseconds beat = caller_.settings().heartbeat / 2;
    auto next = steady_clock::now() + beat;
    bool is_asked = false;
    while (true) {
      const auto left = std::chrono::ceil<milliseconds>(next - steady_clock::now());
      const auto heard = connection_->Receive(std::max(left, milliseconds{0}), end_.get());
      if (!heard) return Lost(heard.error());
      if (*heard) {
        is_asked = is_asked && !IsPong(**heard);
        Pass(**heard);
      }
      if (!*heard && HasEnded(milliseconds{0})) return Why::kEnded;
      if (steady_clock::now() < next) continue;
      next = steady_clock::now() + beat;
      if (is_asked) return Lost({Errc::kUnavailable, Server() + ": it fell silent"});
      if (auto sent = connection_->Send({"PING"}, beat); !sent) return Lost(sent.error());
      is_asked = true;
      CheckEpoch();
    }
  }

  Why Lost(const Error& error) {
    caller_.DropIdle();  // Lost with ours, probably: whoever calls next need not find that out.
    caller_.NoteTrouble(error);
    return Why::kLost;
  }

  static bool IsPong(const RedisReply& heard) {
    return !heard.items.empty() && heard.items.front().text == "pong";
  }

  void Pass(const RedisReply& heard) {
    if (heard.items.size() == 3 && heard.items[0].text == "message")
      on_change_(heard.items[2].text);
  }

  void CheckEpoch() {
    const auto epoch = caller_.RunOnce(RedisScript::kEpoch, {caller_.NewToken()});
    if (!epoch || epoch->words.back() == epoch_) return;
    epoch_ = epoch->words.back();
    Log(LogLevel::kWarning, "{}: it has lost its contents; tasks from before are unknown now",
        Server());
    on_change_("*");
  }

  RedisCaller& caller_;
  std::function<void(std::string_view)> on_change_;
  Descriptor end_;  // Readable once the listener shall end.

  // State below belongs to the thread, once that runs.
  std::unique_ptr<RedisConnection> connection_;
  std::string epoch_;  // Changes when the server loses its contents.

  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<RedisListener>> Listen(RedisCaller& caller,
                                              std::function<void(std::string_view)> on_change) {
  Descriptor end(::eventfd(0, EFD_CLOEXEC));
  if (!end.is_open()) return ErrnoError("eventfd", errno);
  auto ear = std::make_unique<Ear>(caller, std::move(on_change), std::move(end));
  if (auto started = ear->Start(); !started) return started.error();
  return ear;
}

}  // namespace hone
