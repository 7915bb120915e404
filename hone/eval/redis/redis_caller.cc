// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis/redis_caller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/clock.h"
#include "hone/base/fresh_number.h"
#include "hone/base/json/records.h"
#include "hone/base/log.h"

namespace hone {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstReconnectPause{20};
constexpr milliseconds kLongestPause{1'000};
constexpr milliseconds kAtOnce{200};
constexpr std::chrono::seconds kQuiet{5};  // The log tells of no more than one loss in this time.
constexpr int kMinMajor = 7;

std::string RandomWord() { return fmt::format("{:016x}", FreshNumber()); }

// Every script answers with a list of texts.
Result<std::vector<std::string>> WordsOf(RedisReply reply, const std::string& server) {
  const Error odd{Errc::kCorrupt, server + ": a script gave an answer that it does not have"};
  if (reply.kind != RedisReply::Kind::kList || reply.items.empty()) return odd;
  std::vector<std::string> words;
  words.reserve(reply.items.size());
  for (RedisReply& item : reply.items) {
    if (!item.IsText()) return odd;
    words.push_back(std::move(item.text));
  }
  return words;
}

Result<void> CheckFacts(const RedisFacts& facts, const std::string& server) {
  if (std::atoi(facts.version.c_str()) < kMinMajor) {
    return Error{Errc::kUnsupported, fmt::format("{}: it is Redis {}; {}.0 or newer is needed",
                                                 server, facts.version, kMinMajor)};
  }
  if (facts.is_replica) {
    return Error{Errc::kInvalidArgument,
                 server + ": it is a read-only replica; connect to its master instead"};
  }
  if (facts.may_evict) {
    Log(LogLevel::kWarning,
        "{}: it throws keys away when its memory is full (maxmemory-policy {}), so tasks can "
        "vanish; set maxmemory-policy noeviction",
        server, facts.eviction_policy);
  }
  if (!facts.is_append_only) {
    Log(LogLevel::kWarning,
        "{}: it keeps no append-only file, so a restart may lose tasks and results; set "
        "appendonly yes",
        server);
  }
  return {};
}

}  // namespace

RedisCaller::RedisCaller(const RedisSettings& settings, Clock& clock)
    : settings_(settings),
      prefix_(fmt::format("{{{}}}:", settings.name)),
      clock_(clock),
      process_(RandomWord()) {
  for (std::size_t i = 0; i < kRedisScripts; ++i) texts_[i] = TextOf(static_cast<RedisScript>(i));
}

Result<std::unique_ptr<RedisCaller>> RedisCaller::Open(const RedisSettings& settings,
                                                       Clock& clock) {
  if (settings.name.empty() || settings.name.find_first_of("{}") != std::string::npos) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("Redis queue \"{}\": its name must not be empty, nor hold {{ or }}",
                             settings.name)};
  }
  std::unique_ptr<RedisCaller> caller(new RedisCaller(settings, clock));
  if (auto prepared = caller->Prepare(); !prepared) return prepared.error();
  return caller;
}

Result<void> RedisCaller::Prepare() {
  const std::string server = settings_.address.Name();
  Result<Connection> connection = Borrow();
  if (!connection) return connection.error();
  const auto facts = ReadRedisFacts(**connection, settings_.address, settings_.reply_timeout);
  if (!facts) return facts.error();
  if (auto fit = CheckFacts(*facts, server); !fit) return fit;
  for (std::size_t i = 0; i < kRedisScripts; ++i) {
    Result<RedisReply> digest =
        (*connection)->Ask({"SCRIPT", "LOAD", texts_[i]}, settings_.reply_timeout);
    if (!digest) return digest.error();
    if (!digest->IsText()) return MeaningOf(digest->text, server).error;
    digests_[i] = std::move(digest->text);
  }
  GiveBack(std::move(*connection));
  return {};
}

Result<RedisCaller::Answer> RedisCaller::Run(RedisScript script, std::vector<std::string> arguments,
                                             const std::stop_token& stop) {
  if (!MayTry()) {
    const std::lock_guard lock(mutex_);
    return Error{Errc::kUnavailable, loss_};
  }
  const auto end = steady_clock::now() + settings_.give_up;
  arguments = WithHeader(std::move(arguments));
  milliseconds pause{0};  // The first new try is at once: perhaps only this connection was cut.
  for (bool is_repeated = false;; is_repeated = true) {
    Try tried = CallOnce(script, arguments);
    if (tried.words) return Answer{std::move(*tried.words), is_repeated};
    if (!tried.is_passing) return tried.words.error();
    const bool is_over = steady_clock::now() + pause >= end || IsGivenUp();
    if (is_over || SleepUntilStop(SystemClock(), pause, stop)) return tried.words.error();
    pause = std::clamp(pause * 2, kFirstReconnectPause, kLongestPause);
  }
}

bool RedisCaller::IsGivenUp() {
  const std::lock_guard lock(mutex_);
  return lost_since_ && steady_clock::now() - *lost_since_ >= settings_.give_up;
}

bool RedisCaller::MayTry() {
  if (!IsGivenUp()) return true;
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  if (now < next_try_) return false;
  next_try_ = now + kLongestPause;
  return true;
}

