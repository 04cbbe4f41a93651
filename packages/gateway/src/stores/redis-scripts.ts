import { createHash } from "node:crypto";

/** A script as Redis knows it: by its hash once it has seen it. */
export interface RedisScript {
  readonly source: string;
  readonly sha: string;
}

/** Makes a script of its source. */
export function defineScript(source: string): RedisScript {
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

/*
 * Each script checks and sets in one step, so that two processes cannot both see that a generation runs and both end
 * it. All keys of a script belong to one generation. What numbers the keys and arguments have is seen in their calls in
 * `redis-store.ts`. Nothing in them is newer than Redis 6.
 */

/** Begins a generation. Gives its record and its ending if it is there already. */
export const OPEN: RedisScript = defineScript(`
local known = redis.call('HMGET', KEYS[1], 'record', 'signal')
if known[1] then return known end
redis.call('HSET', KEYS[1], 'record', ARGV[1], 'channel', ARGV[2], 'expiry', ARGV[3], 'count', 0, 'bytes', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return false
`);

/** What {@link APPEND} answers when all that it was given is recorded. */
export const ALL_RECORDED = -1;

/**
 * Adds events. Gives -1 when all of them are recorded, the ending if there is one, and otherwise how many events there
 * are: not more than came before if some are missing, more if only the last of these are new. An entry's id is how many
 * events there are with it, so that where an offset lies is found without reading from the start.
 */
export const APPEND: RedisScript = defineScript(`
local known = redis.call('HMGET', KEYS[1], 'count', 'signal', 'bytes')
if known[2] then return known[2] end
local count = tonumber(known[1])
local offset = tonumber(ARGV[1])
local total = offset + tonumber(ARGV[2])
if not count then return 0 end
if offset > count then return count end
if total <= count then return ${ALL_RECORDED} end
if offset < count then return count end
redis.call('XADD', KEYS[2], total .. '-0', 'e', ARGV[3])
if count == 0 then redis.call('PEXPIRE', KEYS[2], redis.call('HGET', KEYS[1], 'expiry')) end
redis.call('HSET', KEYS[1], 'count', total, 'bytes', known[3] + #ARGV[3])
if redis.call('EXISTS', KEYS[3]) == 1 then redis.call('PUBLISH', KEYS[3], '') end
return ${ALL_RECORDED}
`);

/** What {@link FINISH} answers when there is no such generation. */
export const UNKNOWN = -1;

/**
 * Ends a generation. Gives how it had ended before, or nothing if this is the ending, with its record, when it ended in
 * microseconds, and its size. Otherwise how many events there are, if some are missing, or -1 if it is not there.
 */
export const FINISH: RedisScript = defineScript(`
local known = redis.call('HMGET', KEYS[1], 'count', 'signal', 'bytes', 'record', 'ended', 'expiry')
if known[2] then return { known[2], known[4], known[5], known[3] } end
local count = tonumber(known[1])
if not count then return ${UNKNOWN} end
if tonumber(ARGV[1]) > count then return count end
local now = redis.call('TIME')
local ended = now[1] .. string.format('%06d', now[2])
local bytes = known[3] + #ARGV[2]
redis.call('XADD', KEYS[2], (count + 1) .. '-0', 'e', ARGV[2])
redis.call('HSET', KEYS[1], 'count', count + 1, 'bytes', bytes, 'signal', ARGV[3], 'ended', ended)
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], known[6]) end
redis.call('PUBLISH', KEYS[4], '')
return { false, known[4], ended, tostring(bytes) }
`);

/** Leaves an order for a generation that runs, and tells its holder. */
export const ORDER: RedisScript = defineScript(`
local known = redis.call('HMGET', KEYS[1], 'channel', 'signal', 'expiry')
if not known[1] then return 'not_found' end
if known[2] then return 'ended' end
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], known[3])
redis.call('PUBLISH', known[1], ARGV[2])
return 'left'
`);

/** Forgets a generation that has ended. Gives whether it has, and nothing if it is not there. */
export const DELETE: RedisScript = defineScript(`
local known = redis.call('HMGET', KEYS[1], 'record', 'signal')
if not known[1] then return false end
if not known[2] then return 0 end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
return 1
`);

/** Gives what time it is, in seconds and microseconds, and what has ended, so that both are of one moment. */
export const ENDED: RedisScript = defineScript(`
return { redis.call('TIME'), redis.call('HVALS', KEYS[1]) }
`);
