// SPDX-License-Identifier: Apache-2.0
#include "hone/base/redis/redis_connection.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>

#include <array>
#include <iterator>
#include <utility>

#include "hone/base/net/stream_socket.h"

namespace hone {
namespace {

using std::chrono::milliseconds;

// More than any reply that we ask for.
constexpr std::size_t kMaxBytesOfReply = std::size_t{128} << 20;

struct FreeReader {
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};

// More than any list that we ask for. Memory for a list is taken when its length has been read.
constexpr int kMaxItems = 100'000;

// How hiredis builds a reply: directly as ours.
RedisReply* PlaceOfReply(const redisReadTask* task) {
  if (task->parent == nullptr) return new RedisReply;
  auto* list = static_cast<RedisReply*>(task->parent->obj);
  return &list->items[static_cast<std::size_t>(task->idx)];
}

void* MakeText(const redisReadTask* task, char* text, std::size_t size) {
  RedisReply* reply = PlaceOfReply(task);
  const bool is_fault = task->type == REDIS_REPLY_ERROR;
  reply->kind = is_fault ? RedisReply::Kind::kFault : RedisReply::Kind::kText;
  reply->text.assign(text, size);
  return reply;
}

void* MakeList(const redisReadTask* task, int size) {
  if (size > kMaxItems) return nullptr;
  RedisReply* reply = PlaceOfReply(task);
  reply->kind = RedisReply::Kind::kList;
  reply->items.resize(static_cast<std::size_t>(size));
  return reply;
}

void* MakeInteger(const redisReadTask* task, long long number) {
  RedisReply* reply = PlaceOfReply(task);
  reply->kind = RedisReply::Kind::kInteger;
  reply->integer = number;
  return reply;
}

void* MakeNil(const redisReadTask* task) { return PlaceOfReply(task); }

void FreeReply(void* reply) { delete static_cast<RedisReply*>(reply); }

redisReplyObjectFunctions* ReplyBuilder() {
  static redisReplyObjectFunctions builder = {MakeText, MakeList, MakeInteger, MakeNil, FreeReply};
  return &builder;
}

// As a list of texts, which is how Redis takes a command.
std::string Encode(const std::vector<std::string_view>& words) {
  constexpr std::size_t kMaxAround = 32;  // Bytes about a word: "$12\r\n" and "\r\n".
  std::size_t size = kMaxAround;
  for (const std::string_view word : words) size += word.size() + kMaxAround;
  std::string bytes;
  bytes.reserve(size);
  fmt::format_to(std::back_inserter(bytes), "*{}\r\n", words.size());
  for (const std::string_view word : words) {
    fmt::format_to(std::back_inserter(bytes), "${}\r\n", word.size());
    bytes.append(word).append("\r\n");
  }
  return bytes;
}

class HiredisConnection final : public RedisConnection {
 public:
  HiredisConnection(StreamSocket stream, std::string server)
      : stream_(std::move(stream)),
        server_(std::move(server)),
        reader_(redisReaderCreateWithFunctions(ReplyBuilder())) {}

  const std::string& server() const override { return server_; }

  Result<void> Send(const std::vector<std::string_view>& words, milliseconds limit) override {
    if (auto sent = stream_.Write(Encode(words), limit); !sent) return Named(sent.error());
    return {};
  }

  Result<std::optional<RedisReply>> Receive(milliseconds limit, int interrupt) override {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (true) {
      Result<std::optional<RedisReply>> reply = Next();
      if (!reply || *reply) return reply;
      const auto left = end - std::chrono::steady_clock::now();
      std::array<char, 16'384> bytes;
      const auto count = stream_.Read(bytes, std::chrono::ceil<milliseconds>(left), interrupt);
      if (!count) return Unread(count.error());
      if (*count == 0) return std::optional<RedisReply>{};
      if (auto fed = Feed({bytes.data(), *count}); !fed) return fed.error();
    }
  }

 private:
  Error Named(const Error& error) const {
    return Error{error.code, fmt::format("{}: {}", server_, error.message)};
  }

  Result<void> Feed(std::string_view bytes) {
    if (total_ == 0) first_ = bytes.substr(0, 40);
    total_ += bytes.size();
    unfinished_ += bytes.size();
    if (unfinished_ > kMaxBytesOfReply) {
      return Named({Errc::kCorrupt, fmt::format("a reply of more than {} MiB is not believed",
                                                kMaxBytesOfReply >> 20)});
    }
    if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) return NoRedis();
    return {};
  }

