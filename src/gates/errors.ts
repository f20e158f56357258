/** What can be wrong with the settings of a gate. */
import type { Catalogue } from "../base/diagnostic.ts";
import { visibleLine } from "../base/visible.ts";

const quote = (text: string): string => visibleLine(JSON.stringify(text), 60);
const INPUT = { retry: "after_change", exit: 3 } as const;

export const GATE_ERRORS = {
  GATE_FILE_INVALID: {
    ...INPUT,
    what: (d: { field: string; expected: string }) => `${d.field} of gate.yaml must be ${d.expected}`,
    why: "A setting of a gate that is not understood would leave something unguarded.",
    hint: "Known are version (1), denylist, maxFiles and autoMergeAllowlist.",
  },
  GATE_FIELD_UNKNOWN: {
    ...INPUT,
    what: (d: { field: string; nearest?: string }) => `gate.yaml has the unknown key ${quote(d.field)}`,
    why: "A key that nothing reads would be taken for a guard that is not there.",
    hint: (d: { nearest?: string }) =>
      d.nearest === undefined
        ? "Known are version, denylist, maxFiles and autoMergeAllowlist."
        : `Did you mean ${d.nearest}?`,
  },
  GATE_GLOB_INVALID: {
    ...INPUT,
    what: (d: { glob: string; problem: string }) => `the glob ${quote(d.glob)} cannot be used: ${d.problem}`,
    why: "A glob that means something else than its author thinks lets paths slip through.",
    hint: "Globs know **, *, ? and {a,b}.",
  },
  GATE_UNPROTECT_UNKNOWN: {
    ...INPUT,
    what: (d: { glob: string; nearest?: string }) => `${quote(d.glob)} is not on the list of protected paths`,
    why: "Only entries of the built-in list can be taken off it, each by its exact name.",
    hint: (d: { nearest?: string }) =>
      d.nearest === undefined ? "`pawl plan` shows the list." : `Did you mean ${d.nearest}?`,
  },
} as const satisfies Catalogue;
