/** Who is to be woken next: a heap with the place of each name, so that putting, moving and taking away cost the depth of it. */

export interface Wake {
  readonly name: string;
  readonly at: number;
}

export interface Wakes {
  readonly size: number;
  /** The earliest; null: there is none. */
  first(): Wake | null;
  /** Puts a name, or moves it. */
  set(name: string, at: number): void;
  delete(name: string): void;
}

interface Entry extends Wake {
  readonly name: string;
  at: number;
  /** Where it is in the heap. */
  place: number;
}

export function createWakes(): Wakes {
  const heap: Entry[] = [];
  const entries = new Map<string, Entry>();

  const put = (entry: Entry, place: number): void => {
    heap[place] = entry;
    entry.place = place;
  };

  /** Moves an entry to where it belongs, up or down. */
  function settle(entry: Entry): void {
    let { place } = entry;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above] as Entry;
      if (!isBefore(entry, parent)) break;
      put(parent, place);
      place = above;
    }
    for (
      let child = leastChild(heap, place);
      child !== null && isBefore(child, entry);
      child = leastChild(heap, place)
    ) {
      const below = child.place;
      put(child, place);
      place = below;
    }
    put(entry, place);
  }

  return {
    get size() {
      return heap.length;
    },
    first() {
      const [entry] = heap;
      return entry === undefined ? null : { name: entry.name, at: entry.at };
    },
    set(name, at) {
      const entry = entries.get(name) ?? { name, at, place: heap.length };
      entry.at = at;
      entries.set(name, entry);
      put(entry, entry.place);
      settle(entry);
    },
    delete(name) {
      const entry = entries.get(name);
      if (entry === undefined) return;
      entries.delete(name);
      const last = heap.pop() as Entry;
      if (last === entry) return;
      put(last, entry.place);
      settle(last);
    },
  };
}

function leastChild(heap: readonly Entry[], place: number): Entry | null {
  const left = heap[2 * place + 1];
  const right = heap[2 * place + 2];
  if (left === undefined) return null;
  return right !== undefined && isBefore(right, left) ? right : left;
}

/** Of two at the same time the name decides: every process wakes in the same order. */
function isBefore(a: Wake, b: Wake): boolean {
  return a.at < b.at || (a.at === b.at && a.name < b.name);
}
