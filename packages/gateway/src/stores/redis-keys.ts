/** The keys of one generation. They share a hash tag, so that in a cluster one script may touch all of them. */
interface GenerationKeys {
  /** A hash: the record, how many events there are, their size, the ending. */
  readonly state: string;
  /** A stream of events, one entry for each append. */
  readonly events: string;
  /** A list of orders. */
  readonly orders: string;
  /** Is there while somebody watches, and is the name of the channel on which they are told that there is more. */
  readonly watched: string;
}

/** The keys of the documents in a folder. They share a hash tag too. */
interface FolderKeys {
  /** A hash: the version and the value of a document. */
  readonly document: (name: string) => string;
  /** A sorted set: the names, by when their time is over. */
  readonly names: string;
}

/** The names of everything that the store keeps in Redis. */
export interface RedisKeys {
  generation(id: string): GenerationKeys;
  readonly folder: (folder: string) => FolderKeys;
  /** A hash: the running generations of a replica, by id. */
  heldBy(holder: string): string;
  /** A hash: the running generations of an owner, by id. */
  ownedBy(owner: string): string;
  /** Is there while a replica counts as alive. */
  lease(holder: string): string;
  /** The channel on which a replica is told for which generation there is an order. */
  ordersFor(holder: string): string;
  /** A set: the replicas that may have running generations. */
  readonly holders: string;
  /** A hash: the generations that have ended, by id. */
  readonly ended: string;
  /** A channel on which nobody says anything. */
  readonly quiet: string;
}

/** The names of everything that begins with a prefix. */
export function createRedisKeys(prefix: string): RedisKeys {
  return {
    generation(id) {
      const tagged = `${prefix}{${encodeName(id)}}`;
      return {
        state: `${tagged}:state`,
        events: `${tagged}:events`,
        orders: `${tagged}:orders`,
        watched: `${tagged}:watched`,
      };
    },
    folder(folder) {
      const tagged = `{${encodeName(folder)}}`;
      return {
        document: (name) => `${prefix}document:${tagged}:${encodeName(name)}`,
        names: `${prefix}documents:${tagged}`,
      };
    },
    heldBy: (holder) => `${prefix}held:${encodeName(holder)}`,
    ownedBy: (owner) => `${prefix}owned:${encodeName(owner)}`,
    lease: (holder) => `${prefix}lease:${encodeName(holder)}`,
    ordersFor: (holder) => `${prefix}orders:${encodeName(holder)}`,
    holders: `${prefix}holders`,
    ended: `${prefix}ended`,
    quiet: `${prefix}quiet`,
  };
}

/**
 * Writes a name so that it cannot end the hash tag around it. Halves of surrogate pairs are written out as well: as
 * UTF-8, all of them would be the same character.
 */
export function encodeName(name: string): string {
  // An empty hash tag is none. What is encoded never is a lone percent sign.
  if (name === "") return "%";
  return name.replace(/[%{}]|\p{Surrogate}/gu, (character) => `%${character.charCodeAt(0).toString(16)};`);
}

/** Reads what {@link encodeName} has written. */
export function decodeName(encoded: string): string {
  if (encoded === "%") return "";
  return encoded.replace(/%(?<code>[0-9a-f]+);/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
