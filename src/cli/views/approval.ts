/** Questions as text: a line for each in a list, and one of them in full, with everything that changes. */
import { visible } from "../../base/visible.ts";
import type { ShownChange, ShownFile } from "../../gates/shown/shown-change.ts";
import type { Approval } from "../../run/approval/approvals.ts";
import type { ApprovalDetail } from "../../runtime/trust/approvals.ts";
import type { Paint } from "../output.ts";
import { oneLine } from "./event-line.ts";
import { countOf, formatAge, formatElapsed, formatTime } from "./text/format-time.ts";
import { renderLabelled, renderTable } from "./text/table.ts";

export function renderApprovals(
  details: readonly ApprovalDetail[],
  paint: Paint,
  options: { readonly now: number; readonly columns: number },
): string[] {
  const rows = details.map(({ approval, change }) => [
    approval.id,
    { text: approval.status, paint: statusPaint(approval, paint) },
    oneLine(approval.stage),
    oneLine(approval.why),
    formatAge(approval.askedAt, options.now),
    expiresIn(approval, options.now),
    inShort(change),
  ]);
  const head = ["id", "status", "stage", "question", "asked", "expires in", "changes"];
  return renderTable({ head, rows, whole: 1 }, options.columns, paint.dim);
}

function statusPaint({ status }: Approval, paint: Paint): (text: string) => string {
  if (status === "pending") return paint.yellow;
  return status === "approved" ? paint.green : paint.red;
}

function expiresIn({ status, expiresAt }: Approval, now: number): string {
  if (status !== "pending" || expiresAt === null) return "-";
  return formatElapsed(Math.max(0, expiresAt - now));
}

function inShort(change: ShownChange | null): string {
  if (change === null) return "-";
  const files = countOf(change.entries, "file");
  return change.complete ? `${files} +${change.added} -${change.removed}` : `${files}, not all can be shown`;
}

/** Everything a person must have seen; nothing is cut. */
export function renderApproval({ approval, change }: ApprovalDetail, paint: Paint, now: number): string[] {
  const { id, run, blueprint, stage, visit, status, why, commit, base, plan, policy, request, rule, answer } = approval;
  const facts: (readonly [string, string])[] = [
    ["question", `${paint.bold(id)} ${statusPaint(approval, paint)(status)}`],
    ["asks", visible(why)],
    ["run", `${run} of ${oneLine(blueprint)}`],
    ["stage", `${oneLine(stage)}${visit > 1 ? `, visit ${visit}` : ""}`],
    ["asked", `${formatTime(approval.askedAt)} UTC, ${formatAge(approval.askedAt, now)}`],
  ];
  if (approval.expiresAt !== null) facts.push(["expires", `${formatTime(approval.expiresAt)} UTC`]);
  if (answer !== null)
    facts.push([
      "answer",
      `${oneLine(answer.answer)} by ${oneLine(answer.by)}${answer.why === null ? "" : `: ${visible(answer.why)}`}`,
    ]);
  facts.push(["plan", plan], ["policy", policy]);
  if (rule !== null) facts.push(["rule", oneLine(rule)]);
  if (commit !== null)
    facts.push(["commit", commit === base ? `${commit}, as the run began` : `${commit}, from ${base}`]);
  const lines = renderLabelled(facts, paint.dim);
  if (request !== null) lines.push("", ...visible(JSON.stringify(request, null, 2), { newlines: true }).split("\n"));
  return change === null ? lines : [...lines, "", ...renderChange(change, paint)];
}

function renderChange(change: ShownChange, paint: Paint): string[] {
  const lines = [`${countOf(change.entries, "changed path")}, +${change.added} -${change.removed}`];
  for (const reason of change.reasons) lines.push(paint.red(`not shown: ${oneLine(reason)}`));
  for (const file of change.files) lines.push("", ...renderFile(file, paint));
  return lines;
}

function renderFile(file: ShownFile, paint: Paint): string[] {
  const { status, path, oldPath, oldMode, newMode, flags, link, submodule, binary, hunks } = file;
  const modes = oldMode === newMode ? newMode : `${oldMode} → ${newMode}`;
  const name = oldPath === null ? path : `${oldPath} → ${path}`;
  const lines = [`${paint.bold(`${status.replace("_", " ")}  ${name}`)}  ${paint.dim(modes)}`];
  if (flags.length > 0)
    lines.push(paint.yellow(`  look twice: ${flags.map((flag) => flag.replace("_", " ")).join(", ")}`));
  if (link !== null) lines.push(`  link: ${link.from ?? "none"} → ${link.to ?? "none"}`);
  if (submodule !== null) lines.push(`  submodule: ${submodule.from ?? "none"} → ${submodule.to ?? "none"}`);
  if (binary !== null) lines.push(`  binary: ${binary.removed} bytes go, ${binary.added} bytes come`);
  for (const hunk of hunks) lines.push(paint.cyan(hunk.head), ...hunk.lines.map((line) => paintLine(line, paint)));
  return lines;
}

function paintLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint.green(line);
  return line.startsWith("-") ? paint.red(line) : line;
}
