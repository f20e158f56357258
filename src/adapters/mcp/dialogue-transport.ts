/** The transport of the MCP client over a talk with a process behind its wall. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Dialogue, ProcessReport } from "../../ports/executor.ts";
import { createMessageLines } from "./message-lines.ts";

export interface DialogueTransport extends Transport {
  /** Why the talk is over, as the process ended or as we ended it; null: it goes on, or was closed by us. */
  problem(): string | null;
}

/** Starts the process; resolves when it and all that it started are gone. */
export type Start = (dialogue: Dialogue, signal: AbortSignal) => Promise<ProcessReport>;

/** How long a server may take to end by itself, once nobody says anything more. */
const GRACE_MS = 1000;

/** `outer` ends the process at once. */
export function createDialogueTransport(start: Start, outer: AbortSignal): DialogueTransport {
  const life = new AbortController();
  let input: Parameters<Dialogue["begin"]>[0] | null = null;
  let running: Promise<void> | null = null;
  let problem: string | null = null;
  let isClosing = false;

  const fail = (what: string): void => {
    problem ??= what;
    life.abort("kill");
  };
  const lines = createMessageLines((message) => transport.onmessage?.(message as unknown as JSONRPCMessage));
  const halt = (): void => life.abort("kill");
  outer.addEventListener("abort", halt, { once: true });
  if (outer.aborted) halt();
  const ended = (what: string): void => {
    outer.removeEventListener("abort", halt);
    if (!isClosing) problem ??= what;
    transport.onclose?.();
  };

  const transport: DialogueTransport = {
    problem: () => problem,
    start: () =>
      new Promise((resolve, reject) => {
        const dialogue: Dialogue = {
          begin: (begun) => {
            input = begun;
            resolve();
          },
          onOutput: (chunk) => {
            const wrong = lines.push(chunk);
            if (wrong !== undefined) fail(wrong);
          },
        };
        running = start(dialogue, life.signal).then(
          (report) => {
            ended(report.error ?? `it ended (${report.cause})`);
            reject(new Error(problem ?? "it was ended"));
          },
          (error: unknown) => {
            ended(error instanceof Error ? error.message : String(error));
            reject(error instanceof Error ? error : new Error(String(error)));
          },
        );
      }),
    send: async (message) => {
      await input?.send(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      isClosing = true;
      input?.end();
      const timer = setTimeout(() => life.abort(), GRACE_MS);
      try {
        await running;
      } finally {
        clearTimeout(timer);
      }
    },
  };
  return transport;
}