Result<RedisCaller::Answer> RedisCaller::RunNow(RedisScript script,
                                                std::vector<std::string> arguments) {
  {
    std::unique_lock lock(mutex_);
    const auto is_back = [this] { return !lost_since_; };
    if (!back_.wait_for(lock, kAtOnce, is_back)) return Error{Errc::kUnavailable, loss_};
  }
  arguments = WithHeader(std::move(arguments));
  Try tried = CallOnce(script, arguments);
  if (!tried.words && tried.is_passing) tried = CallOnce(script, arguments);
  if (!tried.words) return tried.words.error();
  return Answer{std::move(*tried.words)};
}

Result<RedisCaller::Answer> RedisCaller::RunOnce(RedisScript script,
                                                 std::vector<std::string> arguments) {
  Try tried = CallOnce(script, WithHeader(std::move(arguments)));
  if (!tried.words) return tried.words.error();
  return Answer{std::move(*tried.words)};
}

std::vector<std::string> RedisCaller::WithHeader(std::vector<std::string> arguments) {
  std::string now;
  if (settings_.is_time_from_clock) now = std::to_string(ToMicroseconds(clock_.Wall()));
  const std::chrono::microseconds keep = settings_.keep_settled;
  std::vector<std::string> header{std::move(now), NewToken(), std::to_string(keep.count()),
                                  std::to_string(settings_.max_settled)};
  header.insert(header.end(), std::make_move_iterator(arguments.begin()),
                std::make_move_iterator(arguments.end()));
  return header;
}

RedisCaller::Try RedisCaller::CallOnce(RedisScript script,
                                       const std::vector<std::string>& arguments) {
  Result<Connection> connection = Borrow();
  if (!connection) {
    const bool is_passing = connection.error().code == Errc::kUnavailable;
    if (is_passing) NoteTrouble(connection.error());
    return {connection.error(), is_passing};
  }
  Result<RedisReply> reply = Evaluate(**connection, script, arguments);
  if (!reply) {
    Discard();
    NoteTrouble(reply.error());
    return {reply.error(), reply.error().code == Errc::kUnavailable};
  }
  if (!reply->IsFault()) {
    GiveBack(std::move(*connection));
    NoteSuccess();
    return {WordsOf(std::move(*reply), settings_.address.Name())};
  }
  RedisFault fault = MeaningOf(reply->text, settings_.address.Name());
  if (fault.is_passing) {
    Discard();
    NoteTrouble(fault.error);
    return {std::move(fault.error), true};
  }
  GiveBack(std::move(*connection));
  if (fault.error.code != Errc::kCorrupt || script == RedisScript::kDiagnose) {
    return {std::move(fault.error)};
  }
  return {NameCorrupt(fault.error)};
}

Error RedisCaller::NameCorrupt(const Error& error) {
  const Try found = CallOnce(RedisScript::kDiagnose, WithHeader({}));
  if (!found.words || found.words->size() < 2) return error;
  return Error{
      Errc::kCorrupt,
      fmt::format("{}: key {}: it is not of the kind that the queue keeps there; remove it",
                  settings_.address.Name(), (*found.words)[1])};
}

Result<RedisReply> RedisCaller::Evaluate(RedisConnection& connection, RedisScript script,
                                         const std::vector<std::string>& arguments) const {
  const auto index = static_cast<std::size_t>(script);
  std::vector<std::string_view> words{"EVALSHA", digests_[index], "1", prefix_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Result<RedisReply> reply = connection.Ask(words, settings_.reply_timeout);
  if (!reply || !reply->IsFault() || !reply->text.starts_with("NOSCRIPT")) return reply;
  words[0] = "EVAL";  // The server was restarted, or told to forget its scripts.
  words[1] = texts_[index];
  return connection.Ask(words, settings_.reply_timeout);
}

Result<RedisCaller::Connection> RedisCaller::Borrow() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return !idle_.empty() || connections_ < settings_.max_connections; });
    if (!idle_.empty()) {
      Connection connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
    ++connections_;
  }
  Result<Connection> connection =
      RedisConnection::Open(settings_.address, settings_.connect_timeout);
  if (!connection) Discard();
  return connection;
}

void RedisCaller::GiveBack(Connection connection) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
  changed_.notify_one();
}

// A connection was lost; those that lie idle were probably lost with it.
void RedisCaller::Discard() {
  {
    const std::lock_guard lock(mutex_);
    --connections_;
  }
  DropIdle();
}

void RedisCaller::DropIdle() {
  std::vector<Connection> doubtful;
  const std::lock_guard lock(mutex_);
  connections_ -= static_cast<int>(idle_.size());
  std::swap(doubtful, idle_);
  changed_.notify_all();
}

void RedisCaller::NoteTrouble(const Error& error) {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  if (!lost_since_) {
    lost_since_ = now;
    loss_ = error.message;
    ++losses_;
  }
  if (is_loss_told_ || (told_at_ && now < *told_at_ + kQuiet)) return;
  Log(LogLevel::kWarning, "{}; trying again{}", error.message,
      losses_ > 1 ? fmt::format(" ({} losses since the last line about it)", losses_) : "");
  is_loss_told_ = true;
  told_at_ = now;
  losses_ = 0;
}

void RedisCaller::NoteSuccess() {
  const std::lock_guard lock(mutex_);
  if (!lost_since_) return;
  const std::chrono::duration<double> away = steady_clock::now() - *lost_since_;
  lost_since_.reset();
  back_.notify_all();
  if (!std::exchange(is_loss_told_, false)) return;
  Log(LogLevel::kNote, "{}: connected again after {:.1f} s", settings_.address.Name(),
      away.count());
}

}  // namespace hone
