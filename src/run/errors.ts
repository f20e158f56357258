/** RUN_*: why a run cannot be started, resumed, cancelled or found. */
import type { Catalogue } from "../base/diagnostic.ts";

export const RUN_ERRORS = {
  RUN_NOT_FOUND: {
    what: (d: { run: string }) => `no run is called "${d.run}"`,
    why: "Nothing can be shown or changed about a run that this project does not have.",
    hint: "List the runs with `pawl status`. A unique prefix of an id and `@last` work too.",
    retry: "after_change",
    exit: 3,
  },
  RUN_AMBIGUOUS: {
    what: (d: { run: string; matches: readonly string[] }) => `"${d.run}" could be ${d.matches.join(", ")}`,
    why: "Acting on the wrong run cannot be undone.",
    hint: "Give more characters of the id.",
    retry: "after_change",
    exit: 3,
  },
  RUN_ENDED: {
    what: (d: { run: string; status: string; reason: string }) => `run ${d.run} has ended: ${d.status} (${d.reason})`,
    why: "An ended run never changes again: its record is what people rely on.",
    hint: "Start a new run with `pawl run`.",
    retry: "never",
    exit: 3,
  },
  RUN_MENTIONED: {
    what: (d: { run: string }) => `run ${d.run} is in the journal, so its work is not discarded`,
    why: "Only what no journal mentions can be discarded one by one.",
    hint: "`pawl gc --older-than 30d` drops the trees of runs that ended long ago.",
    retry: "never",
    exit: 3,
  },
  RUN_KILLS_UNRECORDED: {
    what: (d: { problem: string }) =>
      `The kill switch is on, but the runs of this project could not be recorded as ended. ${d.problem}`,
    why: "Nothing begins or resumes while the switch is on, and a process that hosts a run stops it at once. Without the journal Pawl cannot check that every run has stopped.",
    hint: "`pawl recover` shows what is wrong and how to repair it; after that `pawl kill --all` records what is still open as killed. `pawl kill --release` switches it off, also without a journal.",
    retry: "after_change",
    exit: 1,
  },
  RUN_HELD: {
    what: (d: { run: string; pid: number; hostname: string }) =>
      `run ${d.run} is hosted by process ${d.pid} on ${d.hostname}`,
    why: "Two hosts of one run would repeat its effects.",
    hint: "Follow it with `pawl status RUN --watch`, or end it with `pawl cancel RUN`.",
    retry: "after_change",
    exit: 1,
  },
  RUN_KILL_SWITCH: {
    what: (d: { scope: string; by: string; why: string; source: string; since: string; isForeign: boolean }) =>
      `the kill switch is on${d.scope === "all" ? "" : ` for run ${d.scope}`} since ${d.since} (${d.source}, ${d.by}${d.why === "" ? "" : `: ${d.why}`})`,
    why: "While it is on nothing begins and nothing goes on. Only a person releases it.",
    hint: (d: { source: string; isForeign: boolean }) =>
      d.isForeign
        ? `Take the line out of ${d.source} to release it.`
        : `Release it with \`pawl kill --release\`, or remove ${d.source}.`,
    retry: "after_change",
    exit: 1,
  },
  RUN_NOT_HOSTED: {
    what: (d: { run: string; status: string }) => `run ${d.run} is ${d.status} and no process hosts it`,
    why: "Only a run that is under way can be asked to pause.",
    hint: "Nobody hosts it. Go on with `pawl resume RUN`, or end it with `pawl cancel RUN`.",
    retry: "after_change",
    exit: 3,
  },
  RUN_ANSWER_NEEDED: {
    what: (d: { run: string; stage: string; id: string; why: string; answers: readonly string[] }) =>
      `run ${d.run} waits for an answer about "${d.stage}": ${d.why}`,
    why: "Going on without the answer could do what nobody allowed, or do a thing twice.",
    hint: (d: { run: string; id: string; answers: readonly string[] }) =>
      d.answers.includes("approve")
        ? `See all of it with \`pawl approvals ${d.id}\`, then \`pawl approve ${d.id}\` or \`pawl deny ${d.id}\`.`
        : `Answer with \`pawl resume ${d.run} --answer ${d.answers.join("|")}\`.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_NOT_DUE: {
    what: (d: { run: string; reason: string; until: string }) => `run ${d.run} rests until ${d.until}: ${d.reason}`,
    why: "What was refused for now would only be refused again, and asking too early can make the wait longer.",
    hint: (d: { run: string }) =>
      `\`pawl resume ${d.run}\` waits for it, \`pawl resume ${d.run} --now\` tries at once.`,
    retry: "after_change",
    exit: 1,
  },
  RUN_ANSWER_UNKNOWN: {
    what: (d: { run: string; answer: string; answers: readonly string[] }) =>
      d.answers.length === 0
        ? `run ${d.run} has no open question that "${d.answer}" could answer`
        : `"${d.answer}" is not an answer to the open question of run ${d.run}`,
    why: "An answer is stored for good and decides what happens next.",
    hint: (d: { answers: readonly string[] }) =>
      d.answers.length === 0 ? "Resume it without --answer." : `Use one of: ${d.answers.join(", ")}.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_APPROVAL_NOT_FOUND: {
    what: (d: { id: string }) => `no question is called "${d.id}"`,
    why: "An answer belongs to one question of one run and counts for nothing else.",
    hint: "List the open questions with `pawl approvals`. A unique beginning of an id works too.",
    retry: "after_change",
    exit: 3,
  },
  RUN_APPROVAL_AMBIGUOUS: {
    what: (d: { id: string; matches: readonly string[] }) => `"${d.id}" could be ${d.matches.join(", ")}`,
    why: "An answer to the wrong question cannot be taken back.",
    hint: "Give more characters of the id.",
    retry: "after_change",
    exit: 3,
  },
  RUN_APPROVAL_OTHER_RUN: {
    what: (d: { id: string; run: string }) => `the question ${d.id} was not asked by run ${d.run}`,
    why: "What was allowed in one run is not allowed in another.",
    hint: (d: { run: string }) => `See what this run asks with \`pawl approvals ${d.run}\`.`,
    retry: "never",
    exit: 3,
  },
  RUN_APPROVAL_USED: {
    what: (d: { id: string; answer: string; by: string }) =>
      `the question ${d.id} was answered already: ${d.answer} by ${d.by}`,
    why: "An answer counts once; the first one has won.",
    hint: "See what became of it with `pawl approvals ID`.",
    retry: "never",
    exit: 3,
  },
  RUN_APPROVAL_EXPIRED: {
    what: (d: { id: string; run: string }) => `the question ${d.id} has expired`,
    why: "An answer that comes too late may be about a world that is gone.",
    hint: (d: { run: string }) => `Go on with \`pawl resume ${d.run}\` if its plan leads on, or start a new run.`,
    retry: "never",
    exit: 3,
  },
  RUN_APPROVAL_CANCELLED: {
    what: (d: { id: string }) => `nobody asks ${d.id} any more: its run went its way without an answer`,
    why: "There is nothing left that the answer could allow or stop.",
    hint: "See how the run ended with `pawl show RUN`.",
    retry: "never",
    exit: 3,
  },
  RUN_APPROVAL_CHANGED: {
    what: (d: { id: string; run: string }) => `what the question ${d.id} is about is not what it was when it was asked`,
    why: "An answer is for exactly the content that was shown: commit, plan, policy, stage and inputs.",
    hint: (d: { run: string }) =>
      `Look at it again with \`pawl approvals ${d.run}\`, and check the journal with \`pawl verify ${d.run}\`.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_APPROVAL_UNSHOWN: {
    what: (d: { id: string; reasons: readonly string[] }) =>
      `the change that ${d.id} is about cannot be shown in full: ${d.reasons.join("; ")}`,
    why: "Nobody can allow what they have not seen.",
    hint: (d: { id: string }) =>
      `See what can be shown with \`pawl approvals ${d.id}\`; deny it with \`pawl deny ${d.id}\`.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_LOST: {
    what: (d: { run: string }) => `another process has written to run ${d.run}`,
    why: "Only one host may decide for a run, so this one stopped without storing anything.",
    hint: "See what the other process did with `pawl show RUN`.",
    retry: "after_change",
    exit: 1,
  },
  RUN_SECRET_IN_PLAN: {
    what: (d: { plan: string }) => `the plan or the parameters of "${d.plan}" hold what looks like a secret`,
    why: "Plans and parameters are stored and shown as they are; a secret in them would leak.",
    hint: "Keep the secret in a file or a keyring, and let the command that needs it read it there.",
    retry: "after_change",
    exit: 3,
  },
  RUN_DANGER_REFUSED: {
    what: (d: { plan: string }) => `"${d.plan}" has stages that run without a sandbox`,
    why: "With danger_full_access a process can read your secrets and change anything on this machine.",
    hint: "Give those stages another `sandbox`, or start the run with `--danger-full-access`.",
    retry: "after_change",
    exit: 3,
  },
  RUN_LEVEL_PLANS: {
    what: (d: { plan: string }) => `"${d.plan}" is at L0, which plans and runs nothing.`,
    why: "A level is a ceiling, and L0 is below every effect.",
    hint: "See the plan with `pawl plan`, or run it at L1, which reports.",
    retry: "after_change",
    exit: 3,
  },
  RUN_LEVEL_UNEARNED: {
    what: (d: { plan: string; level: string; earned: string; missing: readonly string[] }) =>
      `"${d.plan}" has earned ${d.earned}, not ${d.level}. Missing: ${d.missing.join("; ")}`,
    why: "A level is earned by verified runs and drills of the very same gates, and lost by incidents.",
    hint: (d: { level: string; earned: string }) =>
      `Run it at ${d.earned} or below until the evidence is there (\`pawl level\` shows it), or say why not: \`--unearned "the reason"\`.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_LEVEL_LOST: {
    what: (d: { run: string; plan: string; level: string; earned: string; incident: string }) =>
      `run ${d.run} began at ${d.level}, and "${d.plan}" has lost that by incident ${d.incident} since: it has earned ${d.earned}`,
    why: "What an incident took away must not be used by a run that rested meanwhile.",
    hint: (d: { run: string }) =>
      `End it with \`pawl cancel ${d.run}\`; its work is kept. Or go on from one of its stages and say why: \`pawl fork ${d.run} <stage> --unearned "the reason"\`.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_STAGE_NOT_REACHED: {
    what: (d: { run: string; stage: string }) => `run ${d.run} has never begun a stage "${d.stage}"`,
    why: "A fork begins where the run began that stage; a diff shows what that stage changed.",
    hint: (d: { run: string }) => `See its stages with \`pawl show ${d.run}\`.`,
    retry: "after_change",
    exit: 3,
  },
  RUN_TREE_MISSING: {
    what: (d: { run: string }) => `run ${d.run} has no workspace of its own`,
    why: "Only a run that works in a clone or a worktree saves trees that can be compared.",
    hint: "Write `workspace: clone` in its blueprint and run it again.",
    retry: "after_change",
    exit: 3,
  },
  RUN_PLAN_MISSING: {
    what: (d: { run: string; plan: string }) => `the plan ${d.plan} of run ${d.run} is not in the journal`,
    why: "A run can only go on with exactly the plan it began with.",
    hint: "The journal was damaged or copied in part: restore it, then check it with `pawl verify --all`.",
    retry: "after_change",
    exit: 1,
  },
  RUN_DAMAGED: {
    what: (d: { run: string; seq: number; problem: string }) =>
      `the journal of run ${d.run} is damaged at event ${d.seq}: ${d.problem}`,
    why: "A run decides from its events alone, so one that was changed could let through what nobody allowed.",
    hint: (d: { run: string }) =>
      `Put .pawl/ back from a backup, then check it with \`pawl verify ${d.run}\`. The work that it saved is listed by \`pawl recover\`.`,
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;
