/** What all parts of one run share. */
import type { PawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { AgentFailure, ToolCall } from "../../ports/agents/agent-backend.ts";
import type { Agent, AgentStatus } from "../agent.ts";
import type { Attachments } from "../deliver/attachments.ts";
import type { Halt } from "../halt.ts";
import type { Chronicle } from "../journal/chronicle.ts";
import type { Meter } from "../meter.ts";
import type { Health } from "../models/health.ts";
import type { CallOptions } from "../models/model.ts";
import type { Candidate } from "../models/route.ts";
import type { AgentPolicy, AgentPorts } from "../ports.ts";
import type { ToolOutcome } from "../tools/outcome.ts";
import type { Tool, ToolDispatch } from "../tools/tool.ts";
import type { Toolbox, ToolInvocation } from "../tools/toolbox.ts";
import type { CompactRules } from "../transcript/compact.ts";

export interface Session {
  readonly run: RunId;
  readonly agent: Agent;
  readonly ports: AgentPorts;
  readonly policy: AgentPolicy;
  readonly halt: Halt;
  readonly chronicle: Chronicle;
  readonly health: Health;
  readonly compaction: CompactRules;
  /** Of tools, to be delivered with the answer. */
  readonly attachments: Attachments;
  /** The workspace, made when it is first asked for. */
  readonly root: () => string;
  readonly dispatch: ToolDispatch;
}

export interface Desk extends Pick<Toolbox, "tools"> {
  find(name: string): Tool | undefined;
  /** Rejects only when the journal fails. */
  call(invocation: ToolInvocation & { readonly seq: number }, signal: AbortSignal): Promise<ToolOutcome>;
  /** What was last asked about, with what it would do; null: it did not come so far. */
  asked(): ToolCall | null;
}

/** One talk of a session: that of the run, or that of a phase. */
export interface Setting {
  readonly candidates: readonly Candidate[];
  /** Who sums up and answers the questions of tools. */
  readonly helpers: readonly Candidate[];
  readonly desk: Desk;
  readonly offered: NonNullable<CallOptions["tools"]>;
  /** Bytes of the tools that are offered: every prompt has them. */
  readonly offeredBytes: number;
  readonly schema: JsonObject | null;
  readonly meter: Meter;
}

/** How a talk ended. */
export interface Ending {
  readonly status: AgentStatus;
  readonly output: string;
  readonly value?: JsonValue;
  readonly error: PawlError | null;
  readonly failure?: AgentFailure;
  readonly deferred?: ToolCall;
}
