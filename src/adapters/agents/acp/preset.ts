/** What is known of one agent that speaks ACP: how it is started so that nothing of the repository runs in it, and what it asks. */
import type { AgentSignature } from "../../../plan/agents/agent-signature.ts";
import type { ProgramSpec } from "../cli/find-program.ts";
import type { TestedVersions } from "../cli/probe.ts";
import type { CliSettings, ModelAddress } from "../cli/run-cli.ts";
import type { ToldCall } from "./tool-call.ts";

export interface AcpPreset {
  readonly signature: AgentSignature;
  readonly program: ProgramSpec;
  readonly tested: TestedVersions;
  settings(given: AcpGiven): CliSettings;
  /** What it says of a call in words of its own, in the usual ones; without it, it uses those. */
  readonly plain?: (told: ToldCall) => ToldCall;
}

export interface AcpGiven extends ModelAddress {
  /** null: the default of the agent. */
  readonly model: string | null;
}
