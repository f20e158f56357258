/** Makes certificates and checks them: reads the journal, asks the vault about the trees, signs and stores. */
import { isPawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import {
  type Built,
  buildCertificate,
  certificateText,
  checkCertificate,
  type Judgement,
} from "../../gates/certificate/certificate.ts";
import { renderSummary, renderTrailer } from "../../gates/certificate/render.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Trees } from "../../ports/trees.ts";
import type { Certifier } from "../../ports/trust/certifier.ts";
import type { Signer } from "../../ports/trust/signer.ts";
import type { CertificateRef, EventOf, StoredEvent } from "../../run/events.ts";
import { type Certifiable, certifiable, eventsUntil, type Moment, momentOf } from "../../run/record/certified.ts";
import { readPast } from "../past.ts";
import type { CertificateCheck, CertificateReport } from "../runtime.ts";

export interface CertifyParts {
  readonly trees: Pick<Trees, "oid" | "hashes">;
  readonly artifacts: Pick<Artifacts, "put" | "get">;
  readonly signer: Signer;
}

type Journals = Pick<Store, "runs" | "journal">;

export function createCertifier(parts: CertifyParts, store: Journals): Certifier {
  const { artifacts, signer } = parts;
  return {
    async certify(run, moment) {
      const { plan, stored } = await readPast(store, run);
      const built = await buildAt(parts, plan, stored, moment);
      if (built === null) return null;
      for (const list of built.lists) await artifacts.put(bytesOf(list));
      const bytes = bytesOf(certificateText(built.certificate));
      const { sha256, bytes: length } = await artifacts.put(bytes);
      const { key, value } = await signer.sign(bytes);
      return {
        ref: { sha256, bytes: length, key, signature: value },
        trailer: renderTrailer(sha256),
        summary: renderSummary(built.certificate, sha256),
      };
    },
  };
}

async function buildAt(
  parts: CertifyParts,
  plan: Plan,
  stored: readonly StoredEvent[],
  moment: Moment,
): Promise<Built | null> {
  const count = eventsUntil(stored, moment);
  const said = count === null ? null : certifiable(plan, stored.slice(0, count));
  return said === null ? null : buildCertificate(await complete(parts, said));
}

async function complete({ trees, artifacts }: CertifyParts, said: Certifiable) {
  const { base, candidate, gates } = said;
  const name = async (tree: string) => ({ tree, oid: await trees.oid(tree) });
  const judged: Judgement[] = [];
  for (const gate of gates) judged.push({ ...gate, results: await resultsOf(artifacts, gate.artifacts["results"]) });
  return {
    ...said,
    base: await name(base),
    candidate: await name(candidate),
    gates: judged,
    verifiers: await trees.hashes(base, said.plan.protect),
  };
}

async function resultsOf(artifacts: CertifyParts["artifacts"], digest: string | undefined): Promise<JsonValue> {
  if (digest === undefined) return null;
  return JSON.parse(new TextDecoder().decode(await artifacts.get(digest))) as JsonValue;
}

/** Checks every certificate that the journal of a run names. */
export async function checkCertificates(
  parts: CertifyParts,
  store: Journals,
  run: RunId,
): Promise<readonly CertificateReport[]> {
  const { plan, stored } = await readPast(store, run);
  const reports: CertificateReport[] = [];
  for (const { event } of stored) {
    if (event.type !== "run.finished" && event.type !== "stage.finished") continue;
    const { certificate } = event;
    if (certificate === undefined) continue;
    const stage = event.type === "stage.finished" ? event.stage : null;
    const checks = await checkOne(parts, { plan, stored, event }, certificate);
    reports.push({ sha256: certificate.sha256, stage, ok: checks.every(({ ok }) => ok), checks });
  }
  return reports;
}

interface Named {
  readonly plan: Plan;
  readonly stored: readonly StoredEvent[];
  readonly event: EventOf<"run.finished" | "stage.finished">;
}

async function checkOne(
  parts: CertifyParts,
  { plan, stored, event }: Named,
  { sha256, key, signature }: CertificateRef,
): Promise<readonly CertificateCheck[]> {
  const { artifacts, signer, trees } = parts;
  const bytes = await attempt(artifacts.get(sha256));
  if ("problem" in bytes) return [{ name: "stored", ok: false, detail: bytes.problem }];
  const signed = await attempt(signer.verify(bytes.value, { key, value: signature }));
  const built = await attempt(buildAt(parts, plan, stored, momentOf(stored, event)));
  const isSigned = "value" in signed && signed.value;
  const differences = "problem" in built ? [built.problem] : differencesOf(bytes.value, built.value);
  const tree = await attempt(trees.oid(candidateOf(bytes.value)));
  return [
    { name: "stored", ok: true, detail: `sha256:${sha256}` },
    {
      name: "signature",
      ok: isSigned,
      detail: isSigned ? `by the key of this project, ${key}` : "not by the key of this project",
    },
    {
      name: "journal",
      ok: differences.length === 0,
      detail: differences.length === 0 ? "built again from the journal, it is the same" : differences.join("; "),
    },
    { name: "tree", ok: "value" in tree, detail: "value" in tree ? `the vault holds ${tree.value}` : tree.problem },
  ];
}

function differencesOf(bytes: Uint8Array, built: Built | null): readonly string[] {
  if (built === null) return ["the journal tells of no tree that every gate has passed"];
  return checkCertificate(new TextDecoder().decode(bytes), built.certificate);
}

/** The tree that the certificate itself names; what cannot be read names none. */
function candidateOf(bytes: Uint8Array): string {
  try {
    const { candidate } = JSON.parse(new TextDecoder().decode(bytes)) as { candidate?: { tree?: unknown } };
    return typeof candidate?.tree === "string" ? candidate.tree : "";
  } catch {
    return "";
  }
}

/** What a port refuses is a finding; anything else is a defect and is thrown. */
async function attempt<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly problem: string }> {
  try {
    return { value: await work };
  } catch (error) {
    if (isPawlError(error)) return { problem: error.message };
    throw error;
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
