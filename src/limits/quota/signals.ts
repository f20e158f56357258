/** Signals: the words by which vendors say no for now. They say of which kind the refusal is; when it ends is read elsewhere. */

/**
 * `quota`: an allowance of hours or days is used up. `rate`: too much in a short time. `overloaded`: the vendor has no room.
 * `credit`: there is no money left, and waiting does not help.
 */
export type QuotaKind = "quota" | "rate" | "overloaded" | "credit";

/** Whose words are understood; `any`: everybody's. */
export const QUOTA_VENDORS = ["claude", "codex", "gemini", "any"] as const;
export type QuotaVendor = (typeof QUOTA_VENDORS)[number];

interface Signal {
  readonly vendor: QuotaVendor;
  readonly kind: QuotaKind;
  readonly pattern: RegExp;
}

const signal = (vendor: QuotaVendor, kind: QuotaKind, ...patterns: readonly string[]): Signal => ({
  vendor,
  kind,
  pattern: new RegExp(patterns.join("|"), "gi"),
});

const SIGNALS: readonly Signal[] = [
  signal("claude", "credit", "credit balance is too low", "billing_error"),
  signal(
    "claude",
    "quota",
    "claude (?:ai )?usage limit reached",
    "(?:5-hour|session|weekly|opus|sonnet|opus weekly) limit reached",
    "hit your (?:session |weekly |opus |sonnet |fable )?limit",
    "out of extra usage",
    "would exceed your account's rate limit",
  ),
  signal("claude", "overloaded", "overloaded_error"),
  signal("claude", "rate", "temporarily limiting requests", "rate_limit_error"),
  signal(
    "codex",
    "credit",
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing hard limit has been reached",
    "check your plan and billing details\\W{0,3}$",
    "exceeded your current quota[^|]{0,200}platform\\.openai\\.com",
  ),
  signal(
    "codex",
    "quota",
    "hit your usage limit",
    "usage_limit_reached",
    "usage limit has been reached",
    "reached the usage limit",
  ),
  signal("codex", "overloaded", "server_is_overloaded"),
  signal("codex", "rate", "rate limit reached for", "rate_limit_exceeded", "last status: 429"),
  signal(
    "gemini",
    "quota",
    "exhausted your capacity",
    "usage limit reached for",
    "hit your daily limit",
    "exceeded your current quota",
    "quota exceeded for",
  ),
  signal(
    "gemini",
    "credit",
    "prepayment credits are depleted",
    "billing_disabled",
    "requires billing to be enabled",
    "billing account[^.|]{0,60}(?:disabled|closed|not active|suspended)",
    "exceeded its (?:monthly )?spending cap",
  ),
  signal("gemini", "overloaded", "model is overloaded"),
  signal("gemini", "rate", "resource[_ ]?(?:has been )?exhausted"),
  signal(
    "any",
    "credit",
    "used all available credits",
    "requires more credits",
    "reached its monthly spending limit",
    "insufficient (?:credits?|balance|funds)",
    "billing (?:hard )?limit (?:has been )?reached",
  ),
  signal(
    "any",
    "quota",
    "(?:weekly|monthly|free|5 hour) usage (?:limit reached|exceeded)",
    "used all of today's free usage",
    "weekly rate limit",
    "free-models-per-day",
    "too many tokens per day",
    "weekly/monthly limit exhausted",
  ),
  signal("any", "overloaded", "experiencing high demand"),
  signal(
    "any",
    "rate",
    "hit a rate limit",
    "been rate-limited",
    "rate limit (?:is )?exceeded",
    "exceeded (?:token|call) rate limit",
    "throttlingexception",
    "too many (?:tokens|requests)",
    "(?:status|code|error|http)\\W{0,8}429\\b",
    "\\b429 too many requests",
  ),
];

/** Whether the words of any vendor say that there is no money left. */
export function saysNoCredit(text: string): boolean {
  return SIGNALS.some(({ kind, pattern }) => kind === "credit" && text.search(pattern) >= 0);
}

export interface Found {
  readonly kind: QuotaKind;
  /** Where in the text it stands. */
  readonly from: number;
  readonly to: number;
}

/** So near to each other they are parts of one refusal, and the worse of them counts. */
const ONE_REFUSAL = 600;
const WORST: readonly QuotaKind[] = ["credit", "quota", "overloaded", "rate"];

/** The last refusal in a text; null: there is none. What stands last was written last. */
export function findSignal(text: string, vendor: QuotaVendor): Found | null {
  const known = SIGNALS.filter((each) => vendor === "any" || each.vendor === vendor);
  const all = known.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)].map((match) => ({ kind, from: match.index, to: match.index + match[0].length })),
  );
  const end = Math.max(...all.map(({ to }) => to));
  const parts = all.filter(({ to }) => end - to <= ONE_REFUSAL);
  const kind = WORST.find((each) => parts.some((part) => part.kind === each));
  return kind === undefined ? null : { kind, from: Math.min(...parts.map(({ from }) => from)), to: end };
}
