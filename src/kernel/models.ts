/** A stage that may call models: the door to the gateway is opened for one attempt, and what went through it is its usage. */
import { isPawlError } from "../base/errors.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { ModelsSpec } from "../blueprint/blueprint.ts";
import type { Account, Amounts, Cap } from "../limits/ledger/cap.ts";
import type { AgentStage, CommandStage, LeafStage } from "../plan/plan.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { ModelDoor, ModelGrant } from "../ports/models/model-access.ts";
import { type Finished, type Flight, failure, type Of } from "./flight.ts";

/** Name of the artifact that all traffic is kept as; no output of a stage can have it. */
const TRAFFIC = "model-traffic";

/** What is done with the door that there is, or with none. */
type Work = (door: ModelDoor | null) => Promise<Finished>;

/** How it ended, and when the quota of the provider that refused its last call comes back; null: none has. */
export interface Modelled {
  readonly finished: Finished;
  readonly parkedUntil: number | null;
}

export function mayCallModels(leaf: LeafStage): leaf is (CommandStage | AgentStage) & { readonly models: ModelsSpec } {
  return (leaf.kind === "command" || leaf.kind === "agent") && leaf.models !== undefined;
}

/** What an attempt is charged of which nothing has begun: who says nothing is charged what it might have spent. */
export function nothingSpent(leaf: LeafStage): Pick<Finished, "usage" | "turns"> {
  if (mayCallModels(leaf)) return { usage: NO_USAGE, turns: 0 };
  return costOfAttempt(leaf) === null ? {} : { usage: NO_USAGE };
}

/** The most that the attempt itself may spend. A child run pays for itself, and a model call is paid for when it is made. */
export function costOfAttempt(leaf: LeafStage): Amounts | null {
  if (leaf.kind !== "action") return null;
  const { tokens, microUsd } = leaf.cost;
  return tokens === 0 && microUsd === 0 ? null : { tokens, microUsd };
}

/** The door is closed, and everything that went through it settled, before the attempt has ended. */
export async function withModels(
  flight: Flight,
  { stage }: Of<"process"> | Of<"agent">,
  ports: KernelPorts,
  work: Work,
): Promise<Modelled> {
  if (!mayCallModels(stage)) return plain(await work(null));
  const door = await openDoor(grantOf(flight, stage.models), ports);
  if ("refusal" in door) return plain({ ...failure("spawn_error", door.refusal), ...nothingSpent(stage) });
  try {
    const finished = await work(door);
    const { usage, calls: turns, missed, refused, parkedUntil, traffic } = await door.close();
    const kept = traffic === undefined ? {} : { artifacts: { ...finished.artifacts, [TRAFFIC]: traffic } };
    const broke = { ...outOfCredit(finished, door), ...outOfBudget(finished, refused) };
    if (missed === 0) return { finished: { ...finished, ...kept, ...broke, usage, turns }, parkedUntil };
    const error = `${missed} calls to models were not in the record that is replayed`;
    return plain({ ...finished, ...kept, ...failure("invalid_output", error), usage, turns });
  } finally {
    await door.close();
  }
}

/** A stage that failed when its budget was reached would only fail again. */
function outOfBudget({ cause }: Finished, refused: number): Partial<Finished> {
  if (refused === 0 || cause === "ok") return {};
  return failure("budget", `a budget was reached; calls to models that were refused: ${refused}`);
}

/** A program whose provider wants money says so in words of its own, or not at all. */
function outOfCredit({ cause }: Finished, door: ModelDoor): Partial<Finished> {
  const refusal = cause === "exit" ? door.lastRefusal() : null;
  return refusal?.why === "billing" ? failure("auth", `billing: ${refusal.error}`) : {};
}

function plain(finished: Finished): Modelled {
  return { finished, parkedUntil: null };
}

async function openDoor(grant: ModelGrant, { models }: KernelPorts): Promise<ModelDoor | { readonly refusal: string }> {
  if (models === undefined) return { refusal: "there is no gateway for models in this process: nothing was started" };
  try {
    return await models.open(grant);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return { refusal: error.message };
  }
}

/** The key of an attempt in the ledger; keys of its calls begin with it. */
export function attemptKey({
  run,
  stage,
  visit,
  attempt,
}: Pick<Flight, "run" | "stage" | "visit" | "attempt">): string {
  return `${run}/${stage}/${visit}/${attempt}`;
}

function grantOf(flight: Flight, models: ModelsSpec): ModelGrant {
  const { payment, deferral } = flight;
  // What goes on from an attempt has what that has left.
  const left = (most: number, used: number | undefined): number => Math.max(0, most - (used ?? 0));
  const key = attemptKey(flight);
  const own: Account = { scope: "run", name: key };
  const cap = (unit: "tokens" | "microUsd", amount: number, name: string): Cap => {
    return { account: own, unit, window: "run", amount, source: `models.${name} of stage ${flight.stage}` };
  };
  return {
    key,
    accounts: [own, ...(payment?.accounts ?? [])],
    caps: [
      cap("tokens", left(models.tokens, deferral?.usage.tokens), "tokens"),
      cap("microUsd", left(models.microUsd, deferral?.usage.microUsd), "usd"),
      ...(payment?.caps ?? []),
    ],
    priority: payment?.priority ?? 0,
    calls: left(models.calls, deferral?.turns),
    providers: models.providers,
    record: models.record === true,
  };
}
