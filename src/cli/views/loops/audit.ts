/** An audit as text: every point with its reason, then what is wrong. */
import type { AuditReport } from "../../../runtime/audit/audit-report.ts";
import type { Paint } from "../../output.ts";
import { oneLine } from "../event-line.ts";

export function renderAudit(
  { readiness, drift, rot }: Omit<AuditReport, "problems" | "sources">,
  paint: Paint,
): string[] {
  const { score, level, points, lacking } = readiness;
  return [
    `readiness ${paint.bold(String(score))} of 100: ${paint.bold(level)}`,
    ...points.map(({ name, points: got, most, why }) => {
      const count = `${String(got).padStart(4)} of ${String(most).padStart(2)}`;
      return `${got === most ? paint.green(count) : paint.yellow(count)}  ${name.padEnd(12)}  ${oneLine(why)}`;
    }),
    ...lacking.map(({ level: wanted, what }) => `  ${paint.yellow("missing")} for ${wanted}: ${oneLine(what)}`),
    ...titled(
      "The files disagree:",
      drift.map(({ where, what, hint }) => [`${oneLine(where)}: ${oneLine(what)}`, oneLine(hint)]),
      paint,
    ),
    ...titled(
      "Not acted on any more:",
      rot.map(({ where, id, why }) => [`${oneLine(where)}: ${oneLine(id)}: ${oneLine(why)}`]),
      paint,
    ),
  ];
}

function titled(title: string, findings: readonly (readonly string[])[], paint: Paint): readonly string[] {
  if (findings.length === 0) return [];
  return [
    "",
    title,
    ...findings.flatMap(([what = "", hint]) => [
      `  ${what}`,
      ...(hint === undefined ? [] : [`    ${paint.cyan(hint)}`]),
    ]),
  ];
}
