/** A board in memory. Documents are kept as text, so that nobody changes what is kept by changing what was read. */
import { canonical } from "../../../base/json.ts";
import type { Board, Changed, Page } from "../../../ports/loops/board.ts";

type Guarded = <T>(work: () => T) => Promise<T>;

/** What boards of one memory share. */
interface Shared {
  readonly pages: Map<string, string>;
  /** Each store that was opened, in the order they were; a board of its own has none. */
  readonly workers: readonly { readonly alive: boolean }[];
}

/** `host`: its place among the workers. */
export function createMemoryBoard(
  { pages, workers }: Shared = { pages: new Map(), workers: [] },
  guarded: Guarded = async (work) => work(),
  host = 0,
): Board {
  const load = (name: string): Page => {
    const text = pages.get(name);
    return text === undefined ? null : (JSON.parse(text) as Page);
  };
  const change = <T>(names: readonly string[], law: (found: readonly Page[]) => Changed<T>): T => {
    const { keep, result } = law(names.map(load));
    const texts = names.map((_, index) => (keep[index] == null ? null : canonical(keep[index] as Page)));
    for (const [index, name] of names.entries()) {
      const text = texts[index] as string | null;
      if (text === null) pages.delete(name);
      else pages.set(name, text);
    }
    return result;
  };
  return {
    change: (names, law) => guarded(() => change(names, law)),
    host: () => guarded(() => String(host)),
    isGone: (name) => guarded(() => workers[Number(name)]?.alive === false),
    read: (name) => guarded(() => load(name)),
    list: (prefix, after, limit) =>
      guarded(() => {
        const names = [...pages.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
        return names.slice(0, limit).map((name) => ({ name, body: load(name) }));
      }),
  };
}
