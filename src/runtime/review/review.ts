/**
 * A run so far for whoever reviews it. All of it is told as of the moment at which the stage was first begun on this visit, so that
 * every attempt of it leaves the same bytes.
 */
import { sha256 } from "../../base/digest.ts";
import { pawlError } from "../../base/errors.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ActionContext, ActionReport } from "../../ports/actions.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Trees } from "../../ports/trees.ts";
import type { Certified } from "../../ports/trust/certifier.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { ArtifactRef, StoredEvent } from "../../run/events.ts";
import { eventsUntil } from "../../run/record/certified.ts";
import { type ChangedPath, renderRunSummary } from "../../run/record/render-summary.ts";
import { type GateSummary, type RunSummary, summarize } from "../../run/record/run-summary.ts";
import { readPast } from "../past.ts";
import { artifactFiles } from "../projections/artifact-files.ts";
import type { Runtime } from "../runtime.ts";
import { type TarFile, tarOf } from "./tar.ts";

export interface ReviewParts {
  readonly trees: Pick<Trees, "changes" | "diff">;
  readonly artifacts: Pick<Artifacts, "put" | "get">;
  /** Asked when a run comes to such a stage, and not before. */
  past(): Pick<Runtime, "row" | "plan" | "read">;
}

/** A change that is not there in full is not there for a reviewer. */
const MOST_PATCH_BYTES = 64 << 20;
/** Of logs and reports of all gates together; what is beyond is named. */
const MOST_EVIDENCE_BYTES = 64 << 20;
const MOST_STAGE = 48;

interface Told {
  readonly summary: RunSummary;
  readonly changes: readonly ChangedPath[] | null;
}

export async function summarizeRun(parts: ReviewParts, context: ActionContext): Promise<ActionReport> {
  const { artifacts } = parts;
  const told = await tellOf(parts, context);
  const summary = await artifacts.put(bytesOf(renderRunSummary(told.summary, told.changes)));
  const data = await artifacts.put(bytesOf(canonical(dataOf(told))));
  return { ok: true, output: figuresOf(told), artifacts: { summary, data } };
}

export async function prepareBundle(parts: ReviewParts, context: ActionContext): Promise<ActionReport> {
  const { artifacts, trees } = parts;
  const told = await tellOf(parts, context);
  const { run, base, tree, gates } = told.summary;
  if (base === null || tree === null) throw pawlError(RUN_ERRORS, "RUN_TREE_MISSING", { run });
  const { patch, truncated } = await trees.diff(base, tree, MOST_PATCH_BYTES);
  if (truncated)
    return { ok: false, error: `The change is larger than ${MOST_PATCH_BYTES} bytes: nobody reviews that.` };
  const certified = (await context.certificate?.()) ?? null;
  const evidence = await evidenceOf(artifacts, gates);
  const text = renderRunSummary(told.summary, told.changes);
  const files: readonly TarFile[] = [
    { name: "README.md", bytes: bytesOf(readmeOf(text, certified, evidence.leftOut)) },
    { name: "run.json", bytes: bytesOf(canonical(dataOf(told))) },
    { name: "change.patch", bytes: patch },
    ...evidence.files,
    ...(await certificateFiles(artifacts, certified)),
  ];
  const sums = files.map(({ name, bytes }) => `${sha256(bytes)}  ${name}\n`).join("");
  const bundle = await artifacts.put(tarOf([...files, { name: "SHA256SUMS", bytes: bytesOf(sums) }]));
  const stored = { bundle, diff: await artifacts.put(patch), summary: await artifacts.put(bytesOf(text)) };
  const output = { ...figuresOf(told), gates: gates.length, certificate: certified?.ref.sha256 ?? null };
  return { ok: true, output, artifacts: stored };
}

async function tellOf({ trees, past }: ReviewParts, { run, stage }: ActionContext): Promise<Told> {
  const { row, plan: planOf, read } = past();
  const { plan, stored } = await readPast({ runs: { get: row }, journal: { plan: planOf, read } }, run);
  const summary = summarize(
    plan,
    stored.slice(0, momentOf(stored, stage)).map(({ event }) => event),
  );
  const { base, tree } = summary;
  if (base === null || tree === null) return { summary, changes: null };
  const changes = await trees.changes(base, tree);
  return {
    summary,
    changes: changes.map(({ status, path, addedLines: added, deletedLines: removed }) => ({
      ...{ status, path, added, removed },
    })),
  };
}