  // The next complete reply among the bytes that have come.
  Result<std::optional<RedisReply>> Next() {
    void* found = nullptr;
    if (redisReaderGetReply(reader_.get(), &found) != REDIS_OK) return NoRedis();
    if (found == nullptr) return std::optional<RedisReply>{};
    const std::unique_ptr<RedisReply> reply(static_cast<RedisReply*>(found));
    unfinished_ = 0;
    has_replied_ = true;
    return std::optional(std::move(*reply));
  }

  Error NoRedis() const {
    if (has_replied_) {
      return Named({Errc::kUnavailable,
                    fmt::format("what it sent is no reply of Redis: {}", reader_->errstr)});
    }
    if (first_.starts_with("\x15\x03")) {  // A TLS alert.
      return Named({Errc::kInvalidArgument, "it speaks TLS; write rediss:// instead of redis://"});
    }
    return Named({Errc::kInvalidArgument,
                  fmt::format("it is no Redis; it answered {:?}", Printable(first_))});
  }

  Error Unread(const Error& error) const {
    if (has_replied_ || error.code != Errc::kUnavailable) return Named(error);
    return Named({error.code, error.message + " before it replied to anything (if it expects TLS, "
                                              "write rediss://)"});
  }

  static std::string Printable(std::string text) {
    for (char& letter : text) {
      if (letter < ' ' || letter > '~') letter = '.';
    }
    return text;
  }

  StreamSocket stream_;
  std::string server_;
  std::unique_ptr<redisReader, FreeReader> reader_;
  std::string first_;  // Of all bytes that came, the first few.
  std::size_t total_ = 0;
  std::size_t unfinished_ = 0;  // Bytes since the last complete reply.
  bool has_replied_ = false;
};

StreamAddress StreamOf(const RedisAddress& address) {
  StreamAddress stream{address.host, address.port, address.socket, std::nullopt};
  if (address.is_tls) {
    stream.tls = TlsSettings{address.ca_file, address.certificate_file, address.key_file,
                             address.verifies_server};
  }
  return stream;
}

Result<void> Expect(RedisConnection& connection, const RedisAddress& address,
                    const std::vector<std::string_view>& words, milliseconds limit) {
  const Result<RedisReply> reply = connection.Ask(words, limit);
  if (!reply) return reply.error();
  if (reply->IsFault()) return MeaningOf(reply->text, address.Name()).error;
  return {};
}

Result<void> Enter(RedisConnection& connection, const RedisAddress& address, milliseconds limit) {
  if (!address.password.empty()) {
    std::vector<std::string_view> words{"AUTH"};
    if (!address.user.empty()) words.emplace_back(address.user);
    words.emplace_back(address.password);
    if (auto let_in = Expect(connection, address, words, limit); !let_in) return let_in;
  }
  const std::string database = std::to_string(address.database);
  return Expect(connection, address, {"SELECT", database}, limit);
}

// A server that wants a certificate of ours says so and hangs up; where our first words crossed
// that, its own words are lost with the connection.
Error WithHint(Error error, const RedisAddress& address) {
  const bool may_want = address.is_tls && address.certificate_file.empty();
  if (may_want && error.code == Errc::kUnavailable &&
      error.message.find("certificate") == std::string::npos) {
    error.message += "; if it asks its clients for a certificate, name ours";
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<RedisConnection>> RedisConnection::Open(const RedisAddress& address,
                                                               milliseconds limit) {
  Result<StreamSocket> stream = StreamSocket::Connect(StreamOf(address), limit);
  if (!stream) {
    return Error{stream.error().code,
                 fmt::format("{}: {}", address.Name(), stream.error().message)};
  }
  std::unique_ptr<RedisConnection> connection =
      std::make_unique<HiredisConnection>(std::move(*stream), address.Name());
  if (auto entered = Enter(*connection, address, limit); !entered) {
    return WithHint(entered.error(), address);
  }
  return connection;
}

Result<RedisReply> RedisConnection::Ask(const std::vector<std::string_view>& words,
                                        milliseconds limit) {
  if (auto sent = Send(words, limit); !sent) return sent.error();
  Result<std::optional<RedisReply>> reply = Receive(limit);
  if (!reply) return reply.error();
  if (!*reply) return Error{Errc::kUnavailable, server() + ": it did not reply in time"};
  return std::move(**reply);
}

}  // namespace hone
