/** The actions of a tick of a loop-engineering pattern: what they are called and take. What they do is loaded with the first of them. */

import { basename } from "node:path";
import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { Action, ActionContext, ActionReport } from "../../ports/actions.ts";
import type { Store } from "../../ports/store/store.ts";
import type { BudgetParts } from "../money/budget.ts";
import { MOCK_TOKENS, type TickParts } from "./tick-parts.ts";

const PATTERN = { required: true, summary: "Id of the pattern." } as const;
const STATE = { required: true, summary: "Its state file, at the project root." } as const;
const FOUND = { required: true, summary: "What `loop.discover` has found." } as const;
const TRIAGE = { required: true, summary: "What triage has answered." } as const;

function actionsOf(parts: TickParts): readonly Action[] {
  const action = (
    name: "discover" | "admit" | "claim" | "record" | "mock_price",
    summary: string,
    input: Action["input"],
    effect: Action["effect"] = "idempotent",
    cost: Usage = NO_USAGE,
  ): Action => ({
    ...{ name: `loop.${name}`, summary, effect, cost, input },
    ...(name === "record" ? { writes: true } : {}),
    perform: async (given: JsonObject, context: ActionContext): Promise<ActionReport> =>
      (await import("./perform-tick.ts")).performTick(name, parts, given, context),
  });
  return [
    action(
      "discover",
      "Reads the state file, the decisions of people, the run log, constraints and the budget of a loop.",
      {
        pattern: PATTERN,
        state: STATE,
      },
    ),
    action("admit", "Fails when nothing may begin: loops are paused, or the budget of the day is spent.", {
      found: FOUND,
    }),
    action("claim", "Fails when an item was tried too often or was not seen for long.", {
      state: STATE,
      found: FOUND,
      triage: TRIAGE,
    }),
    action("mock_price", "What a tick of the mock backend is charged.", {}, "idempotent", {
      tokens: MOCK_TOKENS,
      microUsd: 0,
    }),
    action(
      "record",
      "Writes the end of a tick to the state file and to loop-run-log.md, once.",
      {
        pattern: PATTERN,
        state: STATE,
        end: { required: true, summary: "How the tick ended." },
        tokens: { required: true, summary: "Estimates of the registry." },
        found: FOUND,
        triage: { ...TRIAGE, required: false },
      },
      "keyed",
    ),
  ];
}

export interface TickOptions extends Omit<BudgetParts, "ledger"> {
  readonly texts: TickParts["texts"];
  /** Undefined: the caps of the project and its ledger say it. */
  readonly spentToday: TickParts["spentToday"] | undefined;
}

/** The actions, and what must be told which store is open: how much may still be spent is asked there. */
export function createTicks({ texts, spentToday: told, ...parts }: TickOptions): {
  readonly actions: readonly Action[];
  pay(store: Promise<Store>): Promise<Store>;
} {
  let store: Promise<Store> | null = null;
  const actions = actionsOf({
    ...{ project: basename(parts.root), now: parts.clock.now, texts },
    gone: async (paths) => (await import("../audit/gone-paths.ts")).gonePaths(parts.root, paths),
    async spentToday(loop, level) {
      if (told !== undefined) return told(loop, level);
      const { spentToday } = await import("./spent-today.ts");
      return spentToday({ ...parts, ledger: (await store)?.ledger ?? null }, loop, level);
    },
  });
  return {
    actions,
    pay(opened) {
      store = opened;
      return opened;
    },
  };
}
