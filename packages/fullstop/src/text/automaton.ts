import { classOf } from "./alphabet.ts";
import type { Alphabet } from "./alphabet.ts";
import { createEdgeTable } from "./edge-table.ts";
import type { EdgeTable } from "./edge-table.ts";

/**
 * All stop strings as one machine (Aho–Corasick): a state stands for the longest suffix of the text read so far
 * that begins some string. Reading a code unit costs the same whether there is one string or a hundred thousand.
 * Immutable, so one automaton serves any number of generations; each keeps only its state, a number.
 *
 * It is laid open as tables because the loop that reads them is the hottest of the library: a unit in state `s`
 * leads to `rows[s + class]` while `s < rowsEnd`, else to `deepStep(s, class)`. A negative result means
 * that a string ends there; its complement is the state.
 */
export interface Automaton {
  readonly alphabet: Alphabet;
  /**
   * For each low byte of a unit, 0 if no string begins with a unit that has it: such units leave state 0 as it is.
   * Always 256 long, so that looking up `unit & 255` needs no check.
   */
  readonly begins: Uint8Array;
  readonly rows: Int32Array;
  readonly rowsEnd: number;
  deepStep(state: number, unitClass: number): number;
  /** The index of the longest string that ends in a state. Only for states where one does. */
  matchAt(state: number): number;
  /** How many units at the end of the text could still grow into a match. */
  heldAt(state: number): number;
}

/**
 * Nodes close to the root get a full row of transitions, because nearly all text is read there; this many table
 * cells at most (4 MB). Deeper ones, visited only within a partial match, are looked up edge by edge.
 */
const ROW_CELLS = 1 << 20;

/**
 * Builds the automaton of a set of distinct, non-empty strings over an alphabet that covers them. The state of a
 * node with a row is where its row begins; the states of the other nodes follow after the end of all rows.
 */
export function createAutomaton(strings: readonly string[], alphabet: Alphabet): Automaton {
  const trie = createTrie(strings, alphabet);
  const { edges, fail, matches, held } = trie;
  // Rows as wide as a power of two: the way back from a state to its node is then a shift.
  const shift = Math.ceil(Math.log2(alphabet.size));
  const rowCount = Math.max(1, Math.min(trie.nodeCount, ROW_CELLS >> shift));
  const rowsEnd = rowCount << shift;

  const toNode = (state: number): number => (state < rowsEnd ? state >> shift : state - rowsEnd + rowCount);
  const toStep = (node: number): number => {
    const state = node < rowCount ? node << shift : node - rowCount + rowsEnd;
    return matches[node] === 0 ? state : ~state;
  };
  const rows = createRows(trie, rowCount, 1 << shift).map(toStep);

  return {
    alphabet,
    begins: createBegins(alphabet, rows),
    rows,
    rowsEnd,
    deepStep(state, unitClass) {
      let node = toNode(state);
      while (node >= rowCount) {
        const next = edges.get(node, unitClass);
        if (next !== 0) return toStep(next);
        node = fail[node]!;
      }
      return rows[(node << shift) + unitClass]!;
    },
    matchAt: (state) => matches[toNode(state)]! - 1,
    heldAt: (state) => held[toNode(state)]!,
  };
}

interface Trie {
  readonly nodeCount: number;
  readonly edges: EdgeTable;
  /** For each node, the node of its longest proper suffix that begins some string. */
  readonly fail: Int32Array;
  /** For each node, 1 + the index of the longest string that ends there, or 0. */
  readonly matches: Int32Array;
  /** For each node, the length of its longest suffix, itself included, that some string goes on from. */
  readonly held: Int32Array;
  /** The first child of each node and the next one after each child; 0 ends the list. */
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  /** The class on the edge that leads to each node. */
  readonly enteredBy: Int32Array;
}

/**
 * Grows the trie one depth at a time over all strings at once. Nodes are thereby numbered from shallow to deep,
 * which is what the rows rely on, and the suffix of a new node is always complete when it is needed.
 */
function createTrie(strings: readonly string[], alphabet: Alphabet): Trie {
  const capacity = 1 + strings.reduce((total, text) => total + text.length, 0);
  const edges = createEdgeTable(capacity);
  const fail = new Int32Array(capacity);
  const matches = new Int32Array(capacity);
  const held = new Int32Array(capacity);
  const firstChild = new Int32Array(capacity);
  const nextSibling = new Int32Array(capacity);
  const parents = new Int32Array(capacity);
  const enteredBy = new Int32Array(capacity);
  const reached = new Int32Array(strings.length);
  let nodeCount = 1;

  let growing = strings.map((_, index) => index);
  for (let depth = 0; growing.length > 0; depth++) {
    const firstNew = nodeCount;
    for (const index of growing) {
      const unitClass = classOf(alphabet, strings[index]!.charCodeAt(depth));
      const parent = reached[index]!;
      let node = edges.get(parent, unitClass);
      if (node === 0) {
        node = nodeCount++;
        edges.add(parent, unitClass, node);
        parents[node] = parent;
        enteredBy[node] = unitClass;
        nextSibling[node] = firstChild[parent]!;
        firstChild[parent] = node;
      }
      reached[index] = node;
      if (strings[index]!.length === depth + 1) matches[node] = index + 1;
    }
    growing = growing.filter((index) => strings[index]!.length > depth + 1);

    for (let node = firstNew; node < nodeCount; node++) {
      if (depth > 0) fail[node] = suffixNode(edges, fail, parents[node]!, enteredBy[node]!);
      // A string that ends here is longer than any that ends at the suffix, and ties go to the longest.
      if (matches[node] === 0) matches[node] = matches[fail[node]!]!;
    }
    for (const index of growing) held[reached[index]!] = depth + 1;
    for (let node = firstNew; node < nodeCount; node++) {
      if (held[node] === 0) held[node] = held[fail[node]!]!;
    }
  }
  return { nodeCount, edges, fail, matches, held, firstChild, nextSibling, enteredBy };
}

function suffixNode(edges: EdgeTable, fail: Int32Array, parent: number, unitClass: number): number {
  for (let suffix = fail[parent]!; ; suffix = fail[suffix]!) {
    const next = edges.get(suffix, unitClass);
    if (next !== 0 || suffix === 0) return next;
  }
}

function createRows({ fail, firstChild, nextSibling, enteredBy }: Trie, rowCount: number, width: number): Int32Array {
  const rows = new Int32Array(rowCount * width);
  for (let node = 0; node < rowCount; node++) {
    const row = node * width;
    const failRow = fail[node]! * width;
    if (node > 0) rows.copyWithin(row, failRow, failRow + width);
    for (let child = firstChild[node]!; child !== 0; child = nextSibling[child]!) {
      rows[row + enteredBy[child]!] = child;
    }
  }
  return rows;
}

function createBegins({ lowClasses, highClasses }: Alphabet, rows: Int32Array): Uint8Array {
  const begins = new Uint8Array(256);
  const add = (unitClass: number, unit: number): void => {
    if (rows[unitClass] !== 0) begins[unit & 0xff] = 1;
  };
  lowClasses.forEach(add);
  highClasses?.forEach(add);
  return begins;
}
