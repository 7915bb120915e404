// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "hone/base/redis/redis_connection.h"

namespace hone {
namespace {

struct Row {
  std::string_view start;  // Of the fault's text.
  Errc code;
  bool is_passing;
  std::string_view meaning;
};

constexpr std::array kRows = {
    Row{"WRONGPASS", Errc::kInvalidArgument, false, "user or password is wrong"},
    Row{"ERR AUTH <password> called without", Errc::kInvalidArgument, false,
        "a password was given, but this server has none set; set one (requirepass) or leave it "
        "out"},
    Row{"NOAUTH", Errc::kInvalidArgument, false,
        "it wants a password; give it in HONE_REDIS_PASSWORD or in a file"},
    Row{"NOPERM", Errc::kUnsupported, false,
        "this user may not do that; docs/redis.md has the ACL"},
    Row{"DENIED", Errc::kInvalidArgument, false,
        "it is in protected mode and lets nobody in from outside; set a password there"},
    Row{"ERR DB index is out of range", Errc::kInvalidArgument, false,
        "it has no database of that number"},
    Row{"ERR unknown command", Errc::kUnsupported, false,
        "it does not know a command that we need; Redis 7 or newer is needed"},
    Row{"ERR max number of clients", Errc::kUnavailable, true,
        "it has as many clients as it allows; raise maxclients"},
    Row{"LOADING", Errc::kUnavailable, true, "it is loading its data"},
    Row{"BUSY", Errc::kUnavailable, true, "it is busy with a script"},
    Row{"MASTERDOWN", Errc::kUnavailable, true, "it is a replica that has lost its master"},
    Row{"CLUSTERDOWN", Errc::kUnavailable, true, "the cluster is down"},
    Row{"TRYAGAIN", Errc::kUnavailable, true, "the cluster is moving the queue's keys"},
    Row{"READONLY", Errc::kUnavailable, true,
        "it is a read-only replica; connect to its master instead"},
    Row{"OOM", Errc::kUnavailable, false,
        "its memory is full (maxmemory); raise the limit or let settled tasks expire sooner"},
    Row{"MISCONF", Errc::kUnavailable, false,
        "it takes no changes, since it cannot save them to disk; its log says why"},
    Row{"NOREPLICAS", Errc::kUnavailable, false,
        "it takes no changes, since too few replicas follow it (min-replicas-to-write)"},
    Row{"MOVED", Errc::kUnsupported, false,
        "this node of the cluster does not hold the queue; connect to the one that does"},
    Row{"WRONGTYPE", Errc::kCorrupt, false, "a key of the queue holds something of another kind"},
};

std::map<std::string, std::string, std::less<>> LinesOf(std::string_view text) {
  std::map<std::string, std::string, std::less<>> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const auto colon = line.find(':'); colon != std::string_view::npos) {
      lines.emplace(line.substr(0, colon), line.substr(colon + 1));
    }
  }
  return lines;
}

}  // namespace

RedisFault MeaningOf(std::string_view fault, const std::string& server) {
  // Redis puts "ERR Error running script…: " or the like before what a command in a script said.
  for (const Row& row : kRows) {
    if (!fault.starts_with(row.start)) continue;
    return {Error{row.code, fmt::format("{}: {} ({})", server, row.meaning, fault)},
            row.is_passing};
  }
  return {Error{Errc::kUnsupported, fmt::format("{}: it refused: {}", server, fault)}, false};
}

Result<RedisFacts> ReadRedisFacts(RedisConnection& connection, const RedisAddress& address,
                                  std::chrono::milliseconds limit) {
  const Result<RedisReply> reply = connection.Ask({"INFO"}, limit);
  if (!reply) return reply.error();
  if (reply->IsFault()) return MeaningOf(reply->text, address.Name()).error;
  auto lines = LinesOf(reply->text);
  RedisFacts facts;
  facts.version = lines["redis_version"];
  if (facts.version.empty()) {
    return Error{Errc::kInvalidArgument, address.Name() + ": it does not tell its version in INFO"};
  }
  facts.is_replica = lines["role"] == "slave";
  facts.is_append_only = lines["aof_enabled"] == "1";
  facts.eviction_policy = lines["maxmemory_policy"];
  const bool has_limit = !lines["maxmemory"].empty() && lines["maxmemory"] != "0";
  facts.may_evict = has_limit && facts.eviction_policy != "noeviction";
  return facts;
}

}  // namespace hone
