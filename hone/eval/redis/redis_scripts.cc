// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis/redis_scripts.h"

#include <chrono>
#include <string>
#include <string_view>

#include "hone/eval/queue/queue_words.h"

namespace hone {
namespace {

// What scripts share, in parts, since Redis builds every function of a script anew in every call;
// for the same reason they make few calls, each of which costs as much as several lines of Lua.
//
// Redis may refuse the first change of a script (memory full, read-only), but no later one: so each
// step begins with a change that may be refused.
// Numbers become text by text(), since Lua's own way keeps only 14 digits.
constexpr std::string_view kBase = R"lua(
local p = KEYS[1]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local token = ARGV[2]

local function text(number) return string.format('%.0f', number) end
local function key(id) return p .. 'task:' .. id end
local function ring(what) redis.call('PUBLISH', p .. 'bell', what) end
)lua";

constexpr std::string_view kLoad = R"lua(
local names = {'state', 'class', 'place', 'claim', 'last',
               'generation', 'pushed', 'most', 'attempts', 'until', 'deadline'}

-- The fields of a task, the body only if asked for by name: Lua reads every byte of a text that
-- comes to it. Nil if there is no such task, false if what is there is none.
local function load(id, body)
  names[12] = body
  local got = redis.pcall('HMGET', key(id), unpack(names))
  if got.err then return false end
  if not got[1] and redis.call('EXISTS', key(id)) == 0 then return nil end
  local f = {}
  for i, name in ipairs(names) do
    local value = got[i]
    if not value then return false end
    if i >= 6 and i <= 11 then
      local number = tonumber(value)
      if number and not (math.abs(number) < 9e15) then return false end
      if not number and i <= 9 then return false end
      value = number
    end
    f[name] = value
  end
  if f.state == 'held' and not f['until'] then return false end
  return f
end
local function is_open(f) return f.state == 'waiting' or f.state == 'held' end
)lua";

constexpr std::string_view kDue = R"lua(
local function next_due()
  return redis.call('ZRANGE', p .. 'due', 0, 0, 'WITHSCORES')[2] or ''
end

local function set_due(id, f, head)
  local at = f.deadline
  if f.state == 'held' and not (at and at < f['until']) then at = f['until'] end
  if not at then
    redis.call('ZREM', p .. 'due', id)
    return
  end
  head = tonumber(head or next_due())
  redis.call('ZADD', p .. 'due', text(at), id)
  if not head or at < head then ring('d') end
end
)lua";

// A class is a priority, an owner and needs: those who wait in one are in the order of their
// pushing.
constexpr std::string_view kLine = R"lua(
local function line_up(id, f)
  redis.call('ZADD', p .. 'wait:' .. f.class, text(f.pushed), f.place .. id)
  redis.call('SADD', p .. 'classes', f.class)
  ring('w' .. f.class)
end

local function step_out(class, member)
  redis.call('ZREM', p .. 'wait:' .. class, member)
  if redis.call('EXISTS', p .. 'wait:' .. class) == 0 then
    redis.call('SREM', p .. 'classes', class)
  end
end
)lua";

constexpr std::string_view kForgetting = R"lua(
local function forget(id, sequence)
  if redis.pcall('HGET', key(id), 'sequence') == sequence then redis.call('DEL', key(id)) end
  redis.call('XDEL', p .. 'feed', sequence)
end
)lua";

constexpr std::string_view kRetire = R"lua(
local function forget_old()
  local keep, max = tonumber(ARGV[3]), tonumber(ARGV[4])
  local excess = redis.call('XLEN', p .. 'feed') - max
  for i, entry in ipairs(redis.call('XRANGE', p .. 'feed', '-', '+', 'COUNT', 30)) do
    if i > excess and tonumber(entry[2][4]) > now - keep then break end
    forget(entry[2][2], entry[1])
  end
end

-- An entry's number is its time to the microsecond where that rises: Redis' own numbers begin anew
-- in each millisecond, so after a flush one could come again that a reader has passed.
local function add_to_feed(id)
  local number = text(math.floor(now / 1000)) .. '-' .. text(now % 1000)
  local added = redis.pcall('XADD', p .. 'feed', number, 'task', id, 'at', text(now))
  if type(added) == 'string' then return added end
  return redis.call('XADD', p .. 'feed', '*', 'task', id, 'at', text(now))
