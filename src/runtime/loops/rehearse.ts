/** A dry run of a pattern: the whole way of a tick, in a copy of the project that is thrown away afterwards. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PawlError } from "../../base/errors.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { readConfig } from "../config.ts";
import type { DoorOptions } from "../doors/door-options.ts";
import { stateFileOf } from "../doors/pattern-door.ts";
import type { CapStanding } from "../money/budget.ts";
import { tightestDay } from "../money/budget.ts";
import { openRuntime } from "../wire.ts";
import { type PastTick, pastTick } from "./past-tick.ts";
import { MOCK_TEST, makeScratch } from "./scratch.ts";
import type { TickParts } from "./tick-parts.ts";

export interface RehearseOptions {
  readonly pattern: string;
  readonly level?: Level;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly door: DoorOptions;
  readonly ticks: number;
  readonly by: string;
  /** Put over what is copied of the project; null: it is not there. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Files that are read before the copy goes. */
  readonly kept?: readonly string[];
  readonly spentToday?: TickParts["spentToday"];
}

export interface Rehearsed {
  readonly level: Level;
  readonly ticks: readonly PastTick[];
  readonly today: CapStanding | null;
  /** Those of `kept` that are there. */
  readonly files: Readonly<Record<string, string>>;
}

/** Rejects with every problem of the files, and with what a start rejects with. */
export async function rehearse(root: string, options: RehearseOptions): Promise<Rehearsed> {
  const { pattern, level, params, door, files = {}, kept = [], spentToday } = options;
  const isMock = door.isMock === true;
  const state = await stateFileOf(root, pattern);
  const scratch = await makeScratch(root, { isMock, path: readConfig().path, files, state });
  const runtime = await openRuntime({ root: scratch.root, ...(spentToday === undefined ? {} : { spentToday }) });
  try {
    const given = isMock ? { test: MOCK_TEST, ...params } : params;
    const { plan } = await runtime.compile(pattern, { ...(level === undefined ? {} : { level }), params: given, door });
    if (!plan.ok) throw new PawlError(plan.problems);
    await runtime.requireAgents(plan.value);
    const ticks: PastTick[] = [];
    while (ticks.length < options.ticks) {
      const unearned = { by: options.by, why: "a dry run in a copy that is thrown away" };
      const hosted = await runtime.start(plan.value, { unearned });
      await hosted.ended;
      ticks.push(await pastTick(runtime, hosted.run));
    }
    const { caps } = await runtime.budget(plan.value.level, true);
    const today = caps.ok ? tightestDay(caps.value, pattern) : null;
    return { level: plan.value.level, ticks, today, files: await readAll(scratch.root, kept) };
  } finally {
    await runtime.close();
    await scratch.remove();
  }
}

async function readAll(root: string, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found: [string, string][] = [];
  for (const name of names) {
    const text = await readFile(join(root, name), "utf8").catch(() => null);
    if (text !== null) found.push([name, text]);
  }
  return Object.fromEntries(found);
}
