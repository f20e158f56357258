/** The decision about a call of a tool: the strictest about all that it would do, and what is said of the tool by its name. */
import type { JsonObject } from "../base/json.ts";
import type { PolicyRequest, RequestOf } from "./request.ts";
import { type Decision, EFFECTS } from "./rule.ts";

/** The tier of a request for a tool that a person decides about, unless a rule mentions the tool. */
export const APPROVAL_TIER = "approval";

export interface CallRequest {
  readonly tool: string;
  readonly input: JsonObject;
  /** None: only the tool itself is asked about. */
  readonly requests: readonly PolicyRequest[];
}

export function decideCall(
  decide: (request: PolicyRequest) => Decision,
  { tool, input, requests }: CallRequest,
): Decision {
  if (requests.length === 0) return decide({ kind: "tool", tool, args: input });
  const named = perTier(requests).map((request) => decide(byName(tool, input, request)));
  const decisions = [
    ...requests.map((request) => approved(request, decide(request))),
    // Whoever allows what a tool does need not name the tool; whoever denies the tool, or asks about it, is heard.
    ...named.filter(({ rule }) => rule !== "default"),
  ];
  return EFFECTS.flatMap((effect) => decisions.filter((decision) => decision.effect === effect))[0] as Decision;
}

/** The first of each tier: what is said of a tool may depend on it. */
function perTier(requests: readonly PolicyRequest[]): readonly PolicyRequest[] {
  return requests.filter(({ tier }, at) => requests.findIndex((other) => other.tier === tier) === at);
}

function byName(tool: string, args: JsonObject, { tier, who }: PolicyRequest): RequestOf<"tool"> {
  return {
    ...{ kind: "tool", tool, args },
    ...(tier === undefined ? {} : { tier }),
    ...(who === undefined ? {} : { who }),
  };
}

function approved(request: PolicyRequest, decision: Decision): Decision {
  if (request.kind !== "tool" || request.tier !== APPROVAL_TIER || decision.rule !== "default") return decision;
  return { effect: "ask", rule: "toolset", why: `the toolset of ${request.tool} needs a person for it` };
}
