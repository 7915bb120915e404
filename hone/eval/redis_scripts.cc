// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/redis_scripts.h"

#include <fmt/format.h>

#include <string_view>

namespace hone {
namespace {

// What all scripts share. Redis may refuse the first change of a script (memory full, read-only),
// but no later one: so each step begins with the change that makes it, the HSET.
// Numbers become text by text(), since Lua's own way keeps only 14 digits.
constexpr std::string_view kCommon = R"lua(
local p = KEYS[1]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local token, keep, most_settled, most_fed = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

local function text(number) return string.format('%.0f', number) end
local function key(id) return p .. 'task:' .. id end
local function ring(what) redis.call('PUBLISH', p .. 'bell', what) end

local names = {'state', 'needs', 'priority', 'place', 'generation', 'claim', 'last',
               'score', 'pushed', 'most', 'attempts', 'until', 'deadline'}

-- The fields of a task; nil if there is no such task, false if what is there is none.
local function load(id)
  local got = redis.pcall('HMGET', key(id), unpack(names))
  if got.err then return false end
  if not got[1] and redis.call('EXISTS', key(id)) == 0 then return nil end
  local f = {}
  for i, name in ipairs(names) do
    f[name] = got[i]
    if not got[i] then return false end
    if i >= 8 then
      local number = tonumber(got[i])
      if number and not (math.abs(number) < 1e18) then return false end
      if not number and i <= 11 then return false end
      f[name] = number
    end
  end
  if f.state == 'held' and not f['until'] then return false end
  return f
end

local function next_due()
  return redis.call('ZRANGE', p .. 'due', 0, 0, 'WITHSCORES')[2] or ''
end

local function set_due(id, f)
  local at = f.deadline
  if f.state == 'held' and not (at and at < f['until']) then at = f['until'] end
  if not at then redis.call('ZREM', p .. 'due', id) return end
  local head = tonumber(next_due())
  redis.call('ZADD', p .. 'due', text(at), id)
  if not head or at < head then ring('d') end
end

local function line_up(id, f)
  local member = f.place .. id
  redis.call('ZADD', p .. 'line', text(f.score), member)
  redis.call('ZADD', p .. 'wait:' .. f.needs, text(f.score), member)
  redis.call('ZADD', p .. 'level:' .. f.priority, text(f.pushed), member)
  redis.call('SADD', p .. 'needs', f.needs)
  redis.call('SADD', p .. 'levels', f.priority)
  ring('w' .. f.needs)
end

local function leave(set, kind, name, member)
  redis.call('ZREM', p .. kind .. name, member)
  if redis.call('EXISTS', p .. kind .. name) == 0 then redis.call('SREM', p .. set, name) end
end

local function step_out(id, f)
  local member = f.place .. id
  redis.call('ZREM', p .. 'line', member)
  leave('needs', 'wait:', f.needs, member)
  leave('levels', 'level:', f.priority, member)
end

local function forget(id)
  local sequence = redis.pcall('HGET', key(id), 'sequence')
  redis.call('DEL', key(id))
  redis.call('ZREM', p .. 'settled', id)
  if type(sequence) == 'string' then redis.pcall('XDEL', p .. 'feed', sequence .. '-0') end
end

local function forget_old()
  local settled = p .. 'settled'
  local old = redis.call('ZRANGEBYSCORE', settled, '-inf', text(now - keep), 'LIMIT', 0, 3)
  if redis.call('ZCARD', settled) >= most_settled then
    old = redis.call('ZRANGE', settled, 0, 1)
  end
  for _, id in ipairs(old) do forget(id) end
end

-- Sequences and generations rise with the time, so that they do so even if Redis lost its contents.
local function rise(name)
  return math.max((tonumber(redis.call('GET', p .. name)) or 0) + 1, now)
end

local function retire(id, f, state, ...)
  forget_old()
  local sequence = text(rise('fed'))
  redis.call('HSET', key(id), 'state', state, 'settled', text(now), 'sequence', sequence,
             'claim', '', 'last', token, ...)
  redis.call('SET', p .. 'fed', sequence)
  redis.call('XADD', p .. 'feed', 'MAXLEN', '~', most_fed, sequence .. '-0', 'task', id)
  redis.call('ZADD', p .. 'settled', text(now), id)
  if f.state == 'waiting' then step_out(id, f) end
  redis.call('HDEL', p .. 'claims', f.claim)
  redis.call('ZREM', p .. 'due', id)
  ring('s' .. id)
end

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

-- Does what time alone has brought about.
local function sweep()
  local due = redis.call('ZRANGEBYSCORE', p .. 'due', '-inf', text(now), 'LIMIT', 0, 200)
  for _, id in ipairs(due) do
    local f = load(id)
    if not f or (f.state ~= 'waiting' and f.state ~= 'held') then
      redis.call('ZREM', p .. 'due', id)
    elseif f.deadline and f.deadline <= now then
      retire(id, f, 'expired')
    elseif f.state == 'held' and f['until'] <= now then
      fail(id, f, '1', '')
    else
      set_due(id, f)
    end
  end
end

-- The fields of a task if this lease is good, else what to answer. A lease that ran out is lost
-- even before somebody has noticed. A call that is repeated finds its token, and is done already.
local function held(id, generation)
  local f = load(id)
  if f == false then return nil, {'corrupt', key(id)} end
  if not f then return nil, {'stale'} end
  if f.last == token then return nil, {'ok'} end
  local is_good = f.state == 'held' and f.generation == generation and f['until'] > now
  if not is_good or (f.deadline and f.deadline <= now) then return nil, {'stale'} end
  return f
end
)lua";

constexpr std::string_view kPush = R"lua(
local id, body, needs, priority = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local known = redis.pcall('HGET', key(id), 'body')
if type(known) == 'table' then return {'corrupt', key(id)} end
if known == body then return {'ok'} end
if known then return {'known', known} end
if redis.call('EXISTS', key(id)) == 1 then return {'corrupt', key(id)} end
local place = string.format('%016.0f', redis.call('INCR', p .. 'pushed'))
local f = {state = 'waiting', needs = needs, priority = priority, place = place, pushed = now,
           score = now - tonumber(ARGV[10]), deadline = tonumber(ARGV[12])}
redis.call('HSET', key(id), 'body', body, 'needs', needs, 'priority', priority, 'place', place,
           'score', text(f.score), 'pushed', text(now), 'most', ARGV[11], 'deadline', ARGV[12],
           'state', 'waiting', 'generation', '0', 'attempts', '0', 'until', '', 'claim', '',
           'last', '')
line_up(id, f)
set_due(id, f)
return {'ok'}
)lua";

