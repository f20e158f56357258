/** Notices: what people are told. The same trouble of one loop is one notice for a day, however often it happens; how often is counted. */
import { sha256Short } from "../../base/digest.ts";
import type { JsonValue } from "../../base/json.ts";
import { normalError } from "../../limits/stagnation/fingerprint.ts";
import type { Board, Page } from "../../ports/loops/board.ts";

export interface Trouble {
  readonly loop: string;
  readonly kind: "ended" | "question" | "returned" | "collision";
  readonly what: string;
  /** What it happened to, such as a run: it counts once. */
  readonly about: string;
  readonly at: number;
}

export interface Notice extends Omit<Trouble, "about" | "at"> {
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** The last ones. */
  readonly abouts: readonly string[];
}

/** People are told of the same thing again after this. */
export const NOTICE_MS = 86_400_000;
const MOST_ABOUTS = 100;
const PAGE = 500;

export function raised(before: Notice | null, { loop, kind, what, about, at }: Trouble): Notice {
  if (before?.abouts.includes(about) === true) return before;
  const isSame = before !== null && at - before.first < NOTICE_MS && at >= before.first;
  if (!isSame) return { loop, kind, what, first: at, last: at, count: 1, abouts: [about] };
  const abouts = [...before.abouts, about].slice(-MOST_ABOUTS);
  return { ...before, last: at, count: before.count + 1, abouts };
}

/** Of the same loop and kind, and the same but for numbers, names and times. */
export function fingerprintOf({ loop, kind, what }: Pick<Trouble, "loop" | "kind" | "what">): string {
  return sha256Short(`${loop}\n${kind}\n${normalError(what)}`);
}

/** true: people have not been told yet. */
export function raise(board: Board, trouble: Trouble): Promise<boolean> {
  return board.change([`notice/${fingerprintOf(trouble)}`], ([found]) => {
    const before = noticeOf(found);
    const after = raised(before, trouble);
    const isNew = after !== before && after.count === 1;
    return { keep: [after as unknown as JsonValue], result: isNew };
  });
}

/** Those that were raised at or after a time, the newest first. */
export async function noticesSince(board: Board, from: number): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  for (let after = ""; ; ) {
    const page = await board.list("notice/", after, PAGE);
    notices.push(...page.map(({ body }) => noticeOf(body) as Notice));
    const last = page[PAGE - 1];
    if (last === undefined) break;
    after = last.name;
  }
  return notices.filter(({ last }) => last >= from).sort((a, b) => b.last - a.last);
}

function noticeOf(page: Page | undefined): Notice | null {
  return (page as Notice | null | undefined) ?? null;
}
