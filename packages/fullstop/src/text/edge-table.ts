/** The edges of a trie: an open-addressing hash table from (node, class) to the next node. */
export interface EdgeTable {
  /** The node that `node` leads to on `unitClass`, or 0 where there is no such edge. */
  get(node: number, unitClass: number): number;
  /** Adds an edge. The caller knows that it is new and that the table was opened large enough. */
  add(node: number, unitClass: number, next: number): void;
}

/** Opens a table for at most `capacity` edges. A million of them take 25 MB; a `Map` would take five times that. */
export function createEdgeTable(capacity: number): EdgeTable {
  const size = 2 ** Math.ceil(Math.log2(Math.max(capacity, 1) * 2));
  const mask = size - 1;
  const nodes = new Int32Array(size);
  const classes = new Int32Array(size);
  // No edge leads to the root, so 0 marks a free place.
  const targets = new Int32Array(size);

  const placeOf = (node: number, unitClass: number): number => {
    let place = (Math.imul(node, 0x9e3779b1) ^ Math.imul(unitClass, 0x85ebca6b)) >>> 0;
    place = (place ^ (place >>> 15)) & mask;
    while (targets[place] !== 0 && (nodes[place] !== node || classes[place] !== unitClass)) {
      place = (place + 1) & mask;
    }
    return place;
  };

  return {
    get: (node, unitClass) => targets[placeOf(node, unitClass)]!,
    add(node, unitClass, next) {
      const place = placeOf(node, unitClass);
      nodes[place] = node;
      classes[place] = unitClass;
      targets[place] = next;
    },
  };
}
