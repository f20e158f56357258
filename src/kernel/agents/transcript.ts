/** The transcript of an attempt: what an agent said, asked and was told, one event a line, secrets masked, never too long. */
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import { redactJson } from "../../base/redact.ts";
import type { AgentEvent, Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";

const MOST_CHARACTERS = 4_000_000;
const LONGEST_LINE = 32_768;

export interface Transcript {
  event(event: AgentEvent, at: number): void;
  ruling(call: ToolCall, ruling: Ruling & { readonly rule: string }, at: number): void;
  /** null: nothing was said. */
  bytes(): Uint8Array | null;
}

export function createTranscript(redact: (text: string) => string): Transcript {
  const lines: string[] = [];
  let size = 0;
  let dropped = 0;
  const add = (line: JsonObject): void => {
    if (size > MOST_CHARACTERS) {
      dropped += 1;
      return;
    }
    const text = canonical(redactJson(line, redact));
    const kept = text.length <= LONGEST_LINE ? text : canonical({ cut: text.slice(0, LONGEST_LINE) });
    lines.push(kept);
    size += kept.length + 1;
  };
  return {
    event: (event, at) => add({ at, ...(event as unknown as JsonObject) }),
    ruling: ({ id, tool }, { answer, rule, ...told }, at) =>
      add({ at, type: "ruling", id, tool, answer, rule, ...(told as JsonObject) }),
    bytes() {
      if (lines.length === 0) return null;
      const end: readonly JsonValue[] = dropped === 0 ? [] : [{ type: "cut", dropped }];
      return new TextEncoder().encode([...lines, ...end.map(canonical), ""].join("\n"));
    },
  };
}
