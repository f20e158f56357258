/** One run as text: how it stands, its stages, and exactly what a person can do next. */
import { formatBytes } from "../../base/size.ts";
import type { UnsavedWorkspace } from "../../ports/workspaces.ts";
import { isTerminal } from "../../run/reasons.ts";
import type { Paint } from "../output.ts";
import { oneLine, renderCause, statusColor } from "./event-line.ts";
import { renderUsage } from "./money/amounts.ts";
import { type AttemptStory, lastTrouble, type RunStory } from "./run-story.ts";
import { countOf, formatElapsed, formatTime } from "./text/format-time.ts";
import { type Cell, renderLabelled, renderTable } from "./text/table.ts";

/** A thing to do, and the line to type for it; `line` may be several lines of YAML. */
export interface NextStep {
  readonly say: string;
  readonly line: string;
}

export interface RunViewOptions {
  readonly now: number;
  readonly columns: number;
  /** Newest attempts to show; older ones are counted. */
  readonly most: number;
  /** false: the process that hosted the run is gone. */
  readonly hosted: boolean;
}

export function renderRun(story: RunStory, paint: Paint, options: RunViewOptions): string[] {
  const lines = [renderHeadline(story, paint, options.now), ""];
  lines.push(...renderAttempts(story, paint, options));
  lines.push(...renderKept(story.attempts.slice(-options.most), paint, options.columns));
  const facts: (readonly [string, string])[] = [
    ["blueprint", `${oneLine(story.blueprint)}  plan ${story.plan.slice(0, 12)}`],
    ["created", `${formatTime(story.createdAt)} UTC`],
  ];
  if (story.parent !== null) facts.push(["parent", `${story.parent.run} (${oneLine(story.parent.stage)})`]);
  if (story.drill) facts.push(["drill", `${oneLine(story.drill.id)}: its gates judge ${oneLine(story.drill.plant)}`]);
  if (story.unearned)
    facts.push([
      "unearned",
      `${oneLine(story.unearned.by)} let it run above its earned level: ${oneLine(story.unearned.why)}`,
    ]);
  if (story.certificate !== null) facts.push(["certified", `sha256:${story.certificate}`]);
  if (story.usage.tokens > 0 || story.usage.microUsd > 0)
    facts.push(["spent", `${renderUsage(story.usage)}${mergedText(story.merged)}`]);
  facts.push(["journal", countOf(story.events, "event")]);
  lines.push("", ...renderLabelled(facts, paint.dim));
  lines.push(...renderNext(nextSteps(story, options.hosted), paint));
  return lines;
}

function mergedText(merged: number): string {
  return merged === 0 ? "" : `, ${countOf(merged, "change")} merged`;
}

/** `run r_… succeeded: goal_achieved, 3 stages, 2.1s` */
export function renderHeadline(story: RunStory, paint: Paint, now: number): string {
  const took = formatElapsed((isTerminal(story.status) ? story.updatedAt : now) - story.createdAt);
  const parts = [
    `run ${paint.bold(story.run)} ${statusColor(story.status, paint)(story.status)}${story.reason === null ? "" : `: ${story.reason}`}`,
  ];
  if (story.detail !== null) parts.push(oneLine(story.detail));
  parts.push(countOf(new Set(story.attempts.map((attempt) => attempt.stage)).size, "stage"));
  if (story.round > 1) parts.push(countOf(story.round, "round"));
  parts.push(took);
  return parts.join(", ");
}

function renderAttempts(story: RunStory, paint: Paint, options: RunViewOptions): string[] {
  if (story.attempts.length === 0) return [paint.dim("no stage was started")];
  const shown = story.attempts.slice(-options.most);
  const lines =
    shown.length === story.attempts.length
      ? []
      : [paint.dim(`${countOf(story.attempts.length - shown.length, "earlier attempt")} not shown`)];
  const rows = shown.map((attempt) => renderAttempt(attempt, paint, options));
  return [
    ...lines,
    ...renderTable({ head: ["stage", "try", "outcome", "took", ""], rows }, options.columns, paint.dim),
  ];
}

