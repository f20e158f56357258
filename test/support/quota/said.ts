/** A refusal that somebody has quoted in public. Only the message is quoted; `at` is about when it was written there. */
import type { Refusal } from "../../../src/limits/quota/read-quota.ts";
import type { QuotaKind } from "../../../src/limits/quota/signals.ts";

export interface Said extends Omit<Refusal, "at" | "zone"> {
  readonly source: string;
  readonly at: string;
  readonly zone?: string;
  readonly kind: QuotaKind;
  readonly until: string | null;
}

export const claude = (issue: number): string => `https://github.com/anthropics/claude-code/issues/${issue}`;
export const codex = (issue: number): string => `https://github.com/openai/codex/issues/${issue}`;
export const gemini = (issue: number): string => `https://github.com/google-gemini/gemini-cli/issues/${issue}`;
export const copilot = (issue: number): string => `https://github.com/github/copilot-cli/issues/${issue}`;
export const github = (thread: string): string => `https://github.com/${thread}`;
export const quota = "quota" as const;
export const rate = "rate" as const;
export const overloaded = "overloaded" as const;
export const credit = "credit" as const;
