/** What runs may spend and have spent, and why nothing happens: questions of people, answered from files, journals and the ledger. */
import type { Clock } from "../../ports/clock.ts";
import type { Heartbeats } from "../../ports/heartbeats.ts";
import type { KillSwitch } from "../../ports/stop/kill-switch.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Setting } from "../config.ts";
import { readLoopTexts } from "./loop-texts.ts";
import type { MoneyActions } from "./money-actions.ts";
import type { WhyParts } from "./why.ts";

export interface MoneyParts {
  readonly root: string;
  readonly budgetFile: Setting<string>;
  readonly clock: Clock;
  readonly heartbeats: Pick<Heartbeats, "read">;
  readonly killSwitch: Pick<KillSwitch, "pulled">;
}

type Open = () => Promise<{ readonly store: Store }>;

/** A project without state has spent nothing, and asking creates none. Most commands ask nothing of this, and load nothing. */
export function createMoney(
  parts: MoneyParts,
  open: Open,
  hasState: () => boolean,
  { held, outlook }: Pick<WhyParts, "held" | "outlook">,
): MoneyActions {
  const storeNow = async (): Promise<Store | null> => (hasState() ? (await open()).store : null);
  const budget: MoneyActions["budget"] = async (level = "L1", isPattern = false) => {
    const { budgetOf } = await import("./budget.ts");
    return budgetOf({ ...parts, ledger: (await storeNow())?.ledger ?? null }, level, isPattern);
  };
  return {
    budget,
    async loopFiles() {
      return (await import("./loop-files.ts")).readLoopFiles(await readLoopTexts(parts.root));
    },
    async costs(blueprint, limit) {
      const { costsOfRuns, noCosts } = await import("./past-costs.ts");
      const store = await storeNow();
      return store === null ? noCosts(blueprint) : costsOfRuns(store, blueprint, limit);
    },
    async outlay(run) {
      return (await import("./past-costs.ts")).wholeOutlay((await open()).store, run);
    },
    async why(loop) {
      const { whyOfLoops } = await import("./why.ts");
      return whyOfLoops({ ...parts, store: await storeNow(), budget, held, outlook }, loop);
    },
  };
}
