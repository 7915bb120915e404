// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace hone {

// Every change of the queue is one script, which Redis runs alone and whole.
//
// KEYS[1] is "{name}:", before which no other key of the queue stands. Arguments: the time now in
// microseconds (empty: the server's), a token that is the same when a call is repeated, how long
// settled tasks are kept (us), and how many of them; then those below.
// Each answers with texts, the first of which says how it went. docs/redis.md lists the keys.
enum class RedisScript : std::size_t {
  kPush,         // id body class max_attempts deadline_us
  kTake,         // term_us worker memory_mib owners (a comma after each) names…
  kRenew,        // id generation term_us
  kSettle,       // id generation evaluation
  kReturn,       // id generation reason
  kRelease,      // id generation
  kDrop,         // id generation reason
  kCancel,       // id
  kAwait,        // id
  kLook,         // id
  kCount,        //
  kAnnounce,     // worker card term_us
  kWithdraw,     // worker
  kWorkers,      //
  kFeed,         // sequence max
  kFeedBack,     // sequence max
  kLastSettled,  //
  kForget,       // id
  kForgetOld,    // before_us max
  kEpoch,        // proposal
  kDiagnose,     //
};
inline constexpr std::size_t kRedisScripts = 21;

std::string TextOf(RedisScript script);

}  // namespace hone