end

local function retire(id, f, state, ...)
  if string.sub(f.place, -1) == '0' then forget_old() end
  local sequence = add_to_feed(id)
  redis.call('HSET', key(id), 'state', state, 'settled', text(now), 'sequence', sequence,
             'claim', '', 'last', token, ...)
  if f.state == 'waiting' then
    step_out(f.class, f.place .. id)
  else
    redis.call('HDEL', p .. 'claims', f.claim)
  end
  redis.call('ZREM', p .. 'due', id)
  ring('s' .. id)
end
)lua";

constexpr std::string_view kFail = R"lua(
local function offer_again(id, f, ...)
  redis.call('HSET', key(id), 'state', 'waiting', 'claim', '', 'last', token, ...)
  redis.call('HDEL', p .. 'claims', f.claim)
  f.state = 'waiting'
  line_up(id, f)
  set_due(id, f)
end

local function fail(id, f, is_lapsed, reason)
  local attempts = f.attempts + 1
  if attempts >= f.most then
    retire(id, f, 'abandoned', 'attempts', text(attempts), 'lapsed', is_lapsed, 'reason', reason)
  else
    offer_again(id, f, 'attempts', text(attempts), 'lapsed', is_lapsed, 'reason', reason)
  end
end
)lua";

constexpr std::string_view kSweep = R"lua(
-- Does what time alone has brought about, and returns when it will bring about something next.
local function sweep()
  local head = next_due()
  if head == '' or tonumber(head) > now then return head end
  local due = redis.call('ZRANGEBYSCORE', p .. 'due', '-inf', text(now), 'LIMIT', 0, 200)
  for _, id in ipairs(due) do
    local f = load(id)
    if not f or not is_open(f) then
      redis.call('ZREM', p .. 'due', id)
    elseif f.deadline and f.deadline <= now then
      retire(id, f, 'expired')
    elseif f.state == 'held' and f['until'] <= now then
      fail(id, f, '1', '')
    else
      set_due(id, f)
    end
  end
  return next_due()
end
)lua";

constexpr std::string_view kHeld = R"lua(
-- The fields of a task if this lease is good, else what to answer. A lease that ran out is lost
-- even before somebody has noticed. A call that is repeated finds its token, and is done already.
local function held(id, generation)
  local f = load(id)
  if f == false then return nil, {'corrupt', key(id)} end
  if not f then return nil, {'stale'} end
  if f.last == token then return nil, {'ok'} end
  local is_good = f.state == 'held' and text(f.generation) == generation and f['until'] > now
  if not is_good or (f.deadline and f.deadline <= now) then return nil, {'stale'} end
  return f
end

local id = ARGV[5]
local f, answer = held(id, ARGV[6])
if not f then return answer end
)lua";

constexpr std::string_view kPush = R"lua(
local id, body, class, max, deadline = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local known = redis.pcall('HGET', key(id), 'body')
if type(known) == 'table' then return {'corrupt', key(id)} end
if known == body then return {'ok'} end
if known then return {'known', known} end
local count = redis.call('INCR', p .. 'pushed')
local f = {state = 'waiting', class = class, place = string.format('%016.0f', count),
           pushed = now, deadline = tonumber(deadline)}
-- Leases of an earlier task of this name are of lower generations: they rise with the time.
local generation = text(now + count % 1000)
redis.call('HSET', key(id), 'body', body, 'class', class, 'place', f.place, 'pushed', text(now),
           'most', max, 'deadline', deadline, 'state', 'waiting', 'generation', generation,
           'attempts', '0', 'until', '', 'claim', '', 'last', '')
line_up(id, f)
if f.deadline then set_due(id, f) end
return {'ok'}
)lua";

constexpr std::string_view kTake = R"lua(
local due = sweep()
local mine = redis.call('HGET', p .. 'claims', token)
if mine then
  local f = load(mine, 'body')
  if f and f.state == 'held' and f.claim == token then
    return {'ok', text(now), due, mine, text(f.generation), f.body}
  end
end

