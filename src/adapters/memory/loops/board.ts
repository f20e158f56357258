/** A board in memory. Documents are kept as text, so that nobody changes what is kept by changing what was read. */
import { canonical } from "../../../base/json.ts";
import type { Board, Changed, Page } from "../../../ports/loops/board.ts";

type Guarded = <T>(work: () => T) => Promise<T>;

/** `pages`: what boards of one memory share. */
export function createMemoryBoard(
  pages: Map<string, string> = new Map(),
  guarded: Guarded = async (work) => work(),
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
    read: (name) => guarded(() => load(name)),
    list: (prefix, after, limit) =>
      guarded(() => {
        const names = [...pages.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
        return names.slice(0, limit).map((name) => ({ name, body: load(name) }));
      }),
  };
}