constexpr std::string_view kTake = R"lua(
local function claim(id, generation)
  local body = redis.call('HGET', key(id), 'body') or ''
  return {'ok', text(now), next_due(), id, generation, body}
end

sweep()
local mine = redis.call('HGET', p .. 'claims', token)
if mine then
  local f = load(mine)
  if f and f.state == 'held' and f.claim == token then return claim(mine, f.generation) end
end

local has = {}
for i = 9, #ARGV do has[ARGV[i]] = true end
local function covers(needs)
  local is_read, wish = pcall(cjson.decode, needs)
  if not is_read or type(wish) ~= 'table' or type(wish.names) ~= 'table' then return false end
  for _, name in ipairs(wish.names) do
    if not has[name] then return false end
  end
  return (tonumber(wish.memory_mib) or 0) <= tonumber(ARGV[8])
end

local lines = {}
for _, needs in ipairs(redis.call('SMEMBERS', p .. 'needs')) do
  if covers(needs) then table.insert(lines, needs) end
end

local function first()
  local member, score, line
  for _, needs in ipairs(lines) do
    local head = redis.call('ZRANGE', p .. 'wait:' .. needs, 0, 0, 'WITHSCORES')
    local its = tonumber(head[2])
    if its and (not score or its < score or (its == score and head[1] < member)) then
      member, score, line = head[1], its, needs
    end
  end
  return member, line
