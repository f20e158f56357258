/** A certificate for people: the trailer of a commit, and a part of the body of a pull request. */
import { markdownLine } from "../../base/text/markdown.ts";
import { formatUsd } from "../../base/usage.ts";
import type { Certificate, GateEntry } from "./certificate.ts";
import { lengthOf, type TestList } from "./test-evidence.ts";

const TRAILER = "Pawl-Certificate";

/** `digest`: of the text of the certificate. */
export function renderTrailer(digest: string): string {
  return `${TRAILER}: sha256:${digest}`;
}

const LONGEST = 120;
const MOST_LINES = 40;

/** Markdown for the body of a pull request. No text in it links, mentions, notifies or is read as HTML. */
export function renderSummary(certificate: Certificate, digest: string): string {
  const { claim, gates, approvals, cost, candidate } = certificate;
  const lines = [
    "### Verified by Pawl",
    "",
    `Blueprint ${plain(claim.blueprint)} at level ${claim.level}, run ${plain(claim.run)}. ${verdictOf(gates)}, for exactly this tree${treeOf(candidate)}.`,
    "",
    "| gate | judged by | verdict | evidence |",
    "|---|---|---|---|",
    ...cut(gates.map(gateRow), (more) => `| and ${more} more | | | |`),
    "",
    ...cut(
      approvals.map(({ stage, answer, by }) => `- ${plain(stage)}: ${plain(answer)} by ${plain(by)}`),
      (more) => `- and ${more} more answers`,
    ),
    ...(claim.unearned === null
      ? []
      : [`- Ran above its earned level: ${plain(claim.unearned.by)} said ${plain(claim.unearned.why)}`]),
    ...(approvals.length === 0 && claim.unearned === null ? [] : [""]),
    `Cost: ${cost.stages} stage starts, ${Math.round(cost.wallMs / 1000)} s, ${cost.tokens} tokens, ${formatUsd(cost.microUsd)}.`,
    "",
    `Certificate \`sha256:${digest}\`. Check it with \`pawl verify ${claim.run.replace(/[^A-Za-z0-9_-]/g, "")}\`.`,
  ];
  return lines.join("\n");
}

function verdictOf(gates: readonly GateEntry[]): string {
  return gates.every(({ verdict }) => verdict === "pass")
    ? "Every gate passed"
    : "Every gate passed, or a person settled what it asked";
}

function treeOf({ oid }: Certificate["candidate"]): string {
  return oid === undefined ? "" : ` (\`${oid.replace(/[^0-9a-f]/g, "").slice(0, 12)}\`)`;
}

function gateRow(gate: GateEntry): string {
  return `| ${plain(gate.stage)} | ${plain(gate.by)} | ${plain(gate.verdict)} | ${evidenceOf(gate)} |`;
}

const TOLD: readonly (readonly [TestList, string])[] = [
  ["fixed", "fixed"],
  ["oldFailures", "failed before and still do"],
  ["flaky", "flaky"],
  ["added", "new"],
];

function evidenceOf({ tests, exit }: GateEntry): string {
  if (tests === null) return exit === null ? "" : `exit ${exit}`;
  const counts = tests.counts as Readonly<Record<string, unknown>>;
  // A verdict may name fewer tests than it counts.
  const lists = TOLD.map(([name, word]) => [Number(counts[name] ?? lengthOf(tests[name])), word] as const);
  return [
    ...["passed", "failed", "skipped"].map((word) => `${Number(counts[word] ?? 0)} ${word}`),
    ...lists.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`),
  ].join(", ");
}

function cut(lines: readonly string[], rest: (more: number) => string): readonly string[] {
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), rest(lines.length - MOST_LINES)];
}

function plain(text: string): string {
  return markdownLine(text, LONGEST);
}
