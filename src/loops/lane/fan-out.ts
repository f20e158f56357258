/** Fan-out: one function over many items, so many at once and so many of one key; results in the order of the items. */
import { pawlError } from "../../base/errors.ts";
import { LANE_ERRORS } from "../../ports/loops/lane-errors.ts";

export interface FanOutOptions<T> {
  /** How many at once; 0 or none: 8. `Infinity` must be said. */
  readonly maxConcurrent?: number;
  /** Which of the items must not crowd each other. */
  readonly key?: (item: T) => string;
  /** How many of one key at once; 0 or none: 2. */
  readonly perKey?: number;
  /** Nothing more begins when it is aborted; what has begun is told, and waited for. */
  readonly signal?: AbortSignal;
}

export interface FanOutPlace {
  /** Of the item, from 0 on. */
  readonly index: number;
  readonly signal: AbortSignal;
}

export type FanOutResult<R> =
  | { readonly status: "done"; readonly value: R }
  | { readonly status: "failed"; readonly error: unknown }
  /** It has not begun. */
  | { readonly status: "cancelled" };

const USUAL_AT_ONCE = 8;
const USUAL_OF_A_KEY = 2;

/** What an item throws is its result. Rejects with LANE_BOUND_INVALID, and with what `key` throws. */
export async function fanOut<T, R>(
  items: readonly T[],
  options: FanOutOptions<T>,
  work: (item: T, place: FanOutPlace) => Promise<R> | R,
): Promise<readonly FanOutResult<R>[]> {
  const { key, signal = new AbortController().signal } = options;
  const most = boundOf("maxConcurrent", options.maxConcurrent, USUAL_AT_ONCE);
  const mostOfKey = boundOf("perKey", options.perKey, USUAL_OF_A_KEY);
  const keys = key === undefined ? null : items.map(key);
  const turns = createTurns(items.length, keys, mostOfKey);
  const results: FanOutResult<R>[] = items.map(() => ({ status: "cancelled" }));
  let running = 0;

  const run = async (item: T, index: number): Promise<R> => work(item, { index, signal });

  return new Promise((resolve) => {
    function end(index: number, result: FanOutResult<R>): void {
      results[index] = result;
      running -= 1;
      turns.end(index);
      pump();
    }

    function pump(): void {
      while (running < most && !signal.aborted) {
        const index = turns.next();
        if (index === null) break;
        running += 1;
        run(items[index] as T, index).then(
          (value) => end(index, { status: "done", value }),
          (error: unknown) => end(index, { status: "failed", error }),
        );
      }
      if (running === 0) resolve(results);
    }

    pump();
  });
}

function boundOf(name: string, given: number | undefined, usual: number): number {
  const bound = given ?? 0;
  if (bound === 0) return usual;
  if (bound !== Number.POSITIVE_INFINITY && (!Number.isInteger(bound) || bound < 0))
    throw pawlError(LANE_ERRORS, "LANE_BOUND_INVALID", { name, bound: String(bound) });
  return bound;
}

interface Turns {
  /** The first item that may begin and has not; null: none may. */
  next(): number | null;
  /** The item is over. */
  end(index: number): void;
}

interface KeyLane {
  running: number;
  readonly waiting: number[];
}

function laneOf(lanes: Map<string, KeyLane>, key: string): KeyLane {
  const lane = lanes.get(key) ?? { running: 0, waiting: [] };
  lanes.set(key, lane);
  return lane;
}

/** Each item is looked at once, and once more when its key had no room. */
function createTurns(count: number, keys: readonly string[] | null, mostOfKey: number): Turns {
  const lanes = new Map<string, KeyLane>();
  /** Whose key has room again. */
  const freed: number[] = [];
  let cursor = 0;

  const keyLane = (index: number): KeyLane | null => (keys === null ? null : laneOf(lanes, keys[index] as string));

  /** Whether it may begin; else it waits for its key. */
  function begin(index: number): boolean {
    const lane = keyLane(index);
    if (lane === null) return true;
    const hasRoom = lane.running < mostOfKey;
    if (hasRoom) lane.running += 1;
    else lane.waiting.push(index);
    return hasRoom;
  }

  return {
    next() {
      for (let index = freed.shift() ?? cursor++; index < count; index = cursor++) if (begin(index)) return index;
      return null;
    },
    end(index) {
      const lane = keyLane(index);
      if (lane === null) return;
      lane.running -= 1;
      const next = lane.waiting.shift();
      if (next !== undefined) freed.push(next);
    },
  };
}
