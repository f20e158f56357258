/** The table of commands: what help shows without loading any of them, and how each is loaded. */
import type { CommandSpec, Group } from "./spec.ts";

export interface CommandEntry {
  readonly group: Group;
  readonly summary: string;
  load(): Promise<CommandSpec>;
}

export const GROUPS: Readonly<Record<Group, string>> = {
  begin: "Begin",
  run: "Run",
  see: "See",
  decide: "Decide",
  trust: "Trust",
};

/** In the order help shows them. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    group: "begin",
    summary: "Look at this project and write its pawl.yaml",
    load: async () => (await import("./commands/begin/init.ts")).initCommand,
  },
  doctor: {
    group: "begin",
    summary: "Check that this machine and project are ready",
    load: async () => (await import("./commands/begin/doctor.ts")).doctorCommand,
  },
  list: {
    group: "begin",
    summary: "List the loops and blueprints of the project",
    load: async () => (await import("./commands/begin/list.ts")).listCommand,
  },
  plan: {
    group: "begin",
    summary: "Show what would run, and the worst case, without running it",
    load: async () => (await import("./commands/begin/plan.ts")).planCommand,
  },
  policy: {
    group: "begin",
    summary: "Ask what the rules say, show them, or run their examples",
    load: async () => (await import("./commands/begin/policy.ts")).policyCommand,
  },
  schema: {
    group: "begin",
    summary: "Print the JSON Schema of blueprints or of pawl.yaml, for editors",
    load: async () => (await import("./commands/begin/schema.ts")).schemaCommand,
  },
  explain: {
    group: "begin",
    summary: "Explain an error code: what, why, and what to do",
    load: async () => (await import("./commands/begin/explain.ts")).explainCommand,
  },
  run: {
    group: "run",
    summary: "Run a blueprint and wait for its end",
    load: async () => (await import("./commands/run/run.ts")).runCommand,
  },
  resume: {
    group: "run",
    summary: "Go on with a run that waits, rests or was interrupted",
    load: async () => (await import("./commands/run/resume.ts")).resumeCommand,
  },
  cancel: {
    group: "run",
    summary: "End a run",
    load: async () => (await import("./commands/run/cancel.ts")).cancelCommand,
  },
  pause: {
    group: "run",
    summary: "Let a run rest at the next stage boundary",
    load: async () => (await import("./commands/run/pause.ts")).pauseCommand,
  },
  kill: {
    group: "run",
    summary: "Stop a run or everything at once, and keep it stopped",
    load: async () => (await import("./commands/run/kill.ts")).killCommand,
  },
  fork: {
    group: "run",
    summary: "Go on from the stage of another run, as a new run",
    load: async () => (await import("./commands/run/fork.ts")).forkCommand,
  },
  serve: {
    group: "run",
    summary: "Run the loops of pawl.yaml when they are due, and go on with what rests",
    load: async () => (await import("./commands/run/serve.ts")).serveCommand,
  },
  gateway: {
    group: "run",
    summary: "Stand in front of any agent: meter its model calls and stop it at a budget",
    load: async () => (await import("./commands/run/gateway.ts")).gatewayCommand,
  },
  status: {
    group: "see",
    summary: "List runs, or say how one stands",
    load: async () => (await import("./commands/see/status.ts")).statusCommand,
  },
  show: {
    group: "see",
    summary: "Show one run: its stages, its end, what to do next",
    load: async () => (await import("./commands/see/show.ts")).showCommand,
  },
  logs: {
    group: "see",
    summary: "Print what the stages of a run wrote",
    load: async () => (await import("./commands/see/logs.ts")).logsCommand,
  },
  events: {
    group: "see",
    summary: "Print the journal of a run",
    load: async () => (await import("./commands/see/events.ts")).eventsCommand,
  },
  diff: {
    group: "see",
    summary: "Show what a run, or one stage of it, changed in its workspace",
    load: async () => (await import("./commands/see/diff.ts")).diffCommand,
  },
  queue: {
    group: "see",
    summary: "Show what waits in each lane and when it begins, cancel it, or resize a lane",
    load: async () => (await import("./commands/see/queue.ts")).queueCommand,
  },
  why: {
    group: "see",
    summary: "Say why nothing happens: one reason for each loop, and what clears it",
    load: async () => (await import("./commands/see/why.ts")).whyCommand,
  },
  digest: {
    group: "see",
    summary: "Sum up a day: what ended, what it cost, what was proposed and merged, what needs a person",
    load: async () => (await import("./commands/see/digest.ts")).digestCommand,
  },
  budget: {
    group: "see",
    summary: "Show every cap: what was spent, what is held, what is left",
    load: async () => (await import("./commands/see/budget.ts")).budgetCommand,
  },
  breakers: {
    group: "see",
    summary: "Show what is left alone because it failed or its quota is used up, and let it be tried again",
    load: async () => (await import("./commands/see/breakers.ts")).breakersCommand,
  },
  cost: {
    group: "see",
    summary: "Say what a pattern would cost, or what a blueprint can cost and its runs have cost",
    load: async () => (await import("./commands/see/cost.ts")).costCommand,
  },
  approvals: {
    group: "decide",
    summary: "List what runs ask people about, or show one question in full",
    load: async () => (await import("./commands/decide/approvals.ts")).approvalsCommand,
  },
  approve: {
    group: "decide",
    summary: "Allow what a run asks about, and go on with it",
    load: async () => (await import("./commands/decide/approve.ts")).approveCommand,
  },
  deny: {
    group: "decide",
    summary: "Refuse what a run asks about",
    load: async () => (await import("./commands/decide/deny.ts")).denyCommand,
  },
  merge: {
    group: "decide",
    summary: "Accept the change of a run, and merge what waits: judged together, one after the other",
    load: async () => (await import("./commands/decide/merge.ts")).mergeCommand,
  },
  mcp: {
    group: "decide",
    summary: "Show the MCP servers of the project, or accept one and its tools",
    load: async () => (await import("./commands/decide/mcp.ts")).mcpCommand,
  },
  verify: {
    group: "trust",
    summary: "Check that what is stored is complete and unchanged",
    load: async () => (await import("./commands/trust/verify.ts")).verifyCommand,
  },
  level: {
    group: "trust",
    summary: "Show the level a blueprint has earned, or record an incident",
    load: async () => (await import("./commands/trust/level.ts")).levelCommand,
  },
  audit: {
    group: "trust",
    summary: "Say how ready the project is for loops, point by point, and where its files disagree",
    load: async () => (await import("./commands/trust/audit.ts")).auditCommand,
  },
  drill: {
    group: "trust",
    summary: "Plant bad and harmless changes, and see what the gates of a blueprint do",
    load: async () => (await import("./commands/trust/drill.ts")).drillCommand,
  },
  replay: {
    group: "trust",
    summary: "Decide a run again from its journal and compare",
    load: async () => (await import("./commands/trust/replay.ts")).replayCommand,
  },
  export: {
    group: "trust",
    summary: "Make the files of another system again from the journal of a run",
    load: async () => (await import("./commands/trust/export.ts")).exportCommand,
  },
  recover: {
    group: "trust",
    summary: "List the work that is saved, put it on branches, and repair a lost or damaged journal",
    load: async () => (await import("./commands/trust/recover.ts")).recoverCommand,
  },
  gc: {
    group: "trust",
    summary: "Remove what runs that are over left behind, and prove what was freed",
    load: async () => (await import("./commands/trust/gc.ts")).gcCommand,
  },
};