/** What lies before the stage was first begun on the visit that is under way. */
function momentOf(stored: readonly StoredEvent[], stage: string): number {
  const begun = stored.findLast(({ event }) => event.type === "stage.started" && event.stage === stage)?.event;
  if (begun?.type !== "stage.started") return stored.length;
  return (eventsUntil(stored, { stage, visit: begun.visit }) as number) - 1;
}

function figuresOf({ summary, changes }: Told): JsonObject {
  const { run, round, verified, stages, cost } = summary;
  const sum = (name: "added" | "removed"): number => (changes ?? []).reduce((all, each) => all + (each[name] ?? 0), 0);
  return {
    ...{ run, round, verified, ...cost },
    stages: stages.length,
    files: changes?.length ?? 0,
    ...{ added: sum("added"), removed: sum("removed") },
  };
}

function dataOf({ summary, changes }: Told): JsonObject {
  return { ...(summary as unknown as JsonObject), changes: changes as unknown as JsonValue };
}

interface Evidence {
  readonly files: readonly TarFile[];
  /** What did not fit, by its digest. */
  readonly leftOut: readonly string[];
}

async function evidenceOf(artifacts: ReviewParts["artifacts"], gates: readonly GateSummary[]): Promise<Evidence> {
  const files: TarFile[] = [];
  const leftOut: string[] = [];
  let left = MOST_EVIDENCE_BYTES;
  for (const [index, gate] of gates.entries()) {
    const folder = `gates/${index + 1}-${gate.stage.slice(0, MOST_STAGE)}`;
    const { log, artifacts: kept } = gate;
    files.push({ name: `${folder}/verdict.json`, bytes: bytesOf(canonical(gate as unknown as JsonObject)) });
    for (const [name, ref] of namedIn(log, kept)) {
      if (ref.bytes > left) leftOut.push(`${folder}/${name}: sha256:${ref.sha256}, ${ref.bytes} bytes`);
      else files.push({ name: `${folder}/${name}`, bytes: await artifacts.get(ref.sha256) });
      if (ref.bytes <= left) left -= ref.bytes;
    }
  }
  return { files, leftOut };
}

/** Names that are short enough for an archive: a report may be called anything. */
function namedIn(
  log: ArtifactRef | null,
  kept: Readonly<Record<string, ArtifactRef>>,
): readonly (readonly [string, ArtifactRef])[] {
  const others = [...artifactFiles(kept)].map(
    ([name, ref], index) => [`${index + 1}-${name.slice(-20)}`, ref] as const,
  );
  return [...(log === null ? [] : [["log", log] as const]), ...others];
}

async function certificateFiles(
  artifacts: ReviewParts["artifacts"],
  certified: Certified | null,
): Promise<readonly TarFile[]> {
  if (certified === null) return [];
  const { sha256: digest, key, signature } = certified.ref;
  return [
    { name: "certificate.json", bytes: await artifacts.get(digest) },
    { name: "certificate.signature.json", bytes: bytesOf(canonical({ sha256: digest, key, signature })) },
  ];
}

function readmeOf(summary: string, certified: Certified | null, leftOut: readonly string[]): string {
  const proof = certified?.summary ?? "There is no certificate: no gate has passed exactly this tree.";
  const parts = [
    `- \`change.patch\`: everything that the run has changed`,
    `- \`run.json\`: this page as data`,
    `- \`gates/\`: what each gate said last, its log and its reports`,
    ...(certified === null ? [] : [`- \`certificate.json\`, \`certificate.signature.json\`: the certificate so far`]),
    `- \`SHA256SUMS\`: for \`sha256sum -c\``,
    ...leftOut.map((line) => `- left out: ${line}`),
  ];
  return `# Review\n\n${summary}\n${proof}\n\n## What is here\n\n${parts.join("\n")}\n`;
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
