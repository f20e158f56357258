/**
 * Decisions that a person has written into a STATE.md: `- [x] ID — …` with `Human decision: approve` or `deny` on the same
 * line or below the item. Everything else in the text is somebody else's and is left alone; what is not clear decides nothing.
 */

export interface Decision {
  readonly id: string;
  readonly line: number;
  readonly answer: "approve" | "deny";
  readonly why: string | null;
}

export interface UnclearDecision {
  readonly id: string;
  readonly line: number;
  readonly problem: string;
}

export interface Decisions {
  readonly decisions: readonly Decision[];
  readonly unclear: readonly UnclearDecision[];
}

interface Item {
  readonly id: string;
  readonly line: number;
  readonly checked: boolean;
  readonly verdicts: string[];
}

/** A whole id of a question: the run it was asked in, and the beginning of its digest. */
const ITEM = /^\s*[-*+] +\[([ xX])\] +[`*_]*([0-9a-z]{12}-[0-9a-f]{16})[`*_]*(?=$|[\s:,.—–-])(.*)$/;
const OTHER_ITEM = /^\s*(?:[-*+] +\[[ xX]\]|#)/;
const VERDICT = /Human decision:[ *_`]*(.*)$/i;
const WORD = /^(approved?|den(?:y|ied)|reject(?:ed)?)\b[`*_]*[\s:,.—–-]*(.*)$/i;

export function readDecisions(text: string): Decisions {
  const items = itemsOf(text);
  const decisions: Decision[] = [];
  const unclear: UnclearDecision[] = [];
  for (const item of items) {
    const decision = decided(
      item,
      items.some((other) => other !== item && other.id === item.id),
    );
    if (decision === null) continue;
    if ("problem" in decision) unclear.push(decision);
    else decisions.push(decision);
  }
  return { decisions, unclear };
}

function itemsOf(text: string): readonly Item[] {
  const items: Item[] = [];
  let open: Item | null = null;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, box, id, rest = ""] = ITEM.exec(line) ?? [];
    if (OTHER_ITEM.test(line)) open = null;
    if (id !== undefined) {
      open = { id, line: index + 1, checked: box !== " ", verdicts: [] };
      items.push(open);
    }
    const verdict = VERDICT.exec(id === undefined ? line : rest)?.[1];
    if (open !== null && verdict !== undefined) open.verdicts.push(verdict.trim());
  }
  return items;
}

/** null: the item is not decided, which is nothing to talk about. */
function decided({ id, line, checked, verdicts }: Item, isRepeated: boolean): Decision | UnclearDecision | null {
  const [verdict = "", second] = verdicts;
  const unclear = (problem: string): UnclearDecision => ({ id, line, problem });
  if (!checked && verdict === "") return null;
  if (isRepeated) return unclear("it is listed more than once");
  if (!checked) return unclear("it has a decision and is not checked");
  if (verdict === "") return unclear("it is checked and has no decision");
  if (second !== undefined) return unclear("it has more than one decision");
  const [, word, why = ""] = WORD.exec(verdict) ?? [];
  if (word === undefined) return unclear(`"${verdict}" is neither approve nor deny`);
  const answer = /^approve/i.test(word) ? "approve" : "deny";
  if (/\b(?:approved?|den(?:y|ied)|reject(?:ed)?)\b/i.test(why)) return unclear("it says more than one thing");
  return { id, line, answer, why: why === "" ? null : why };
}