local has = {}
for i = 9, #ARGV do has[ARGV[i]] = true end
local serves = {}
for owner in string.gmatch(ARGV[8], '([^,]*),') do serves[owner] = true end
local function covers(needs)
  local is_read, wish = pcall(cjson.decode, needs)
  if not is_read or type(wish) ~= 'table' or type(wish.names) ~= 'table' then return false end
  for _, name in ipairs(wish.names) do
    if not has[name] then return false end
  end
  return (tonumber(wish.memory_mib) or 0) <= tonumber(ARGV[7])
end

local lines = {}
for _, class in ipairs(redis.call('SMEMBERS', p .. 'classes')) do
  local priority, owner, needs = string.match(class, '^(%-?%d+)@?(%S*) (.*)$')
  if priority and serves[owner] and covers(needs) then lines[class] = tonumber(priority) * head_start end
end

local function first()
  local member, rank, line
  for class, start in pairs(lines) do
    local head = redis.call('ZRANGE', p .. 'wait:' .. class, 0, 0, 'WITHSCORES')
    if not head[1] then
      redis.call('SREM', p .. 'classes', class)
    else
      local its = tonumber(head[2]) - start
      if not rank or its < rank or (its == rank and head[1] < member) then
        member, rank, line = head[1], its, class
      end
    end
  end
  return member, line
end

local function take(id, f)
  f.generation = math.max(f.generation + 1, now)
  f['until'] = now + tonumber(ARGV[5])
  redis.call('HSET', key(id), 'state', 'held', 'generation', text(f.generation), 'claim', token,
             'until', text(f['until']), 'taken', text(now), 'worker', ARGV[6])
  redis.call('HSET', p .. 'claims', token, id)
  redis.call('ZREM', p .. 'wait:' .. f.class, f.place .. id)
  f.state = 'held'
  set_due(id, f, due)
  return {'ok', text(now), due, id, text(f.generation), f.body}
end

local member, line = first()
while member do
  local id = string.sub(member, 17)
  local f = load(id, 'body')
  if f and f.state == 'waiting' and f.place .. id == member and f.class == line then
    return take(id, f)
  end
  -- What stands in line is no task: it goes out of the way of the others.
  step_out(line, member)
  ring('s' .. id)
  member, line = first()
end
return {'none', text(now), due}
)lua";

constexpr std::string_view kScriptRenew = R"lua(
f['until'] = now + tonumber(ARGV[7])
redis.call('HSET', key(id), 'until', text(f['until']))
set_due(id, f)
return {'ok'}
)lua";

constexpr std::string_view kScriptSettle = R"lua(
retire(id, f, 'evaluated', 'result', ARGV[7])
return {'ok'}
)lua";

constexpr std::string_view kReturn = R"lua(
fail(id, f, '0', ARGV[7])
return {'ok'}
)lua";

constexpr std::string_view kScriptRelease = R"lua(
offer_again(id, f)
return {'ok'}
)lua";

constexpr std::string_view kScriptDrop = R"lua(
retire(id, f, 'abandoned', 'attempts', text(f.attempts + 1), 'lapsed', '0', 'reason', ARGV[7])
return {'ok'}
)lua";

constexpr std::string_view kFind = R"lua(
local due = sweep()
local id = ARGV[5]
local f = load(id)
if f == nil then return {'unknown'} end
)lua";

constexpr std::string_view kCancel = R"lua(
if f == false then return {'corrupt', key(id)} end
if is_open(f) then retire(id, f, 'cancelled') end
return {'ok'}
)lua";

constexpr std::string_view kAwait = R"lua(
if f == false then return {'corrupt', key(id)} end
if is_open(f) then return {'open', text(now), due} end
local got = redis.call('HMGET', key(id), 'result', 'reason', 'lapsed', 'worker')
return {f.state, text(f.attempts), got[1] or '', got[2] or '', got[3] or '', got[4] or ''}
)lua";

constexpr std::string_view kLook = R"lua(
if f == false then return {'corrupt', key(id)} end

