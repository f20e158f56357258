/** What can be wrong with a blueprint that reads well but cannot become a plan. */
import type { Catalogue } from "../base/diagnostic.ts";

function suggest(near: string | null, otherwise: string): string {
  return near !== null ? `Did you mean "${near}"?` : otherwise;
}

export const PLAN_ERRORS = {
  PLAN_STAGES_MISSING: {
    what: (d: { blueprint: string }) => `Blueprint "${d.blueprint}" has no stage.`,
    why: "A run begins with the first stage.",
    hint: "Write at least one stage below `stages`.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_PARAM_UNKNOWN: {
    what: (d: { param: string; blueprint: string; near: string | null }) =>
      `Blueprint "${d.blueprint}" has no parameter "${d.param}".`,
    why: "A value that nothing reads is most often a misspelt name.",
    hint: (d: { near: string | null }) => suggest(d.near, "Declare it below `params`, or leave it out."),
    retry: "after_change",
    exit: 3,
  },
  PLAN_PARAM_MISSING: {
    what: (d: { param: string; blueprint: string; about?: string }) =>
      `Parameter "${d.param}" of blueprint "${d.blueprint}" has no value${d.about === undefined ? "." : `: ${d.about}`}`,
    why: "It has no default, so whoever starts a run must give it one.",
    hint: (d: { param: string; isList?: boolean }) =>
      `Give it with \`--param ${d.isList === true ? `'${d.param}=["…", "…"]'` : `${d.param}=…`}\`, or add a \`default\`.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_PARAM_TYPE: {
    what: (d: { param: string; type: string; found: string }) =>
      `Parameter "${d.param}" must be a ${d.type}, and its value is a ${d.found}.`,
    why: "Values keep their type: nothing is converted on the way into a stage.",
    hint: (d: { type: string }) => `Give a ${d.type}, or change the declared \`type\`.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_PARAM_NOT_JSON: {
    what: (d: { param: string }) => `The value of parameter "${d.param}" cannot be stored as JSON.`,
    why: "A plan is stored with its parameters, and a later replay must find the same values.",
    hint: "Use texts, finite numbers, booleans, null, lists and maps.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_OUTCOME_UNKNOWN: {
    what: (d: { stage: string; outcome: string; outcomes: string; near: string | null }) =>
      `Stage "${d.stage}" never has the outcome "${d.outcome}".`,
    why: "A route that is never taken is a mistake: its target would wait for ever.",
    hint: (d: { outcomes: string; near: string | null }) => suggest(d.near, `Its outcomes are: ${d.outcomes}.`),
    retry: "after_change",
    exit: 3,
  },
  PLAN_TARGET_UNKNOWN: {
    what: (d: { stage: string; target: string; near: string | null }) =>
      `Stage "${d.stage}" leads to "${d.target}", which does not exist.`,
    why: "Every outcome must lead to a stage or to an end.",
    hint: (d: { near: string | null }) => suggest(d.near, "Name a stage, or one of the ends: done, fail, paused."),
    retry: "after_change",
    exit: 3,
  },
  PLAN_LEVEL_TOO_LOW: {
    what: (d: { stage: string; needs: string; level: string }) =>
      `The first stage "${d.stage}" needs level ${d.needs}, and the ceiling is ${d.level}.`,
    why: "Nothing of this blueprint could run below that level.",
    hint: (d: { needs: string }) => `Compile with \`--level ${d.needs}\`, or begin with a stage of a lower level.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_REFERENCE_CUT: {
    what: (d: { stage: string; reference: string; needs: string; level: string }) =>
      `Stage "${d.stage}" uses "${d.reference}", but "${d.needs}" does not run at level ${d.level}.`,
    why: "The value would never exist, so the stage could never begin.",
    hint: "Raise the level, give both stages the same `level`, or drop the reference.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_SANDBOX_UNFIT: {
    what: (d: { stage: string; sandbox: string }) =>
      `Stage "${d.stage}" has the sandbox ${d.sandbox}, and its workspace is the project folder itself.`,
    why: "A stage may write only to a workspace of its own: your files stay as you left them.",
    hint: "Write `workspace: clone`, or give the stage `sandbox: read_only`.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_REPOSITORY_SHARED: {
    what: (d: { stage: string }) =>
      `Stage "${d.stage}" has the sandbox repo_write, and its git data is that of your repository.`,
    why: "A linked worktree shares the git folder of the project, which no stage may write.",
    hint: "Write `workspace: clone`, or give the stage `sandbox: workspace_write`.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_NETWORK_UNENFORCEABLE: {
    what: (d: { stage: string }) => `Stage "${d.stage}" lists hosts, but has no sandbox that could hold it to them.`,
    why: "With danger_full_access a process reaches every host, whatever is written here.",
    hint: "Choose another `sandbox`, or leave out `network`.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_MODELS_UNENFORCEABLE: {
    what: (d: { stage: string }) =>
      `Stage "${d.stage}" may use models up to an amount, but has no sandbox that could hold it to the gateway.`,
    why: "With danger_full_access a process reaches providers by itself, and nobody counts what it spends there.",
    hint: "Choose another `sandbox`, or leave out `models`.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_UNNAMED: {
    what: (d: { stage: string }) => `Stage "${d.stage}" does not say which agent it uses.`,
    why: "Agents differ in what they cost and in what they let us decide, so that none is chosen silently.",
    hint: "Write `use: …` below `agent`, or `agent: …` below `defaults`. `pawl doctor` lists those that are there.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_UNKNOWN: {
    what: (d: { stage: string; agent: string; known: string; near: string | null }) =>
      `Stage "${d.stage}" uses the agent "${d.agent}", which does not exist.`,
    why: "Only backends that this program has can be used.",
    hint: (d: { known: string; near: string | null }) => suggest(d.near, `There are: ${d.known}.`),
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_TOOLSET_UNKNOWN: {
    what: (d: { stage: string; toolset: string; known: string; near: string | null }) =>
      `Stage "${d.stage}" names the toolset "${d.toolset}", which does not exist.`,
    why: "Without it the agent would not be held to any.",
    hint: (d: { known: string; near: string | null }) => suggest(d.near, `There are: ${d.known}.`),
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_UNWALLED: {
    what: (d: { stage: string }) => `Stage "${d.stage}" gives an agent \`sandbox: danger_full_access\`.`,
    why: "What an agent does is not known beforehand: without a wall nothing bounds it.",
    hint: "Choose another `sandbox`, or leave the key out.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_MODELS_MISSING: {
    what: (d: { stage: string; agent: string }) =>
      `Stage "${d.stage}" uses the agent "${d.agent}", which calls models, and does not say how much it may spend.`,
    why: "A plan has a worst case, and an agent without a budget has none.",
    hint: "Write `models: { tokens: 200k, usd: 2 }` on the stage, with figures of your own.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_KEY_IGNORED: {
    what: (d: { stage: string; agent: string; key: string }) =>
      `The agent "${d.agent}" does not heed \`${d.key}\` (stage "${d.stage}").`,
    why: "It does what stands in its script or plan; the key would have no effect.",
    hint: (d: { key: string }) =>
      `Leave \`${d.key}\` out, or \`use\` an agent that works with a model, such as \`model\` or \`claude\`.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_SETTINGS_NOT_MAP: {
    what: (d: { stage: string }) => `The settings of the agent are not a map (stage "${d.stage}").`,
    why: "Settings are read by name, and must be known before the run.",
    hint: "Write `with` as a map of names and values.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_SETTING_UNKNOWN: {
    what: (d: { stage: string; agent: string; setting: string; near: string | null }) =>
      `The agent "${d.agent}" has no setting "${d.setting}" (stage "${d.stage}").`,
    why: "A setting that the agent does not read would have no effect.",
    hint: (d: { near: string | null }) => suggest(d.near, "Leave it out."),
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_SETTING_MISSING: {
    what: (d: { stage: string; agent: string; setting: string; summary: string }) =>
      `The agent "${d.agent}" needs "${d.setting}" (stage "${d.stage}").`,
    why: "The agent cannot work without it.",
    hint: (d: { setting: string; summary: string }) => `Add \`${d.setting}\`: ${d.summary}`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_RULE_UNENFORCEABLE: {
    what: (d: { stage: string; agent: string; power: string; oversight: string; rule: string; effect: string }) =>
      `Rule ${d.rule} says ${d.effect} about ${d.power}, but that of the agent "${d.agent}" is only ${d.oversight} (stage "${d.stage}").`,
    why: "The agent does it without asking us first, so that nobody could keep the rule.",
    hint: "Use an agent that mediates it (`pawl doctor` says which do), or take the rule out and let the wall bound it.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_TOOLSET_UNENFORCEABLE: {
    what: (d: { stage: string; agent: string; power: string; oversight: string; toolset: string }) =>
      `Toolset "${d.toolset}" has no ${d.power}, but that of the agent "${d.agent}" is only ${d.oversight} (stage "${d.stage}").`,
    why: "The agent does it without asking us first, so that nobody could hold it to the toolset.",
    hint: "Use an agent that mediates it (`pawl doctor` says which do), or another toolset.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_POWER_PARTIAL: {
    what: (d: { stage: string; agent: string; power: string; oversight: string; whole: string }) =>
      `Policy does not allow all of ${d.power}, and that of the agent "${d.agent}" is only ${d.oversight} (stage "${d.stage}").`,
    why: "The agent does it without asking us first, so that what no rule allows could not be denied.",
    hint: (d: { whole: string }) =>
      `Allow ${d.whole}, because the wall bounds it, or use an agent that mediates it (\`pawl doctor\` says which do).`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_AGENT_HOST_UNALLOWED: {
    what: (d: { stage: string; agent: string; host: string }) =>
      `Stage "${d.stage}" lets the agent "${d.agent}" reach ${d.host}, which policy does not allow.`,
    why: "The agent does not ask us before it reaches out: what the wall lets through must be allowed.",
    hint: (d: { host: string }) => `Allow { fetch: "${d.host}" }, or take the host out of \`network\`.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_CHILD_WORKSPACE: {
    what: (d: { stage: string; child: string; parent: string }) =>
      `Stage "${d.stage}" runs "${d.child}", whose \`workspace\` is not that of "${d.parent}".`,
    why: "A child run goes on with the tree of its parent, and hands its own tree back.",
    hint: "Write the same `workspace` in both blueprints.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_ACTION_UNKNOWN: {
    what: (d: { stage: string; action: string; near: string | null }) =>
      `Stage "${d.stage}" calls the action "${d.action}", which is not registered.`,
    why: "Only registered actions can be called.",
    hint: (d: { near: string | null }) => suggest(d.near, "Register the action, or use a command."),
    retry: "after_change",
    exit: 3,
  },
  PLAN_UNPROTECT_UNKNOWN: {
    what: (d: { name: string; near: string | null }) => `"${d.name}" is no built-in protected path.`,
    why: "What was meant to be taken off would stay protected.",
    hint: (d: { near: string | null }) => suggest(d.near, "`pawl plan --json` lists the paths as `protect`."),
    retry: "after_change",
    exit: 3,
  },
  PLAN_GATE_TREELESS: {
    what: (d: { stage: string; by: string }) =>
      `Gate "${d.stage}" judges by ${d.by}, and the workspace is the project folder itself.`,
    why: "It compares with the tree that the run began with, and the project folder keeps none.",
    hint: "Use `workspace: clone`, or a gate with a command.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_ACTION_LEVEL: {
    what: (d: { stage: string; action: string; needs: string; level: string }) =>
      `Stage "${d.stage}" calls the action "${d.action}", which needs level ${d.needs}, and the ceiling is ${d.level}.`,
    why: "The action would refuse, after everything before it was done and paid for.",
    hint: (d: { needs: string }) =>
      `Use \`--level ${d.needs}\`, or write \`level: ${d.needs}\` on the stage: then a run below that level ends before it.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_ACTION_INPUT_UNKNOWN: {
    what: (d: { stage: string; action: string; member: string; near: string | null }) =>
      `Action "${d.action}" takes no "${d.member}" (stage "${d.stage}").`,
    why: "A value that the action does not read would have no effect.",
    hint: (d: { near: string | null }) => suggest(d.near, "Leave it out."),
    retry: "after_change",
    exit: 3,
  },
  PLAN_ACTION_INPUT_MISSING: {
    what: (d: { stage: string; action: string; member: string; summary: string }) =>
      `Action "${d.action}" needs "${d.member}" (stage "${d.stage}").`,
    why: "The action cannot work without it.",
    hint: (d: { member: string; summary: string }) => `Add \`${d.member}\` below \`with\`: ${d.summary}`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_ACTION_INPUT_NOT_MAP: {
    what: (d: { stage: string; action: string }) =>
      `The input of action "${d.action}" is not a map (stage "${d.stage}").`,
    why: "An action reads its input by name.",
    hint: "Write `with` as a map of names and values.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_EFFECT_WEAKENED: {
    what: (d: { stage: string; action: string; declared: string; written: string }) =>
      `Stage "${d.stage}" says \`${d.written}\`, but action "${d.action}" is \`${d.declared}\`.`,
    why: "After a crash the stage would be repeated more freely than the action can bear.",
    hint: (d: { declared: string }) => `Write \`effect: ${d.declared}\`, or leave \`effect\` out.`,
    retry: "after_change",
    exit: 3,
  },
  PLAN_STAGE_TAINTED: {
    what: (d: { stage: string; wants: string; way: string }) =>
      `Stage "${d.stage}" says \`${d.wants}\`, but it reads third-party text: ${d.way}.`,
    why: "Whoever wrote that text could tell the stage what to write and where to send it.",
    hint: "Put an approval gate on every way between them, leave the key out, or write `untrusted: false` on a source that you trust.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_ACTION_TAINTED: {
    what: (d: { stage: string; action: string; way: string }) =>
      `Action "${d.action}" of stage "${d.stage}" is given third-party text: ${d.way}.`,
    why: "Whoever wrote that text would decide what the action changes outside the run.",
    hint: "Put an approval gate on every way between them, or give the action text of your own.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_EFFECT_FIXED: {
    what: (d: { stage: string; kind: string; fixed: string; written: string }) =>
      `Stage "${d.stage}" says \`effect: ${d.written}\`, but a ${d.kind} stage is always \`${d.fixed}\`.`,
    why: "What is repeated after a crash is decided by the stages inside it.",
    hint: "Leave `effect` out here and write it on the stages inside.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_CHILD_NOT_FOUND: {
    what: (d: { stage: string; child: string }) =>
      `Stage "${d.stage}" runs the blueprint "${d.child}", which was not found.`,
    why: "A plan holds the plans of all its children, so that it cannot change while it runs.",
    hint: "Give the path relative to the file that names it.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_CHILD_RECURSIVE: {
    what: (d: { stage: string; chain: string }) => `Stage "${d.stage}" makes a blueprint run itself: ${d.chain}.`,
    why: "Such a run would have no end and no worst case.",
    hint: "Use a route back to an earlier stage, with a cap, in place of the child run.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_CHILD_TOO_DEEP: {
    what: (d: { stage: string; most: number }) => `Stage "${d.stage}" would nest child runs more than ${d.most} deep.`,
    why: "Each child plan is stored inside the plan that runs it.",
    hint: "Nest less deeply.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_CHILDREN_TOO_MANY: {
    what: (d: { blueprint: string; most: number }) =>
      `Blueprint "${d.blueprint}" holds more than ${d.most} child plans, nested ones counted.`,
    why: "Each child plan is stored inside the plan that runs it.",
    hint: "Nest less deeply, or run fewer different blueprints.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_CYCLE_UNBOUNDED: {
    what: (d: { cycle: string }) => `Nothing ends the cycle ${d.cycle}.`,
    why: "Every plan must have a worst case; this one could run, and spend, without end.",
    hint: "Set `limits.rounds` or `limits.stages`, or `max_visits` on a stage of the cycle.",
    retry: "after_change",
    exit: 3,
  },
  PLAN_BOUND_TOO_LARGE: {
    what: (d: { blueprint: string; measure: string }) =>
      `The worst case of blueprint "${d.blueprint}" has no usable number of ${d.measure}.`,
    why: "It is too large to be counted exactly, so it is no bound.",
    hint: "Lower the attempts, visits, items or timeouts, or set `limits`.",
    retry: "after_change",
    exit: 3,
  },
} as const satisfies Catalogue;
