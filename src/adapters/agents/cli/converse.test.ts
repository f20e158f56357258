import { expect, test } from "vitest";
import { requestOf } from "../../../../test/support/process-fixture.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { AgentOutcome } from "../../../ports/agents/agent-backend.ts";
import type { Executor, ProcessReport } from "../../../ports/executor.ts";
import { converse, type Speaker } from "./converse.ts";

const REPORT: ProcessReport = {
  cause: "ok",
  exit: 0,
  log: { sha256: "", bytes: 0, dropped: 0 },
  artifacts: {},
};

interface Stage {
  readonly says: readonly string[];
  /** It stays until it is made to leave. */
  readonly stays?: boolean;
}

/** A process that says its lines when it has begun, and then ends with the code 0. */
function executorOf({ says, stays = false }: Stage) {
  const stops: unknown[] = [];
  const executor = {
    execute: async ({ dialogue }, signal) => {
      let isEnded = false;
      dialogue?.begin({
        send: async () => undefined,
        end: () => {
          isEnded = true;
        },
      });
      for (const line of says) await dialogue?.onOutput(Buffer.from(line));
      if (stays)
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => {
            stops.push(signal.reason);
            resolve();
          });
        });
      else for (let turns = 0; turns < 20 && !isEnded; turns += 1) await Promise.resolve();
      return REPORT;
    },
  } as Pick<Executor, "execute"> as Executor;
  return { executor, stops };
}

function speakerOf(ends: boolean): Speaker & { readonly cancels: () => number } {
  let cancels = 0;
  let tell: (outcome: AgentOutcome) => void = () => undefined;
  const word = new Promise<AgentOutcome>((resolve) => {
    tell = resolve;
  });
  return {
    speak: () => word,
    hear: (message: JsonObject) => {
      if (ends && message["done"] === true) tell({ kind: "completed" });
    },
    cancel: () => {
      cancels += 1;
    },
    cancels: () => cancels,
  };
}

const never = (): AbortSignal => new AbortController().signal;

test("a last word completes", async () => {
  const { executor } = executorOf({ says: ['{"done":true}\n'] });
  expect((await converse(executor, requestOf(["x"]), speakerOf(true), never())).outcome).toEqual({ kind: "completed" });
});

test("an exit code of 0 without a last word is not success", async () => {
  const { executor } = executorOf({ says: ['{"text":"done"}\n'] });
  const { outcome } = await converse(executor, requestOf(["x"]), speakerOf(true), never());
  expect(outcome).toEqual({ kind: "failed", why: "lost", error: "it ended without a last word" });
});

test("an agent that stays after its last word is made to leave", async () => {
  const { executor, stops } = executorOf({ says: ['{"done":true}\n'], stays: true });
  const { outcome } = await converse(executor, requestOf(["x"]), speakerOf(true), never());
  expect({ outcome, stopped: stops.length }).toEqual({ outcome: { kind: "completed" }, stopped: 1 });
});

test("who is to end is asked first, and then made to", async () => {
  const { executor, stops } = executorOf({ says: [], stays: true });
  const speaker = speakerOf(false);
  const controller = new AbortController();
  const talking = converse(executor, requestOf(["x"]), speaker, controller.signal);
  controller.abort("stop");
  expect((await talking).outcome).toEqual({ kind: "cancelled" });
  expect({ cancels: speaker.cancels(), stops }).toEqual({ cancels: 1, stops: ["stop"] });
});

test("who is to be killed is not asked", async () => {
  const { executor, stops } = executorOf({ says: [], stays: true });
  const speaker = speakerOf(false);
  const controller = new AbortController();
  const talking = converse(executor, requestOf(["x"]), speaker, controller.signal);
  controller.abort("kill");
  expect((await talking).outcome).toEqual({ kind: "cancelled" });
  expect({ cancels: speaker.cancels(), stops }).toEqual({ cancels: 0, stops: ["kill"] });
});
