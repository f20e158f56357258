/** ModelAccess through a gateway of this process: it begins with the first stage that needs it. */

import type { Server } from "node:http";
import { sharedAttempt } from "../base/shared-attempt.ts";
import type { Usage } from "../base/usage.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallRecords } from "../ports/models/call-records.ts";
import type { ModelAccess, ModelUse } from "../ports/models/model-access.ts";
import { BEHIND } from "../ports/sandbox.ts";
import type { Ledger, OpenPage } from "../ports/store/ledger.ts";
import type { Traffic } from "./grants.ts";
import type { RecordedCall } from "./record/recorded-call.ts";
import { createRecorder } from "./record/recorder.ts";
import type { Gateway } from "./server.ts";
import { gatewayVariables } from "./variables.ts";

export interface ModelAccessOptions {
  /** Built when the first stage needs it: settling what a dead host left needs none. */
  readonly gateway: () => Promise<Gateway>;
  readonly ledger: Pick<Ledger, "settle" | "withdraw" | "open" | "usage" | "count">;
  readonly records: CallRecords;
  readonly clock: Pick<Clock, "now">;
  readonly artifacts: Pick<Artifacts, "put">;
  readonly redact: (text: string) => string;
  /** Makes a server listen at a socket for this user only, and says where. */
  readonly bind: (server: Server) => Promise<string>;
}

const PAGE = 200;

export function createModelAccess(options: ModelAccessOptions): ModelAccess {
  const { records } = options;
  const gateway = sharedAttempt(options.gateway);
  const standing = sharedAttempt(async () => {
    const open = await gateway.get();
    return { gateway: open, socket: await open.listenAt(options.bind) };
  });
  return {
    async open({ record, ...grant }) {
      const { gateway: open, socket } = await standing.get();
      const kept: RecordedCall[] = [];
      const traffic = record ? { traffic: recorderOf(options, kept) } : {};
      const door = open.open({ ...grant, ...traffic });
      const close = async (): Promise<ModelUse> => {
        const use = await door.close();
        await records.forget(grant.key);
        return record ? { ...use, traffic: await options.artifacts.put(linesOf(kept)) } : use;
      };
      return {
        env: gatewayVariables(`http://127.0.0.1:${BEHIND.modelsPort}`, door.token),
        socket,
        lastRefusal: door.lastRefusal,
        hopeless: door.hopeless,
        close: once(close),
      };
    },
    reconcile: (key) => reconcile(options, key),
  };
}

/** So much of one request or answer; what an attempt may spend bounds the rest. */
const MOST_RECORDED_BYTES = 4 * 1024 * 1024;
const MOST_TRAFFIC_BYTES = 64 * 1024 * 1024;

function recorderOf({ redact }: ModelAccessOptions, kept: RecordedCall[]): Traffic {
  return createRecorder({ redact, mostBytes: MOST_RECORDED_BYTES, write: (call) => void kept.push(call) });
}

/** One call a line, from the first; what no longer fits is left out. */
function linesOf(kept: readonly RecordedCall[]): Uint8Array {
  const lines: Buffer[] = [];
  let left = MOST_TRAFFIC_BYTES;
  for (const call of kept) {
    const line = Buffer.from(`${JSON.stringify(call)}\n`);
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  return Buffer.concat(lines);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/**
 * Ended and not settled: as it ended. Begun, reserved and not ended: as it was reserved. Only one of both: nothing was sent. What
 * came of all of it stands in the ledger, and only there: records are gone with the door, and its host may die before anybody else knows.
 */
async function reconcile({ ledger, records, clock }: ModelAccessOptions, key: string): Promise<ModelUse> {
  const told = await records.read(key);
  const ended = new Map(told.flatMap((record) => (record.type === "ended" ? [[record.key, record] as const] : [])));
  const begun = new Set(told.flatMap((record) => (record.type === "begun" ? [record.key] : [])));
  for await (const call of heldUnder(ledger, key)) {
    const end = ended.get(call);
    if (end !== undefined) await ledger.settle(call, { ...end.charged }, end.at);
    else if (begun.has(call)) await ledger.settle(call, "unknown", clock.now());
    else await ledger.withdraw(call);
  }
  const { tokens = 0, microUsd = 0 } = await ledger.usage(key);
  const usage: Usage = { tokens, microUsd };
  const calls = await ledger.count(key);
  await records.forget(key);
  return { usage, calls, refused: 0, missed: 0, parkedUntil: null };
}

/** Keys of everything that is still held below this one. */
async function* heldUnder(ledger: Pick<Ledger, "open">, prefix: string): AsyncGenerator<string> {
  let cursor: string | null = null;
  do {
    const page: OpenPage = await ledger.open({ prefix, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const { key } of page.reservations) yield key;
    cursor = page.next;
  } while (cursor !== null);
}
