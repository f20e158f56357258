/** What a command says on its standard output: lines of JSON that mean something to us, and anything else as its words. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { readJson } from "../../../base/schema/read-json.ts";
import { createLineReader } from "../../../base/text/lines.ts";
import { addUsage, NO_USAGE, type Usage } from "../../../base/usage.ts";
import type { AgentFailure, AgentHost, AgentOutcome } from "../../../ports/agents/agent-backend.ts";

const LONGEST_LINE = 1_000_000;
const MOST_TEXT = 65_536;
/** It comes back as a variable. */
const SESSION = /^[^\p{C}]{1,500}$/u;
const FAILURES: readonly string[] = [
  "rate_limited",
  "overloaded",
  "auth",
  "context_overflow",
  "provider",
  "lost",
] satisfies readonly AgentFailure[];

export interface Spoken {
  take(chunk: Uint8Array): void;
  /** What its words come to. `end`: how its process ended. */
  told(end: { readonly ok: boolean; readonly error: string }): Told;
}

export interface Told {
  readonly outcome: AgentOutcome;
  readonly text: string;
  readonly output: JsonValue | undefined;
  readonly session: string | null;
  readonly reported: Usage | null;
}

export function createSpoken(host: AgentHost): Spoken {
  const lines = createLineReader(LONGEST_LINE);
  let text = "";
  let output: JsonValue | undefined;
  let session: string | null = null;
  let reported: Usage | null = null;
  let terminal: AgentOutcome | null = null;
  let speaksJson = false;

  const say = (words: string): void => {
    text = `${text}${words}\n`.slice(-MOST_TEXT);
    host.onEvent({ type: "text", text: words });
  };
  const hear: Readonly<Record<string, (line: JsonObject) => void>> = {
    text: ({ text: words }) => say(String(words)),
    usage({ tokens, usd }) {
      const usage = { tokens: countOf(tokens), microUsd: Math.ceil(countOf(usd, 1e6)) };
      reported = addUsage(reported ?? NO_USAGE, usage);
      host.onEvent({ type: "usage", usage });
    },
    session({ session: id }) {
      if (typeof id !== "string" || !SESSION.test(id)) return;
      session = id;
      host.onEvent({ type: "session", session });
    },
    verdict({ type: _, ...verdict }) {
      output = verdict;
      terminal = { kind: "completed" };
    },
    result(line) {
      if (line["text"] !== undefined) say(String(line["text"]));
      output = line["output"] ?? output;
      terminal = { kind: "completed" };
    },
    error({ why, error = "" }) {
      terminal = failureOf(String(why), String(error));
    },
  };
  return {
    take(chunk) {
      for (const line of lines.take(chunk)) {
        const event = eventIn(line);
        const type = String(event?.["type"]);
        const known = Object.hasOwn(hear, type) ? hear[type] : undefined;
        if (event === null || known === undefined) say(line);
        else {
          speaksJson = true;
          known(event);
        }
      }
    },
    told({ ok, error }) {
      if (lines.rest() !== "") this.take(new TextEncoder().encode("\n"));
      return { outcome: outcomeOf(ok, error), text: text.trimEnd(), output, session, reported };
    },
  };

  /** Who speaks our words must say the last one; of whoever does not, the exit is all there is. */
  function outcomeOf(ok: boolean, error: string): AgentOutcome {
    if (terminal !== null && (ok || terminal.kind !== "completed")) return terminal;
    if (!ok) return { kind: "failed", why: "provider", error };
    return speaksJson
      ? { kind: "failed", why: "lost", error: "it ended without a result, a verdict or an error" }
      : { kind: "completed" };
  }
}

function eventIn(line: string): JsonObject | null {
  if (!line.startsWith("{")) return null;
  const value = readJson(line);
  return isJsonObject(value) && typeof value["type"] === "string" ? value : null;
}

function countOf(value: JsonValue | undefined, times = 1): number {
  const number = typeof value === "number" ? value * times : 0;
  return Number.isFinite(number) && number >= 0 ? number : 0;
}

function failureOf(why: string, error: string): AgentOutcome {
  if (why === "budget" || why === "denied") return { kind: why, error };
  return { kind: "failed", why: FAILURES.includes(why) ? (why as AgentFailure) : "provider", error };
}
