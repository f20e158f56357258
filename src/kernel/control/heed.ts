/** What a person asked of a run, as facts. A request that the run's state has overtaken is no fact. */
import type { RunId } from "../../base/ids.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { KillSwitch, Pulled } from "../../ports/stop/kill-switch.ts";
import type { ControlRequest } from "../../ports/store/control.ts";
import type { Fact } from "../../run/events.ts";
import type { RunState } from "../../run/state.ts";
import type { Halt } from "./halt.ts";

/** The kill switch is on for this run. */
export interface KillRequest extends Pick<Pulled, "by" | "why"> {
  readonly kind: "kill";
}

export type HostRequest = ControlRequest | KillRequest;

export function heed(state: RunState, request: HostRequest): readonly Fact[] {
  if (request.kind === "kill") return heedKill(state, request);
  const detail = `asked by ${request.by}`;
  if (state.status === "waiting" || state.status === "paused") {
    return request.kind === "cancel"
      ? [{ type: "run.finished", status: "cancelled", reason: "cancelled", detail }]
      : [];
  }
  if (state.status !== "running" || state.stopping !== null) return [];
  if (request.kind === "cancel") return [{ type: "run.stopping", reason: "cancelled", detail }];
  return state.pausing === null ? [{ type: "run.pausing", by: request.by }] : [];
}

/** A kill overtakes whatever else the run is stopping for. */
function heedKill(state: RunState, { by, why }: KillRequest): readonly Fact[] {
  const reason = "kill_switch";
  const detail = why === "" ? `pulled by ${by}` : `pulled by ${by}: ${why}`;
  if (state.status === "waiting" || state.status === "paused")
    return [{ type: "run.finished", status: "killed", reason, detail }];
  if (state.status !== "running" || state.stopping?.reason === reason) return [];
  return [{ type: "run.stopping", reason, detail }];
}

interface Listener {
  readonly run: RunId;
  readonly ports: Pick<KernelPorts, "killSwitch">;
  readonly halt: Halt;
}

/**
 * What was asked, and whether the kill switch is on: that is looked up again and again, and costs nothing. A kill ends what is
 * under way before it is recorded: the journal may be busy.
 */
export function heard({ run, ports, halt }: Listener, requests: readonly HostRequest[]): readonly HostRequest[] {
  const pulled = ports.killSwitch.pulled(run);
  const all = pulled === null ? requests : [...requests, killRequest(pulled)];
  if (all.some(({ kind }) => kind === "kill")) halt.end("kill");
  return all;
}

export function killRequest({ by, why }: Pick<Pulled, "by" | "why">): KillRequest {
  return { kind: "kill", by, why };
}

/** Ends what is under way when the run is stopping, or when `first`, which is recorded next, stops it. */
export function haltIfStopping(state: RunState, halt: Halt, first: readonly Fact[] = []): void {
  if (state.status !== "running") return;
  const stopping = state.stopping ?? first.find((fact) => fact.type === "run.stopping");
  if (stopping !== undefined) halt.end(stopping.reason === "kill_switch" ? "kill" : "stop");
}

/** The last look before an effect: whether the run is ending, or the kill switch is on, which ends all of it at once. */
export function isOver(run: RunId, killSwitch: Pick<KillSwitch, "pulled">, halt: Halt): boolean {
  if (killSwitch.pulled(run) !== null) halt.end("kill");
  return halt.hasEnded();
}