function renderAttempt(attempt: AttemptStory, paint: Paint, options: RunViewOptions): (string | Cell)[] {
  const isOpen = attempt.state === "running" && options.hosted;
  const outcome = attempt.outcome ?? (attempt.state === "running" && !isOpen ? "lost" : attempt.state);
  const ended = isOpen ? paint.cyan : paint.red;
  return [
    oneLine(attempt.stage),
    attempt.visit > 1 ? `${attempt.visit}.${attempt.attempt}` : String(attempt.attempt || "-"),
    { text: oneLine(outcome), paint: attempt.cause === "ok" ? paint.green : ended },
    formatElapsed((attempt.endedAt ?? options.now) - attempt.startedAt),
    noteOf(attempt),
  ];
}

function noteOf(attempt: AttemptStory): string {
  const notes: string[] = [];
  if (attempt.error !== undefined) notes.push(oneLine(attempt.error));
  else if (attempt.cause !== null && attempt.cause !== "ok") {
    notes.push(renderCause({ cause: attempt.cause, exit: attempt.exit, signal: attempt.signal }));
  }
  if (attempt.child !== undefined) notes.push(`child run ${attempt.child}`);
  return notes.join("; ");
}

const MOST_KEPT_SHOWN = 20;

/** What stages were told to keep; artifacts with other names are for other stages. */
function renderKept(attempts: readonly AttemptStory[], paint: Paint, columns: number): string[] {
  const rows = attempts.flatMap(({ stage, artifacts = {} }) =>
    Object.entries(artifacts)
      .filter(([name]) => name.startsWith("./"))
      .map(([name, { bytes, sha256 }]) => [
        oneLine(stage),
        oneLine(name.slice(2)),
        formatBytes(bytes),
        sha256.slice(0, 12),
      ]),
  );
  const shown = rows.slice(-MOST_KEPT_SHOWN);
  const unkept = attempts.reduce((sum, attempt) => sum + (attempt.unkept ?? 0), 0);
  const lines =
    rows.length === 0
      ? []
      : ["", ...renderTable({ head: ["stage", "kept", "size", "sha256"], rows: shown }, columns, paint.dim)];
  if (rows.length > shown.length)
    lines.push(paint.dim(`${countOf(rows.length - shown.length, "earlier file")} not shown`));
  if (unkept > 0) lines.push(`${countOf(unkept, "file")} could not be kept: too many, too large, or no ordinary files`);
  return lines;
}

export function renderNext(steps: readonly NextStep[], paint: Paint): string[] {
  return steps.flatMap((step) => ["", `${step.say}:`, ...step.line.split("\n").map((line) => `  ${paint.cyan(line)}`)]);
}

/** What a person can do now, in the order of use. */
export function nextSteps(story: RunStory, hosted: boolean): readonly NextStep[] {
  const steps: NextStep[] = [];
  if (story.status === "waiting") steps.push(...waitSteps(story));
  if (story.status === "paused") steps.push({ say: "Go on", line: `pawl resume ${story.run}` });
  if ((story.status === "running" || story.status === "queued") && !hosted) {
    steps.push({ say: "No process hosts it now and nothing is lost. Go on", line: `pawl resume ${story.run}` });
  }
  if (story.status === "rejected" && story.denial !== null) steps.push(denialStep(story.denial));
  steps.push(...lookSteps(story), ...story.unsaved.map((left) => unsavedStep(story, left)), ...archiveSteps(story));
  return steps;
}

/** Nobody else says where these files are. */
function unsavedStep({ run, status }: RunStory, { folder, why, stage }: UnsavedWorkspace): NextStep {
  const files = `${filesOf(stage)} are in no saved tree`;
  if (why === "too_large")
    return { say: `${files}, because they are too large. Copy what you need, then delete the folder`, line: folder };
  const say = `${files}, because saving them was cut off: they are only in ${folder}. Save them`;
  return { say, line: isTerminal(status) ? "pawl gc" : `pawl resume ${run}` };
}

/** One command puts all of them on branches. */
function archiveSteps({ run, archives }: RunStory): NextStep[] {
  const last = archives.at(-1);
  if (last === undefined) return [];
  const others = archives.length === 1 ? "" : ` (the last of ${archives.length})`;
  const say = `${filesOf(last.stage)} that no saved tree can hold are in an archive in the vault${others}, commit ${last.commit.slice(0, 12)}. Put it on a branch`;
  return [{ say, line: `pawl recover ${run} --to-branches` }];
}