local function start_of(class) return (tonumber(string.match(class, '^%-?%d+')) or 0) * head_start end
local function owner_of(class) return string.match(class, '^%-?%d+@?(%S*)') end
local function ahead_in(class)
  -- Who was pushed before this time goes before, at this time by place.
  local at = text(f.pushed - start_of(f.class) + start_of(class))
  local ahead = redis.call('ZCOUNT', p .. 'wait:' .. class, '-inf', '(' .. at)
  local ties = redis.call('ZRANGEBYSCORE', p .. 'wait:' .. class, at, at, 'LIMIT', 0, 1000)
  for _, member in ipairs(ties) do
    if string.sub(member, 1, 16) < f.place then ahead = ahead + 1 end
  end
  return ahead
end
local function count_ahead()
  local ahead = 0
  for _, class in ipairs(redis.call('SMEMBERS', p .. 'classes')) do
    if owner_of(class) == owner_of(f.class) then ahead = ahead + ahead_in(class) end
  end
  return ahead
end

local got = redis.call('HMGET', key(id), 'taken', 'settled', 'worker', 'body', 'result', 'reason',
                       'lapsed')
local ahead = f.state == 'waiting' and count_ahead() or 0
return {'ok', got[4] or '', f.state, text(f.pushed), got[1] or '', got[2] or '',
        text(f.attempts), got[3] or '', text(ahead), got[5] or '', got[6] or '', got[7] or ''}
)lua";

constexpr std::string_view kForget = R"lua(
if f and is_open(f) then return {'stale'} end
local sequence = redis.pcall('HGET', key(id), 'sequence')
redis.call('DEL', key(id))
if type(sequence) == 'string' then redis.pcall('XDEL', p .. 'feed', sequence) end
ring('s' .. id)
return {'ok'}
)lua";

constexpr std::string_view kCount = R"lua(
sweep()
local counts = {'ok', text(redis.call('HLEN', p .. 'claims')),
                text(redis.call('XLEN', p .. 'feed'))}
for _, class in ipairs(redis.call('SMEMBERS', p .. 'classes')) do
  local line = p .. 'wait:' .. class
  local oldest = tonumber(redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')[2])
  if oldest then
    table.insert(counts, class)
    table.insert(counts, text(redis.call('ZCARD', line)))
    table.insert(counts, text(oldest))
  else
    redis.call('SREM', p .. 'classes', class)
  end
end
return counts
)lua";

constexpr std::string_view kAnnounce = R"lua(
redis.call('HSET', p .. 'workers', ARGV[5], text(now) .. ' ' .. ARGV[6])
redis.call('ZADD', p .. 'workers:until', text(now + tonumber(ARGV[7])), ARGV[5])
return {'ok'}
)lua";

constexpr std::string_view kWithdraw = R"lua(
redis.call('HDEL', p .. 'workers', ARGV[5])
redis.call('ZREM', p .. 'workers:until', ARGV[5])
return {'ok'}
)lua";

constexpr std::string_view kWorkers = R"lua(
local gone = redis.call('ZRANGEBYSCORE', p .. 'workers:until', '-inf', text(now))
for _, name in ipairs(gone) do
  redis.call('HDEL', p .. 'workers', name)
  redis.call('ZREM', p .. 'workers:until', name)
end
local answer = redis.call('HGETALL', p .. 'workers')
table.insert(answer, 1, 'ok')
return answer
)lua";

constexpr std::string_view kFeed = R"lua(
local answer = {'ok', text(now), sweep()}
local entries = redis.call('XRANGE', p .. 'feed', '(' .. ARGV[5], '+', 'COUNT', ARGV[6])
)lua";

constexpr std::string_view kFeedBack = R"lua(
local answer = {'ok', text(now), sweep()}
local entries = redis.call('XREVRANGE', p .. 'feed', '(' .. ARGV[5], '-', 'COUNT', ARGV[6])
)lua";

constexpr std::string_view kEntries = R"lua(
for _, entry in ipairs(entries) do
  table.insert(answer, entry[1])
  table.insert(answer, entry[2][2])
end
return answer
)lua";

constexpr std::string_view kScriptLastSettled = R"lua(
sweep()
if redis.call('EXISTS', p .. 'feed') == 0 then return {'ok', '0-0'} end
local facts = redis.call('XINFO', 'STREAM', p .. 'feed')
for i = 1, #facts, 2 do
  if facts[i] == 'last-generated-id' then return {'ok', facts[i + 1]} end
