/** From the words for a model to those who can answer, in the order in which they are asked. */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import { type Effort, showCandidate, splitEffort, type WireName } from "../../limits/routes/candidate.ts";
import { findRoute, type Tiers } from "../../limits/routes/route.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import type { ModelChoice } from "../agent.ts";
import type { Models } from "../ports.ts";
import { asModel, type CallOptions, type Model } from "./model.ts";

export interface Candidate {
  /** As people know it: `anthropic/claude-x:high`. */
  readonly name: string;
  readonly model: Model;
  readonly options: Pick<CallOptions, "providerOptions">;
}

/** As price lists know them. */
export function namesOf(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ model }) => model.modelId);
}

/** Providers speak through the SDK, which is one wire to us. */
const WIRE: WireName = "chat";

/** What a provider throws is no model. */
export async function findModels(
  choice: ModelChoice | undefined,
  models: Models | undefined,
): Promise<Result<readonly Candidate[]>> {
  try {
    return await opened(choice, models);
  } catch (error) {
    return unknown(error instanceof Error ? error.message : String(error));
  }
}

async function opened(
  choice: ModelChoice | undefined,
  models: Models | undefined,
): Promise<Result<readonly Candidate[]>> {
  if (choice === undefined) return unknown("none was given");
  if (typeof choice !== "string") {
    const model = await asModel(choice);
    return ok([{ name: `${model.provider.split(".")[0]}/${model.modelId}`, model, options: {} }]);
  }
  if (models === undefined) return unknown(`"${choice}" is a name, and no models were given`);
  const { providers, tiers = {} } = models;
  const nested = nestedTier(tiers);
  if (nested !== null) return failed([nested]);
  const wires = Object.fromEntries(Object.keys(providers).map((name) => [name, [WIRE]]));
  const found = findRoute(choice, WIRE, { tiers, providers: wires });
  if (!found.ok) return unknown(found.why);
  const { candidates } = found.route;
  return ok(
    await Promise.all(
      candidates.map(async (candidate) => {
        const open = providers[candidate.provider] as Models["providers"][string];
        const model = await asModel(open(candidate.model));
        return { name: showCandidate(candidate), model, options: effortOptions(candidate.effort) };
      }),
    ),
  );
}

function unknown(why: string): Result<never> {
  return failed([diagnose(HARNESS_ERRORS, "HARNESS_MODEL_UNKNOWN", { why })]);
}

function nestedTier(tiers: Tiers): Diagnostic | null {
  for (const [tier, models] of Object.entries(tiers)) {
    const inner = models.find((name) => Object.hasOwn(tiers, name) || Object.hasOwn(tiers, splitEffort(name).name));
    if (inner !== undefined) return diagnose(HARNESS_ERRORS, "HARNESS_TIER_NESTED", { tier, inner });
  }
  return null;
}

/** Each provider reads its own member and leaves those of the others alone. */
function effortOptions(effort: Effort | null): Candidate["options"] {
  if (effort === null) return {};
  return {
    providerOptions: {
      anthropic: { effort },
      openai: { reasoningEffort: effort },
      google: { thinkingConfig: { thinkingLevel: effort } },
    },
  };
}