function filesOf(stage: string | null): string {
  return stage === null ? "The files that the run left" : `The files of stage ${oneLine(stage)}`;
}

function waitSteps(story: RunStory): NextStep[] {
  if (story.until === null) return answerSteps(story);
  const steps: NextStep[] = [
    { say: `It goes on at ${formatTime(story.until)} UTC. Wait for that`, line: `pawl resume ${story.run}` },
    { say: "Or try at once", line: `pawl resume ${story.run} --now` },
  ];
  return story.open.length === 0 ? steps : [...answerSteps(story), ...steps];
}

/** One question of each run is shown; `pawl approvals` lists them all. */
function answerSteps(story: RunStory): NextStep[] {
  const first = story.open.filter((question, at) => story.open.findIndex((other) => other.run === question.run) === at);
  const steps = first.map((question): NextStep => {
    const whose = question.run === story.run ? "" : ` of child run ${question.run}`;
    const request = question.request === null ? "" : ` about \`${oneLine(question.request)}\``;
    return {
      say: `Stage ${oneLine(question.stage)}${whose} asks${request}: ${sentence(oneLine(question.why))} Answer`,
      line: question.answers.map((answer) => answerLine(question, answer)).join("\n"),
    };
  });
  if (first.some((question) => question.run === story.run)) return steps;
  if (steps.length === 0) return [answeredStep(story)];
  return [...steps, { say: "Then go on", line: `pawl resume ${story.run}` }];
}

function answeredStep({ run, outlook }: RunStory): NextStep {
  const line = `pawl resume ${run}`;
  if (outlook === undefined) return { say: "Go on", line };
  const { isServed, refusal } = outlook;
  if (refusal !== null)
    return { say: `It was answered, and a server could not resume it: ${oneLine(refusal)} Resume it`, line };
  if (isServed)
    return { say: "It was answered, and a server resumes it. Watch it", line: `pawl status ${run} --watch` };
  return { say: "It was answered, and no server runs. Resume it", line };
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

const ANSWER_LINES: Readonly<Record<string, (id: string) => string>> = {
  approve: (id) => `pawl approvals ${id}   # everything that it would allow\npawl approve ${id}`,
  approve_run: (id) => `pawl approve ${id} --for-run`,
  deny: (id) => `pawl deny ${id} --why TEXT`,
};

function answerLine({ id, run }: { readonly id: string; readonly run: string }, answer: string): string {
  const line = Object.hasOwn(ANSWER_LINES, answer) ? ANSWER_LINES[answer] : undefined;
  return line === undefined ? `pawl resume ${run} --answer ${shellWord(answer)}` : line(id);
}

function denialStep(denial: {
  readonly rule: string;
  readonly request: { readonly [key: string]: unknown };
}): NextStep {
  if (denial.rule !== "default") {
    return {
      say: `The rule ${oneLine(denial.rule)} denies this, and a denial wins over any allowance. To permit it, change that rule`,
      line: patternOf(denial.request),
    };
  }
  return {
    say: "To permit exactly this, add to the policy of the blueprint",
    line: `policy:\n  allow:\n    - ${patternOf(denial.request)}`,
  };
}

/** The request as a rule pattern. JSON is YAML, so quoting is exact. */
function patternOf(request: { readonly [key: string]: unknown }): string {
  const kind = String(request["kind"]);
  const value = kind === "run" ? request["argv"] : kind === "shell" ? request["script"] : request[kind];
  return `{ ${kind}: ${oneLine(JSON.stringify(value ?? null)).replaceAll('","', '", "')} }`;
}

function lookSteps(story: RunStory): NextStep[] {
  const trouble = lastTrouble(story);
  if (isTerminal(story.status) && story.status !== "succeeded" && trouble !== undefined) {
    if (trouble.child !== undefined)
      return [{ say: "See what went wrong in the child run", line: `pawl show ${trouble.child}` }];
    if (trouble.log !== undefined)
      return [{ say: "See what it wrote", line: `pawl logs ${story.run} --stage ${shellWord(trouble.stage)}` }];
  }
  return story.attempts.some((attempt) => attempt.log !== undefined)
    ? [{ say: "Logs", line: `pawl logs ${story.run}` }]
    : [];
}

/** Quoted when a shell would read it as anything but itself. */
export function shellWord(text: string): string {
  const safe = oneLine(text);
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}
