/** AgentBackend: whoever can do a task alone — an agent program, any command, a script, the built-in harness. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { AgentSignature, Toolset } from "../../plan/agents/agent-signature.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { ProcessReport, ProcessRequest } from "../executor.ts";
import type { ModelDoor } from "../models/model-access.ts";

/** What the machine has of it. */
export interface AgentProbe {
  /** null: it is not installed. */
  readonly version: string | null;
  readonly program: string | null;
  /** Versions that were tested, such as `2.1.300 – 2.1.325`; null: it has none. */
  readonly tested: string | null;
  readonly inRange: boolean;
  /** What to do when it is missing or outside the range. */
  readonly hint: string | null;
}

export interface AgentTask {
  /** What it is asked to do, whole: goal, context and rules. */
  readonly prompt: string;
  /** Standing instructions, where the backend has a place for them; else they stand before the prompt. */
  readonly system: string | null;
  /** A model, a tier or a chain, as the gateway understands it; null: the default of the backend. */
  readonly model: string | null;
  /** Turns of the agent itself; null: what it may spend bounds it. */
  readonly maxTurns: number | null;
  /** JSON Schema of the answer; null: text. */
  readonly schema: JsonObject | null;
  /** What it may use at all; null: all it has, as far as policy lets it. Each ruling looks at it, a backend need not. */
  readonly toolset: Toolset | null;
  /** Of the backend's own settings, as the plan froze them: a command line, a script, a skill. */
  readonly settings: JsonObject;
  /** The session to go on with, as an earlier attempt told it; null: a new one. */
  readonly session: string | null;
  /**
   * What the session is gone on with for. `deferred`: a person has decided on the call that ended it; it is asked for again, and
   * allowed or denied now. `again`: the files are
   * as they were when the task began, whatever it has changed since. null: the session is new.
   */
  readonly goesOn: "deferred" | "again" | null;
  /** A folder on this machine, of this stage alone, that outlives an attempt: sessions and settings are kept there. */
  readonly home: string;
  /** Round of the run. */
  readonly round: number;
  /** What went wrong last in the run and was not put right; text of others, never to be spliced into a command. null: nothing. */
  readonly lastError: string | null;
  /** How its process is started: everything but the program, its variables and how its output is read. */
  readonly process: Omit<ProcessRequest, "argv" | "env" | "capture" | "modelSocket" | "dialogue">;
  /** The way to models; null: it has none. */
  readonly door: ModelDoor | null;
}

export interface ToolCall {
  /** As the backend names the call; unique in a session. */
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** What it would do, in the words of policy; every one of them must be allowed. None: policy is asked for the tool by name. */
  readonly requests: readonly PolicyRequest[];
  /** Part of a call that was allowed, such as one file of a search: nobody is asked about it, so what is not allowed is denied. */
  readonly isPart?: true;
}

export type AgentEvent =
  | { readonly type: "text"; readonly text: string }
  /** Mediated or observed. */
  | { readonly type: "tool_request"; readonly call: ToolCall }
  | { readonly type: "tool_result"; readonly id: string; readonly ok: boolean; readonly summary: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "retry"; readonly attempt: number; readonly why: string; readonly delayMs: number | null }
  | { readonly type: "session"; readonly session: string };

export type Ruling =
  | { readonly answer: "allow" }
  /** The agent is told why and goes on. */
  | { readonly answer: "deny"; readonly why: string }
  /** A person decides: the attempt ends as deferred. */
  | { readonly answer: "defer"; readonly why: string };

/** The side of the kernel. */
export interface AgentHost {
  /** Must not throw. */
  onEvent(event: AgentEvent): void;
  /** Never rejects: what goes wrong is a deny. Asked once for each call that is mediated, before it happens. */
  decide(call: ToolCall): Promise<Ruling>;
}

export type AgentFailure =
  | "rate_limited"
  | "overloaded"
  | "auth"
  | "context_overflow"
  | "billing"
  | "provider"
  | "lost";

/** Only a terminal word of the agent itself completes: an exit code does not. */
export type AgentOutcome =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly why: AgentFailure; readonly error: string }
  /** It gave up because something was denied. */
  | { readonly kind: "denied"; readonly error: string }
  | { readonly kind: "budget"; readonly error: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "deferred"; readonly call: ToolCall };

export interface AgentReport {
  readonly outcome: AgentOutcome;
  /** Its last words. */
  readonly text: string;
  /** What it answered to `schema`. */
  readonly output?: JsonValue;
  readonly session: string | null;
  /** In this attempt, as it told; null: it does not tell. */
  readonly reported: Usage | null;
  /** How its process ended; a backend without one has none. */
  readonly process?: ProcessReport;
}

export interface AgentBackend extends AgentSignature {
  /** Cheap; tried, not guessed. */
  probe(): Promise<AgentProbe>;
  /**
   * Does the task once. Outcomes are data: it rejects only for defects and for a store that fails. When `signal` aborts it
   * ends everything it has started and reports `cancelled`. Nothing it started is left when it resolves.
   */
  run(task: AgentTask, host: AgentHost, signal: AbortSignal): Promise<AgentReport>;
}

/** Backends by name; looked up by the compiler (capabilities) and the kernel (run). */
export interface AgentBackends {
  get(name: string): AgentBackend | undefined;
  names(): readonly string[];
}
