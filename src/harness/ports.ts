/** What a run of the harness stands on. Policy, budget and journal have safe defaults; everything else may be left out. */
import type { RunId } from "../base/ids.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { PriceTable } from "../limits/prices/price.ts";
import type { Tiers } from "../limits/routes/route.ts";
import type { Pattern } from "../policy/rule.ts";
import type { Ruling, ToolCall } from "../ports/agents/agent-backend.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentLimits, AgentStatus, AgentStep, AgentUsage, ModelChoice } from "./agent.ts";
import type { AgentJournal } from "./journal/record.ts";
import type { ToolCallers } from "./tools/permissions.ts";
import type { ToolFile, ToolRisk } from "./tools/tool.ts";

/** Rules in the words of a blueprint. What no rule mentions is allowed only for tools of low risk. */
export interface AgentRules {
  readonly allow?: readonly Pattern[];
  readonly ask?: readonly Pattern[];
  readonly deny?: readonly Pattern[];
}

export interface AgentPolicy {
  /** Asked before every call, with exactly what it would do. What it throws is a deny. */
  decide(call: ToolCall, risk: ToolRisk): Ruling | Promise<Ruling>;
}

/** Asked about calls that policy leaves to a person; without it they are denied. */
export interface Approvals {
  /** `later`: the run ends as deferred, and asks again when it is gone on with. */
  ask(call: ToolCall, why: string, signal: AbortSignal): Promise<"allow" | "deny" | "later">;
}

/** Who is asked before anything is spent, and told what was. */
export interface AgentBudget {
  check(asked: BudgetRequest): Promise<BudgetAnswer> | BudgetAnswer;
  /** Once for every check that was granted, however the run has ended. */
  commit(run: RunId, used: AgentUsage): Promise<void> | void;
}

export interface BudgetRequest {
  readonly run: RunId;
  readonly agent: string | null;
  readonly parent: RunId | null;
  readonly limits: AgentLimits;
}

export type BudgetAnswer = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** What a critic sees. */
export interface CriticView {
  readonly run: RunId;
  /** `turn`: a turn has ended; `deadline`: the time of the run is over. */
  readonly at: "turn" | "deadline";
  readonly turns: number;
  readonly elapsedMs: number;
  readonly lastStep: AgentStep | null;
}

export type CriticWord =
  | { readonly do: "go_on" }
  /** Said to the agent before its next turn. */
  | { readonly do: "nudge"; readonly message: string }
  /** More time, once a run. */
  | { readonly do: "extend"; readonly ms: number }
  /** For good: a run that was killed is not gone on with. */
  | { readonly do: "kill"; readonly why: string };

/** With a critic the time of a run is when it is asked; three times that is the end whatever it says. */
export interface Critic {
  judge(view: CriticView): CriticWord | Promise<CriticWord>;
}

/** What a person says while the agent works; heard before its next turn. */
export interface Steering {
  /** What was said since the last time. */
  take(): readonly string[];
}

export interface Target {
  readonly kind: string;
  readonly id: string;
}

/** Where the answer goes. What goes wrong there is recorded and changes nothing about the run. */
export interface Delivery {
  deliver(target: Target, output: string, attachments: readonly ToolFile[]): Promise<void> | void;
  deliverError(target: Target, error: { readonly status: AgentStatus; readonly message: string }): Promise<void> | void;
}

/** Whoever watches. What an observer throws is recorded and changes nothing. */
export interface Observer {
  onStep?(step: AgentStep): void;
  onText?(text: string): void;
  onCall?(call: ToolCall): void;
  onResult?(result: { readonly id: string; readonly ok: boolean; readonly output: JsonValue }): void;
  onRetry?(retry: { readonly model: string; readonly why: string }): void;
}

export interface Sinks {
  /** Of each answer of a model. */
  usage?(used: AgentUsage & { readonly run: RunId; readonly model: string }): void;
  /** What happened, as it stands in the journal. */
  trace?(record: JsonObject): void;
}

/** Can say no outside the model. What it throws is a no. */
export interface Hooks {
  preStep?(step: { readonly run: RunId; readonly turn: number }): HookAnswer | Promise<HookAnswer>;
  preTool?(call: ToolCall): HookAnswer | Promise<HookAnswer>;
  postTool?(call: ToolCall, result: { readonly ok: boolean; readonly output: JsonValue }): void | Promise<void>;
  postStep?(step: AgentStep): void | Promise<void>;
  onStop?(end: { readonly run: RunId; readonly status: AgentStatus }): void | Promise<void>;
}

export type HookAnswer = undefined | { readonly deny: string };

/** Models by their words. */
export interface Models {
  /** What opens a model of each provider: `{ anthropic, openai }` of the AI SDK as they are. */
  readonly providers: Readonly<Record<string, (model: string) => Exclude<ModelChoice, string>>>;
  /** Models by the name of the tier, in the order in which they are tried; none of them is a tier. */
  readonly tiers?: Tiers;
  /** Of one's own models; those of the usual providers are known. */
  readonly prices?: PriceTable;
}

export interface AgentPorts {
  readonly journal: AgentJournal;
  readonly budget: AgentBudget;
  readonly approvals?: Approvals;
  readonly models?: Models;
  readonly critic?: Critic;
  readonly steering?: Steering;
  readonly delivery?: Delivery;
  readonly observer?: Observer;
  readonly sinks?: Sinks;
  readonly hooks?: Hooks;
  /** Where artifacts of tools are kept; without it, a tool that makes one fails. */
  readonly artifacts?: Pick<Artifacts, "put">;
  /** Tools that only some agents may call. */
  readonly callers?: ToolCallers;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly chance: () => number;
}
