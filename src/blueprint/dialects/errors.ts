/** Problems of files of loop-engineering, above all of those that hold caps. A cap that cannot be read stops everything: it is never left out. */
import type { Catalogue } from "../../base/diagnostic.ts";

const INPUT = { retry: "after_change", exit: 3 } as const;

export const DIALECT_ERRORS = {
  REGISTRY_PATTERN_REPEATED: {
    ...INPUT,
    what: (d: { id: string; line: number }) =>
      `the pattern "${d.id}" stands here twice; the first is on line ${d.line}`,
    why: "Only one of the two could count, and which one is not visible.",
    hint: "Keep one of them, or give one another id.",
  },
  REGISTRY_PATTERN_MISSING: {
    ...INPUT,
    what: (d: { id: string; known: readonly string[] }) =>
      `no pattern has the id "${d.id}"; there are: ${d.known.join(", ")}`,
    why: "A pattern that nobody has written cannot be planned.",
    hint: "Give one of these ids, or the text of the registry that has it.",
  },
  REGISTRY_LEVEL_UNKNOWN: {
    ...INPUT,
    what: (d: { level: string }) => `"${d.level}" is no level`,
    why: "How far a loop may go is never guessed.",
    hint: "Levels are L0 (plan), L1 (report), L2 (propose) and L3 (merge).",
  },
  BUDGET_FILE_TOO_LARGE: {
    ...INPUT,
    what: (d: { max: number }) => `the file has more than ${d.max} characters`,
    why: "A table of limits is short; a file that large is something else.",
    hint: "Keep the table of limits in `loop-budget.md` and move the rest elsewhere.",
  },
  BUDGET_TABLE_MISSING: {
    ...INPUT,
    what: (_: Record<string, never>) => "the file has no table of daily limits",
    why: "A limit in any other form would be read by nobody, and its loop would run without it.",
    hint: "Add a table: | Loop | Max runs/day | Max tokens/day | Max sub-agent spawns/run |. A table without rows says that there are no limits.",
  },
  BUDGET_COLUMN_UNKNOWN: {
    ...INPUT,
    what: (d: { column: string }) => `the limit "${d.column}" is not known`,
    why: "A limit that nothing holds would look as if it were held.",
    hint: "Known are Max runs/day, Max tokens/day and Max sub-agent spawns/run. A column that only tells something must not begin with Max.",
  },
  BUDGET_CELL_INVALID: {
    ...INPUT,
    what: (d: { column: string; loop: string; text: string }) =>
      `"${d.column}" of "${d.loop}" cannot be read: ${d.text === "" ? "the cell is empty" : `"${d.text}"`}`,
    why: "A limit that is read wrongly, or left out, lets a loop spend what it must not.",
    hint: "Write 3, 100k, 2M or 100,000; a note in parentheses may follow. By level: 0 (L1) / 2 (L2). No limit: a dash.",
  },
  BUDGET_LOOP_UNCLEAR: {
    ...INPUT,
    what: (d: { name: string; problem: string }) => `"${d.name}" names no loop: ${d.problem}`,
    why: "Limits without a loop would be held for nobody.",
    hint: "Write the name of a blueprint, or the name of a pattern as it stands in patterns/registry.yaml.",
  },
} as const satisfies Catalogue;
