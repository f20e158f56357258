/** The one place that says yes: a target is read, looked up in the list, dialled and verified, or it is refused and recorded. */
import type { Socket } from "node:net";
import type { AllowList } from "./allow-list.ts";
import { dial, type Network } from "./dial.ts";
import { showHost } from "./host.ts";
import type { Refusals } from "./refusals.ts";
import { type Refusal, refusalOf, showTarget, type Target, type TargetReading } from "./target.ts";

export interface Answer {
  readonly status: 403 | 502;
  readonly text: string;
}

export type Passed = { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly answer: Answer };

export type Checked =
  | { readonly ok: true; readonly target: Target; readonly path: string; reach(client: Socket): Promise<Passed> }
  | { readonly ok: false; readonly answer: Answer };

export interface Gate {
  check(reading: TargetReading): Checked;
  /** Records a request that could not even be read. */
  refuse(refusal: Refusal): Answer;
}

export interface GateOptions {
  readonly allowed: AllowList;
  readonly network: Network;
  readonly refusals: Refusals;
  readonly connectTimeoutMs: number;
}

export function createGate({ allowed, network, refusals, connectTimeoutMs }: GateOptions): Gate {
  const refuse = (refusal: Refusal): Answer => {
    refusals.add(refusal);
    const at = refusal.port === 0 ? refusal.host : `${refusal.host}:${refusal.port}`;
    return { status: 403, text: `${at} was refused: ${refusal.why}` };
  };
  return {
    refuse,
    check(reading) {
      if (!reading.ok) return { ok: false, answer: refuse(reading.refusal) };
      const { target, path } = reading;
      const refuseTarget = (why: string): Answer => refuse(refusalOf(showHost(target.host), target.port, why));
      const permit = allowed.permit(target);
      if (permit === undefined) return { ok: false, answer: refuseTarget("it is not among the hosts of `network`") };
      return {
        ok: true,
        target,
        path,
        async reach(client) {
          const dialled = await whileOpen(client, connectTimeoutMs, (signal) => dial(network, target, permit, signal));
          if (dialled.ok) return dialled;
          const { refused, why } = dialled;
          return {
            ok: false,
            answer: refused ? refuseTarget(why) : { status: 502, text: `${showTarget(target)}: ${why}` },
          };
        },
      };
    },
  };
}

/** Nobody is dialled for a client that has gone. */
async function whileOpen<T>(client: Socket, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const timer = setTimeout(stop, ms);
  client.once("close", stop);
  if (client.destroyed) stop();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    client.off("close", stop);
  }
}