end

local function take(id, f)
  local generation = text(rise('generation'))
  f['until'] = now + tonumber(ARGV[6])
  redis.call('HSET', key(id), 'state', 'held', 'generation', generation, 'claim', token,
             'until', text(f['until']), 'taken', text(now), 'worker', ARGV[7])
  redis.call('SET', p .. 'generation', generation)
  redis.call('HSET', p .. 'claims', token, id)
  step_out(id, f)
  f.state = 'held'
  set_due(id, f)
  return claim(id, generation)
end

local member, line = first()
while member do
  local id = string.sub(member, 17)
  local f = load(id)
  if f and f.state == 'waiting' and f.place .. id == member and f.needs == line then
    return take(id, f)
  end
  -- What stands in line is no task: it goes out of the way of the others.
  redis.call('ZREM', p .. 'line', member)
  leave('needs', 'wait:', line, member)
  for _, priority in ipairs(redis.call('SMEMBERS', p .. 'levels')) do
    leave('levels', 'level:', priority, member)
  end
  ring('s' .. id)
  member, line = first()
end
return {'none', text(now), next_due()}
)lua";

constexpr std::string_view kRenew = R"lua(
local f, answer = held(ARGV[6], ARGV[7])
if not f then return answer end
f['until'] = now + tonumber(ARGV[8])
redis.call('HSET', key(ARGV[6]), 'until', text(f['until']))
set_due(ARGV[6], f)
return {'ok'}
)lua";

constexpr std::string_view kSettle = R"lua(
local f, answer = held(ARGV[6], ARGV[7])
if not f then return answer end
retire(ARGV[6], f, 'evaluated', 'result', ARGV[8])
return {'ok'}
)lua";

constexpr std::string_view kReturn = R"lua(
local f, answer = held(ARGV[6], ARGV[7])
if not f then return answer end
fail(ARGV[6], f, '0', ARGV[8])
return {'ok'}
)lua";

constexpr std::string_view kRelease = R"lua(
local f, answer = held(ARGV[6], ARGV[7])
if not f then return answer end
offer_again(ARGV[6], f)
return {'ok'}
)lua";

constexpr std::string_view kDrop = R"lua(
local f, answer = held(ARGV[6], ARGV[7])
if not f then return answer end
retire(ARGV[6], f, 'abandoned', 'attempts', text(f.attempts + 1), 'lapsed', '0', 'reason', ARGV[8])
return {'ok'}
)lua";

constexpr std::string_view kCancel = R"lua(
sweep()
local f = load(ARGV[6])
if f == nil then return {'unknown'} end
if f == false then return {'corrupt', key(ARGV[6])} end
if f.state == 'waiting' or f.state == 'held' then retire(ARGV[6], f, 'cancelled') end
return {'ok'}
)lua";

constexpr std::string_view kAwait = R"lua(
sweep()
local f = load(ARGV[6])
if f == nil then return {'unknown'} end
if f == false then return {'corrupt', key(ARGV[6])} end
if f.state == 'waiting' or f.state == 'held' then return {'open', text(now), next_due()} end
local got = redis.call('HMGET', key(ARGV[6]), 'result', 'reason', 'lapsed', 'worker')
return {f.state, text(f.attempts), got[1] or '', got[2] or '', got[3] or '', got[4] or ''}
)lua";

constexpr std::string_view kLook = R"lua(
sweep()
local f = load(ARGV[6])
if f == nil then return {'unknown'} end
if f == false then return {'corrupt', key(ARGV[6])} end
local got = redis.call('HMGET', key(ARGV[6]), 'body', 'taken', 'settled', 'worker')
local ahead = redis.call('ZRANK', p .. 'line', f.place .. ARGV[6]) or 0
return {'ok', got[1] or '', f.state, text(f.pushed), got[2] or '', got[3] or '',
        text(f.attempts), got[4] or '', text(ahead)}
)lua";

