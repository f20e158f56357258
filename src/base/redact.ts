/** Redaction: secrets are masked before anything is stored or shown. Known values first, then known shapes. */
import type { JsonObject, JsonValue } from "./json.ts";
import { ASSIGNMENT_SIGNS, maskAssignments } from "./secrets/secret-assignments.ts";
import { BLOCK_SIGNS, maskBlocks } from "./secrets/secret-blocks.ts";
import { maskTokens, TOKEN_SIGNS } from "./secrets/secret-tokens.ts";

export interface Redactor {
  /** The text with every secret masked as `[redacted:kind]`; the very same string when there is none. Idempotent. */
  text(text: string): string;
  /** The event with every secret masked; the very same object when there is none. Its structure is never altered. */
  event<T extends { readonly type: string }>(event: T): T;
}

export interface RedactorOptions {
  /** Values to mask wherever they appear, also JSON-escaped or URL-encoded. Shorter than 6 characters are ignored. */
  readonly secrets: readonly string[];
}

const MIN_SECRET = 6;
const SECRET_MASK = "[redacted:secret]";
/** Members of an event that are names, numbers and digests: a digest must not be mistaken for a secret. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ..."type at run stage plan blueprint parent child visit attempt round rule outcome cause exit signal".split(" "),
  ..."status reason kind digest answer answers after members log artifacts usage key certificate".split(" "),
]);

export function createRedactor(options: RedactorOptions): Redactor {
  const values = knownValues(options.secrets);
  const signs = new RegExp(
    [
      ...TOKEN_SIGNS,
      ...BLOCK_SIGNS,
      ...ASSIGNMENT_SIGNS,
      ...values.map((value) => escapeRegExp(value.slice(0, 12))),
    ].join("|"),
    "i",
  );
  const text = (source: string): string => {
    if (source.length < MIN_SECRET || !signs.test(source)) return source;
    let masked = source;
    for (const value of values) masked = masked.replaceAll(value, SECRET_MASK);
    return maskAssignments(maskTokens(maskBlocks(masked)));
  };
  return {
    text,
    event: (event) => {
      for (const name in event) {
        if (STRUCTURE.has(name) || !hasSign(event[name], signs)) continue;
        const masked = redactMembers(event, text);
        // A sign is only a reason to look closer.
        return JSON.stringify(masked) === JSON.stringify(event) ? event : masked;
      }
      return event;
    },
  };
}

/** Masks strings anywhere in a JSON value, also those that are secret because of the name of their member. */
export function redactJson(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactJson(item, text));
  const entries = Object.entries(value as JsonObject).map(([name, member]): [string, JsonValue | undefined] => [
    text(name),
    typeof member === "string"
      ? redactMember(name, member, text)
      : member === undefined
        ? member
        : redactJson(member, text),
  ]);
  return Object.fromEntries(entries);
}

function redactMembers<T extends object>(event: T, text: (text: string) => string): T {
  const entries = Object.entries(event as JsonObject).map(([name, member]) => {
    return [name, STRUCTURE.has(name) || member === undefined ? member : redactJson(member, text)] as const;
  });
  return Object.fromEntries(entries) as T;
}

function redactMember(name: string, value: string, text: (text: string) => string): string {
  const masked = text(value);
  if (masked !== value) return masked;
  const pair = JSON.stringify({ [name]: value });
  const maskedPair = text(pair);
  if (maskedPair === pair) return value;
  try {
    return Object.values(JSON.parse(maskedPair) as Record<string, string>)[0] as string;
  } catch {
    return SECRET_MASK;
  }
}

/** A quick look over every string; most events have no sign of a secret and are passed on as they are. */
function hasSign(value: unknown, signs: RegExp): boolean {
  if (typeof value === "string") return value.length >= MIN_SECRET && signs.test(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => hasSign(item, signs));
  for (const name in value) {
    if (signs.test(name) || hasSign((value as Record<string, unknown>)[name], signs)) return true;
  }
  return false;
}

/** Every form of every secret, the longest first, so that a part of one never hides the rest of it. */
function knownValues(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => [secret, ...secret.split(/[\r\n]+/)]).flatMap(formsOf);
  // A part of the mask cannot be told from the mask itself.
  const usable = forms.filter((form) => form.length >= MIN_SECRET && !SECRET_MASK.includes(form));
  return [...new Set(usable)].sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  try {
    return [secret, escaped, encodeURIComponent(secret)];
  } catch {
    // A lone surrogate has no URL form.
    return [secret, escaped];
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
