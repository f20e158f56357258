/** Which wire of the gateway leads to a model: the gateway translates nothing from one to another. */
import { readCandidate, type WireName } from "../../../limits/routes/candidate.ts";
import type { Tiers } from "../../../limits/routes/route.ts";

const WIRES: Readonly<Record<string, WireName>> = { anthropic: "anthropic", openai: "responses", google: "gemini" };
const NAMES = { anthropic: [], openai: [], google: [] };

/** That of the first model that is named; of a tier, that of its first model. */
export function wireFor(model: string, tiers: Tiers): WireName {
  const [first = ""] = model.split(",").map((part) => part.trim());
  const bare = first.replace(/:(?:low|medium|high)$/, "");
  const tier = Object.hasOwn(tiers, first) ? tiers[first] : Object.hasOwn(tiers, bare) ? tiers[bare] : undefined;
  const { provider } = readCandidate(tier?.[0] ?? first, NAMES, "anthropic");
  return WIRES[provider] ?? "chat";
}
