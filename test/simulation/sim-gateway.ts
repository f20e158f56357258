/**
 * A gateway in memory. A call goes the way that the real one sends it: reserved and recorded as begun, answered, recorded as ended and
 * settled. What a dead host has left of it is settled by the code of the real one.
 */
import { addUsage, NO_USAGE, type Usage } from "../../src/base/usage.ts";
import { createModelAccess } from "../../src/gateway/access.ts";
import type { Grant } from "../../src/gateway/grants.ts";
import type { Gateway, GrantDoor } from "../../src/gateway/server.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { CallRecords } from "../../src/ports/models/call-records.ts";
import type { ModelAccess, ModelDoor, ModelUse } from "../../src/ports/models/model-access.ts";
import type { Ledger } from "../../src/ports/store/ledger.ts";
import { CALM } from "../support/gateway/calm.ts";
import type { Chance } from "./random.ts";
import { TOKEN_PRICE } from "./random-money.ts";

export interface SimGateway {
  readonly access: ModelAccess;
  /** One call of whoever has this door. */
  call(door: ModelDoor | null): Promise<void>;
}

export interface SimGatewayParts {
  readonly dice: Chance;
  readonly ledger: Ledger;
  readonly records: CallRecords;
  readonly clock: Clock;
  readonly artifacts: Pick<Artifacts, "put">;
  /** The host may die here, while a model answers. */
  mortal(): Promise<void>;
}

interface Opened {
  readonly grant: Grant;
  calls: number;
  asked: number;
  refused: number;
  usage: Usage;
}

export function createSimGateway(parts: SimGatewayParts): SimGateway {
  const doors = new Map<string, Opened>();
  const gateway: Gateway = {
    listen: () => Promise.reject(new Error("nobody listens")),
    listenAt: async () => "/models",
    open: (grant) => {
      const opened = { grant, calls: 0, asked: 0, refused: 0, usage: NO_USAGE };
      doors.set(grant.key, opened);
      return doorOf(opened, () => doors.delete(grant.key));
    },
    close: async () => undefined,
  };
  const { ledger, records, clock, artifacts } = parts;
  const bind = async (): Promise<string> => "/models";
  const redact = (text: string): string => text;
  return {
    access: createModelAccess({ gateway: async () => gateway, ledger, records, clock, artifacts, redact, bind }),
    async call(door) {
      const opened = doors.get(door?.env["PAWL_GATEWAY_TOKEN"] ?? "");
      if (opened !== undefined) await answerCall(parts, opened);
    },
  };
}

function doorOf(opened: Opened, end: () => void): GrantDoor {
  const use = (): ModelUse => {
    const { usage, calls, refused } = opened;
    return { usage, calls, refused, missed: 0, parkedUntil: null };
  };
  const close = async (): Promise<ModelUse> => {
    end();
    return use();
  };
  return { token: opened.grant.key, use, ...CALM, close };
}

/** Its worst case is reserved; what it takes is at most that. */
async function answerCall({ dice, ledger, records, clock, mortal }: SimGatewayParts, opened: Opened): Promise<void> {
  const { grant } = opened;
  const most = 1 + dice.int(8);
  const tokens = dice.int(most + 1);
  if (grant.calls !== null && opened.calls >= grant.calls) {
    opened.refused += 1;
    return;
  }
  opened.asked += 1;
  const key = `${grant.key}/${opened.asked}`;
  const reserved = priced(most);
  const { accounts, caps, priority } = grant;
  const at = clock.now();
  const paid = [...accounts, { scope: "provider", name: "sim" } as const];
  const [answer] = await Promise.all([
    ledger.reserve({ key, at, accounts: paid, amounts: { ...reserved }, caps, priority, wait: false }),
    records.append(grant.key, { type: "begun", key, at, model: "m", reserved }),
  ]);
  if (!answer.granted) {
    opened.refused += 1;
    return;
  }
  opened.calls += 1;
  await mortal();
  const charged = priced(tokens);
  opened.usage = addUsage(opened.usage, charged);
  const end = { at: clock.now(), provider: "sim", model: "m", charged, estimate: null };
  await Promise.all([
    records.append(grant.key, { type: "ended", key, ...end }),
    ledger.settle(key, { ...charged }, end.at),
  ]);
}

function priced(tokens: number): Usage {
  return { tokens, microUsd: tokens * TOKEN_PRICE };
}
