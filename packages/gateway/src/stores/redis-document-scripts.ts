import { defineScript } from "./redis-scripts.ts";
import type { RedisScript } from "./redis-scripts.ts";

/*
 * Each script compares and changes in one step. Its keys are of one folder: a document, and the list of names, which is
 * sorted by when their time is over. Times are those of the server.
 */

/** Strikes off the names whose time is over, and leaves `now`, in milliseconds. A document is there up to its time. */
const STRIKE_OFF = (names: string): string => `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', ${names}, '-inf', string.format('(%.0f', now))
`;

/** Leaves whether what is there is what is expected: any, none, or a version behind a sign. */
const COMPARE = `
local version = redis.call('HGET', KEYS[1], 'version')
local isExpected = ARGV[1] == 'any' or ARGV[1] == (version and '=' .. version or 'none')
`;

/** Writes a document if what is there is what is expected. Gives whether it was. The list lasts as long as its last name. */
export const WRITE_DOCUMENT: RedisScript = defineScript(`
${COMPARE}
if not isExpected then return 0 end
${STRIKE_OFF("KEYS[2]")}
local till = string.format('%.0f', now + ARGV[5])
redis.call('HSET', KEYS[1], 'version', ARGV[3], 'value', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], till)
redis.call('ZADD', KEYS[2], till, ARGV[2])
local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
redis.call('PEXPIREAT', KEYS[2], string.format('%.0f', last[2]))
return 1
`);

/** Deletes a document if what is there is what is expected. Gives whether there was one. */
export const DELETE_DOCUMENT: RedisScript = defineScript(`
${COMPARE}
if not version or not isExpected then return 0 end
redis.call('UNLINK', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[2])
return 1
`);

/** Gives the names in a folder. */
export const DOCUMENT_NAMES: RedisScript = defineScript(`
${STRIKE_OFF("KEYS[1]")}
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);