end
return {'ok', '0-0'}
)lua";

constexpr std::string_view kForgetOld = R"lua(
local count = 0
for _, entry in ipairs(redis.call('XRANGE', p .. 'feed', '-', '+', 'COUNT', ARGV[6])) do
  if tonumber(entry[2][4]) >= tonumber(ARGV[5]) then break end
  forget(entry[2][2], entry[1])
  ring('s' .. entry[2][2])
  count = count + 1
end
return {'ok', text(count)}
)lua";

constexpr std::string_view kEpoch = R"lua(
local epoch = redis.call('GET', p .. 'epoch')
if epoch then return {'ok', epoch} end
redis.call('SET', p .. 'epoch', ARGV[5])
return {'ok', ARGV[5]}
)lua";

// Which key is of another kind than it should be.
constexpr std::string_view kDiagnose = R"lua(
local kinds = {classes = 'set', due = 'zset', claims = 'hash', feed = 'stream', pushed = 'string',
               epoch = 'string', workers = 'hash', ['workers:until'] = 'zset'}
local function check(name, kind)
  local found = redis.call('TYPE', p .. name).ok
  return found == 'none' or found == kind
end
for name, kind in pairs(kinds) do
  if not check(name, kind) then return {'corrupt', p .. name} end
end
for _, class in ipairs(redis.call('SMEMBERS', p .. 'classes')) do
  if not check('wait:' .. class, 'zset') then return {'corrupt', p .. 'wait:' .. class} end
end
return {'ok'}
)lua";

template <typename... Parts>
std::string Join(Parts... parts) {
  std::string text =
      "local head_start = " + std::to_string(std::chrono::microseconds(kHeadStart).count()) + "\n";
  (text.append(parts), ...);
  return text;
}

template <typename... Parts>
std::string JoinSwept(Parts... parts) {
  return Join(kBase, kLoad, kDue, kLine, kForgetting, kRetire, kFail, kSweep, parts...);
}

}  // namespace

std::string TextOf(RedisScript script) {
  switch (script) {
    case RedisScript::kPush:
      return Join(kBase, kDue, kLine, kPush);
    case RedisScript::kTake:
      return JoinSwept(kTake);
    case RedisScript::kRenew:
      return Join(kBase, kLoad, kDue, kHeld, kScriptRenew);
    case RedisScript::kSettle:
      return Join(kBase, kLoad, kLine, kForgetting, kRetire, kHeld, kScriptSettle);
    case RedisScript::kReturn:
      return Join(kBase, kLoad, kDue, kLine, kForgetting, kRetire, kFail, kHeld, kReturn);
    case RedisScript::kRelease:
      return Join(kBase, kLoad, kDue, kLine, kForgetting, kRetire, kFail, kHeld, kScriptRelease);
    case RedisScript::kDrop:
      return Join(kBase, kLoad, kLine, kForgetting, kRetire, kHeld, kScriptDrop);
    case RedisScript::kCancel:
      return JoinSwept(kFind, kCancel);
    case RedisScript::kAwait:
      return JoinSwept(kFind, kAwait);
    case RedisScript::kLook:
      return JoinSwept(kFind, kLook);
    case RedisScript::kForget:
      return JoinSwept(kFind, kForget);
    case RedisScript::kCount:
      return JoinSwept(kCount);
    case RedisScript::kFeed:
      return JoinSwept(kFeed, kEntries);
    case RedisScript::kFeedBack:
      return JoinSwept(kFeedBack, kEntries);
    case RedisScript::kLastSettled:
      return JoinSwept(kScriptLastSettled);
    case RedisScript::kForgetOld:
      return Join(kBase, kForgetting, kForgetOld);
    case RedisScript::kAnnounce:
      return Join(kBase, kAnnounce);
    case RedisScript::kWithdraw:
      return Join(kBase, kWithdraw);
    case RedisScript::kWorkers:
      return Join(kBase, kWorkers);
    case RedisScript::kEpoch:
      return Join(kBase, kEpoch);
    case RedisScript::kDiagnose:
      return Join(kBase, kDiagnose);
  }
  return {};
}

}  // namespace hone
