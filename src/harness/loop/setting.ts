/** What a talk is led with: models, tools, bounds. */
import { PawlError } from "../../base/errors.ts";
import type { Agent, ModelChoice, Phase } from "../agent.ts";
import { delegateTools } from "../delegate/delegates.ts";
import { createMeter, type Meter, strictest } from "../meter.ts";
import { schemaOf } from "../models/model.ts";
import { type Candidate, findModels } from "../models/route.ts";
import type { Models } from "../ports.ts";
import type { Tool, ToolModels } from "../tools/tool.ts";
import { askBeside } from "./beside.ts";
import { createDesk } from "./desk.ts";
import type { Session, Setting } from "./session.ts";

/** The tier that sums up, where there is one. */
const FAST = "fast";

/** Throws HARNESS_MODEL_UNKNOWN, HARNESS_TIER_NESTED. */
export async function openModels(choice: ModelChoice | undefined, models: Models | undefined): Promise<OpenModels> {
  const candidates = await found(choice, models);
  const hasFast = models?.tiers !== undefined && Object.hasOwn(models.tiers, FAST);
  return { candidates, helpers: hasFast ? await found(FAST, models) : candidates };
}

export type OpenModels = Pick<Setting, "candidates" | "helpers">;

async function found(choice: ModelChoice | undefined, models: Models | undefined): Promise<readonly Candidate[]> {
  const result = await findModels(choice, models);
  if (!result.ok) throw new PawlError(result.problems);
  return result.value;
}

/** Throws TOOL_… and TOOLSET_… */
export function makeSetting(session: Session, models: OpenModels, meter: Meter, schema: Agent["schema"]): Setting {
  const { agent } = session;
  return settingWith(session, models, meter, [...(agent.tools ?? []), ...delegateTools(agent.delegates ?? {})], schema);
}

/** A phase has models, tools and bounds of its own, within those of the run. */
export async function phaseSetting(
  session: Session,
  base: OpenModels,
  meter: Meter,
  phase: Phase,
  schema: Agent["schema"],
): Promise<Setting> {
  const { agent, ports, halt } = session;
  const models = phase.model === undefined ? base : await openModels(phase.model, ports.models);
  const limits = strictest(meter.limits, phase.limits ?? {});
  const prices = ports.models?.prices ?? {};
  const own = createMeter({ limits, prices, parent: meter, leftMs: halt.leftMs });
  const tools = phase.tools ?? [...(agent.tools ?? []), ...delegateTools(agent.delegates ?? {})];
  return settingWith(session, models, own, tools, schema);
}

function settingWith(
  session: Session,
  { candidates, helpers }: OpenModels,
  meter: Meter,
  tools: readonly Tool[],
  schema: Agent["schema"],
): Setting {
  const models: ToolModels = {
    ask: (question, signal) => askBeside(session, setting, { what: "tool", ...question }, signal),
  };
  const desk = createDesk(session, tools, models);
  const offered = desk.tools.map(({ name, summary, input }) => ({
    ...{ type: "function" as const, name, description: summary },
    inputSchema: schemaOf(input),
  }));
  const offeredBytes = offered.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(offered));
  const setting: Setting = { candidates, helpers, desk, offered, offeredBytes, meter, schema: schema ?? null };
  return setting;
}
