/** The route graph of a plan as a drawing for a terminal, and as Mermaid text for a page. */
import { visible, visibleLine } from "../../base/visible.ts";
import type { Plan, Target } from "../plan.ts";
import { describeTarget } from "./explain.ts";
import { explainJson, type StageRow } from "./view.ts";

const LONGEST_LINE = 60;

interface Edge {
  readonly outcomes: string;
  readonly target: Target;
}

/** Stages from top to bottom in the order written; an edge to the next stage falls straight down, `↺` leads back up. */
export function drawGraph(plan: Plan): string {
  const rows = explainJson(plan).stages;
  const stages = rows.filter((row) => row.routes.length > 0);
  const lines = ["    start", "    │", "    ▼"];
  stages.forEach((row, index) => {
    const members = rows.filter((other) => other.routes.length === 0 && other.stage.startsWith(`${row.stage}.`));
    lines.push(...box(row, members), ...edgeLines(edgesOf(row), stages[index + 1]?.stage));
  });
  return `${lines.join("\n")}\n`;
}

function box(row: StageRow, members: readonly StageRow[]): readonly string[] {
  const text = [
    `${visible(row.stage)} · ${row.kind}${row.visits > 1 ? ` · at most ${row.visits} visits` : ""}`,
    ...(row.title === null ? [] : [visibleLine(row.title, LONGEST_LINE)]),
    visibleLine(row.runs, LONGEST_LINE),
    ...members.map((member) => visibleLine(`· ${member.stage}: ${member.runs}`, LONGEST_LINE)),
  ];
  const width = text.reduce((widest, line) => Math.max(widest, line.length), 0);
  return [
    `┌─${"─".repeat(width)}─┐`,
    ...text.map((line) => `│ ${line.padEnd(width)} │`),
    `└───┬${"─".repeat(Math.max(0, width - 2))}┘`,
  ];
}

/** Outcomes that lead to the same place share an edge. */
function edgesOf(row: StageRow): readonly Edge[] {
  const edges = new Map<string, Edge>();
  for (const { outcome, target } of row.routes) {
    const key = describeTarget(target);
    const known = edges.get(key);
    edges.set(key, { outcomes: known === undefined ? outcome : `${known.outcomes}, ${outcome}`, target });
  }
  return [...edges.values()];
}

function edgeLines(edges: readonly Edge[], next: string | undefined): readonly string[] {
  const isDown = ({ target }: Edge): boolean => "to" in target && target.to === next;
  const down = edges.find(isDown);
  const aside = edges.filter((edge) => !isDown(edge));
  const lines = aside.map(({ outcomes, target }, index) => {
    const corner = down === undefined && index === aside.length - 1 ? "└" : "├";
    return `    ${corner}─ ${outcomes} ─▶ ${describeTarget(target)}`;
  });
  return down === undefined
    ? [...lines, ...(next === undefined ? [] : [""])]
    : [...lines, `    │ ${down.outcomes}`, "    ▼"];
}

/** A Mermaid flowchart; edges back are dotted. */
export function mermaid(plan: Plan): string {
  const rows = explainJson(plan).stages.filter((row) => row.routes.length > 0);
  const names = new Map(rows.map((row, index) => [row.stage, `s${index}`]));
  const ends = new Set<string>();
  const nameOf = (target: Target): string => {
    if ("to" in target) return names.get(target.to) as string;
    ends.add(target.end);
    return `e_${target.end}`;
  };
  const edges = rows.flatMap((row) =>
    row.routes.flatMap(({ outcome, target }) => arrows(names.get(row.stage) as string, outcome, target, nameOf)),
  );
  const nodes = rows.map(
    (row) =>
      `  ${names.get(row.stage)}["${plainText(row.stage)}<br/>${plainText(visibleLine(row.runs, LONGEST_LINE))}"]`,
  );
  const terminals = [...ends].map((end) => `  e_${end}(["${end}"])`);
  const first = `  start((" ")) --> ${names.get(plan.start)}`;
  return `${["flowchart TD", first, ...nodes, ...terminals, ...edges].join("\n")}\n`;
}

function arrows(from: string, outcome: string, target: Target, nameOf: (target: Target) => string): readonly string[] {
  if ("to" in target) {
    const to = nameOf(target);
    return [target.back ? `  ${from} -. "${outcome} ↺" .-> ${to}` : `  ${from} -- "${outcome}" --> ${to}`];
  }
  const label = target.cut === undefined ? outcome : `${outcome}, before ${plainText(target.cut)}`;
  const pause = `  ${from} -- "${label}" --> ${nameOf(target)}`;
  return target.resume === undefined ? [pause] : [pause, ...arrows(from, `${outcome}, resumed`, target.resume, nameOf)];
}

/** Mermaid reads markup and quotes in a label: all but plain characters go as their numbers. */
function plainText(text: string): string {
  return visible(text).replaceAll(/[^\p{L}\p{N} _.,:/=+@-]/gu, (char) => `#${char.codePointAt(0)};`);
}
