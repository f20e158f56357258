/** The side of the program: questions that are answered by number, and records that are kept by the host. */
import type { JsonObject } from "../../base/json.ts";
import type { AgentEvent, Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import type { HostAnswer } from "../../ports/agents/host-tools.ts";
import type { HostLine, ProgramLine, ProgramReport } from "../../ports/agents/model-program.ts";
import type { AgentJournal, JournalRecord } from "../journal/record.ts";

export interface HostTalk {
  hear(line: Extract<HostLine, { type: "ruling" | "kept" | "result" }>): void;
  tell(event: AgentEvent): void;
  decide(call: ToolCall): Promise<Ruling>;
  /** A tool of the host, which has ruled on the call before. */
  call(tool: string, input: JsonObject): Promise<HostAnswer>;
  journal(past: readonly JsonObject[]): AgentJournal;
  /** The last word. */
  end(report: ProgramReport): void;
}

export function createHostTalk(write: (line: string) => void): HostTalk {
  const rulings = new Map<number, (ruling: Ruling) => void>();
  const keeping = new Map<number, () => void>();
  const calls = new Map<number, (result: HostAnswer) => void>();
  let last = 0;
  const send = (line: ProgramLine): void => write(`${JSON.stringify(line)}\n`);
  return {
    tell: (event) => send({ type: "event", event }),
    end: (report) => send({ type: "done", report }),
    hear(line) {
      if (line.type === "ruling") rulings.get(line.id)?.(line.ruling);
      else if (line.type === "result") calls.get(line.id)?.(line.result);
      else keeping.get(line.id)?.();
      calls.delete(line.id);
      rulings.delete(line.id);
      keeping.delete(line.id);
    },
    decide: (call) =>
      new Promise((resolve) => {
        last += 1;
        rulings.set(last, resolve);
        send({ type: "ask", id: last, call });
      }),
    call: (tool, input) =>
      new Promise((resolve) => {
        last += 1;
        calls.set(last, resolve);
        send({ type: "call", id: last, tool, input });
      }),
    journal: (past) => ({
      // Whoever started this program holds the session.
      hold: () => null,
      read: () => past as unknown as readonly JournalRecord[],
      append(_run, given, sync) {
        const record = given as unknown as JsonObject;
        if (!sync) {
          send({ type: "record", record });
          return;
        }
        return new Promise((resolve) => {
          last += 1;
          keeping.set(last, resolve);
          send({ type: "record", record, id: last });
        });
      },
      release: () => undefined,
    }),
  };
}
