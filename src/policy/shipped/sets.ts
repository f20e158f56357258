/** The rule sets that a policy may name with `use`. The guard is not among them: it is always there. */
import type { Rule } from "../rule.ts";
import { EVERYDAY } from "./everyday.ts";

export const SETS = { everyday: EVERYDAY } as const satisfies Readonly<Record<string, readonly Rule[]>>;

export type SetName = keyof typeof SETS;

export const SET_NAMES = Object.keys(SETS) as readonly SetName[];