constexpr std::string_view kCount = R"lua(
sweep()
local counts = {'ok', text(redis.call('HLEN', p .. 'claims')),
                text(redis.call('ZCARD', p .. 'settled'))}
for _, priority in ipairs(redis.call('SMEMBERS', p .. 'levels')) do
  local level = p .. 'level:' .. priority
  local oldest = redis.call('ZRANGE', level, 0, 0, 'WITHSCORES')[2]
  if oldest then
    table.insert(counts, priority)
    table.insert(counts, text(redis.call('ZCARD', level)))
    table.insert(counts, text(tonumber(oldest)))
  end
end
return counts
)lua";

constexpr std::string_view kAnnounce = R"lua(
redis.call('HSET', p .. 'workers', ARGV[6], text(now) .. ' ' .. ARGV[7])
redis.call('ZADD', p .. 'workers:until', text(now + tonumber(ARGV[8])), ARGV[6])
return {'ok'}
)lua";

constexpr std::string_view kDismiss = R"lua(
redis.call('HDEL', p .. 'workers', ARGV[6])
redis.call('ZREM', p .. 'workers:until', ARGV[6])
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
sweep()
local answer = {'ok', text(now), next_due()}
local entries = redis.call('XRANGE', p .. 'feed', '(' .. ARGV[6] .. '-0', '+', 'COUNT', ARGV[7])
for _, entry in ipairs(entries) do
  table.insert(answer, entry[1])
  table.insert(answer, entry[2][2])
end
return answer
)lua";

constexpr std::string_view kLastSettled = R"lua(
sweep()
return {'ok', redis.call('GET', p .. 'fed') or '0'}
)lua";

constexpr std::string_view kForget = R"lua(
sweep()
local f = load(ARGV[6])
if f == nil then return {'unknown'} end
if f and (f.state == 'waiting' or f.state == 'held') then return {'stale'} end
forget(ARGV[6])
ring('s' .. ARGV[6])
return {'ok'}
)lua";

constexpr std::string_view kForgetOld = R"lua(
local old = redis.call('ZRANGEBYSCORE', p .. 'settled', '-inf', '(' .. ARGV[6], 'LIMIT', 0, ARGV[7])
for _, id in ipairs(old) do
  forget(id)
  ring('s' .. id)
end
return {'ok', text(#old)}
)lua";

constexpr std::string_view kEpoch = R"lua(
local epoch = redis.call('GET', p .. 'epoch')
if epoch then return {'ok', epoch} end
redis.call('SET', p .. 'epoch', ARGV[6])
return {'ok', ARGV[6]}
)lua";

// Which key is of another kind than it should be.
constexpr std::string_view kDiagnose = R"lua(
local kinds = {line = 'zset', needs = 'set', levels = 'set', due = 'zset', claims = 'hash',
               settled = 'zset', feed = 'stream', fed = 'string', generation = 'string',
               pushed = 'string', epoch = 'string', workers = 'hash', ['workers:until'] = 'zset'}
local function check(name, kind)
  local found = redis.call('TYPE', p .. name).ok
  return found == 'none' or found == kind
end
for name, kind in pairs(kinds) do
  if not check(name, kind) then return {'corrupt', p .. name} end
end
for set, kind in pairs({needs = 'wait:', levels = 'level:'}) do
  for _, name in ipairs(redis.call('SMEMBERS', p .. set)) do
    if not check(kind .. name, 'zset') then return {'corrupt', p .. kind .. name} end
  end
end
return {'ok'}
)lua";

constexpr std::array<std::string_view, kRedisScripts> kBodies = {
    kPush,   kTake,        kRenew,  kSettle,    kReturn,   kRelease, kDrop,
    kCancel, kAwait,       kLook,   kCount,     kAnnounce, kDismiss, kWorkers,
    kFeed,   kLastSettled, kForget, kForgetOld, kEpoch,    kDiagnose};

}  // namespace

std::string TextOf(RedisScript script) {
  return fmt::format("{}{}", kCommon, kBodies.at(static_cast<std::size_t>(script)));
}

}  // namespace hone
