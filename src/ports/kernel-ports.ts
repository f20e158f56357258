/** KernelPorts: everything the kernel gets from the world. */
import type { RunId } from "../base/ids.ts";
import type { RunEvent } from "../run/events.ts";
import type { Actions } from "./actions.ts";
import type { AgentAccess } from "./agents/agent-access.ts";
import type { Artifacts } from "./artifacts.ts";
import type { ChildRuns } from "./child-runs.ts";
import type { Clock } from "./clock.ts";
import type { Executor } from "./executor.ts";
import type { ModelAccess } from "./models/model-access.ts";
import type { PolicyGate } from "./policy-gate.ts";
import type { KillSwitch } from "./stop/kill-switch.ts";
import type { Breakers } from "./store/breakers.ts";
import type { Journal } from "./store/journal.ts";
import type { TreeReader } from "./trees.ts";
import type { Certifier } from "./trust/certifier.ts";
import type { Workspaces } from "./workspaces.ts";

export interface KernelPorts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly policy: PolicyGate;
  readonly executor: Executor;
  readonly workspaces: Workspaces;
  readonly trees: TreeReader;
  readonly artifacts: Pick<Artifacts, "put" | "get">;
  readonly actions: Actions;
  readonly children: ChildRuns;
  /** Asked before every effect. */
  readonly killSwitch: Pick<KillSwitch, "pulled">;
  /** Guard what leaves this machine, and child runs. */
  readonly breakers: Pick<Breakers, "admit" | "report">;
  /** Without it no stage reaches a model. */
  readonly models?: ModelAccess;
  /** Without it no agent works. */
  readonly agents?: AgentAccess;
  /** Without it nothing is certified. */
  readonly certifier?: Certifier;
  /** IANA name of the time zone of the host: programs tell times in it. UTC without it. */
  readonly zone?: () => string;
  /** Masks secrets in an event before it is used or stored. */
  readonly redact: (event: RunEvent) => RunEvent;
  /** Live output for people who watch: no guarantee, never stored, must not throw. */
  readonly onOutput: (run: RunId, stage: string, text: string) => void;
}
