/** Runs the contract of Certifier, and what is found about certificates that were tampered with. */
import { describe, expect, it } from "vitest";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createMemorySigner } from "../../src/adapters/memory/signer.ts";
import { sha256 } from "../../src/base/digest.ts";
import { pawlError } from "../../src/base/errors.ts";
import { canonical } from "../../src/base/json.ts";
import { WORKSPACE_ERRORS } from "../../src/ports/errors/workspace-errors.ts";
import type { Certifier } from "../../src/ports/trust/certifier.ts";
import type { EventOf } from "../../src/run/events.ts";
import { type CertifyParts, checkCertificates, createCertifier } from "../../src/runtime/trust/certify.ts";
import { planFrom } from "../support/plan-from-yaml.ts";
import { createTestHost, type TestHost } from "../support/run-plan.ts";
import { certifierContract } from "./certifier.contract.ts";

function partsOf(host: TestHost): CertifyParts {
  const filesOf = (tree: string): ReadonlyMap<string, string> => {
    const files = host.workspaces.tree(tree);
    if (files === undefined) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree });
    return files;
  };
  const oid = async (tree: string): Promise<string> => sha256(canonical([...filesOf(tree)].flat()));
  const hashes = async (tree: string): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries([...filesOf(tree)].map(([path, text]) => [path, sha256(text)]));
  return {
    trees: { oid, hashes },
    artifacts: createMemoryArtifacts({ maxBytes: 1 << 20 }),
    signer: createMemorySigner(),
  };
}

certifierContract("runtime", (host) => {
  const parts = partsOf(host);
  return { certifier: createCertifier(parts, host.store), ...parts };
});

const PLAN = planFrom("stages:\n  - { id: check, gate: { command: [ok] } }\n");

/** A run that ended with its certificate. */
async function certified(change: (parts: CertifyParts) => CertifyParts = (parts) => parts) {
  const holder: { certifier: Certifier | null } = { certifier: null };
  const certify: Certifier["certify"] = async (run, moment) => (await holder.certifier?.certify(run, moment)) ?? null;
  const host = createTestHost(PLAN, { ports: { certifier: { certify } } });
  const parts = partsOf(host);
  holder.certifier = createCertifier(change(parts), host.store);
  await host.start();
  const end = (await host.events()).at(-1) as EventOf<"run.finished">;
  const check = async (changed: Partial<CertifyParts> = {}) => {
    const reports = await checkCertificates({ ...parts, ...changed }, host.store, host.run);
    return reports.flatMap(({ checks }) => checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]));
  };
  return { parts, host, end, check };
}

describe("checking the certificates of a run", () => {
  it("finds nothing wrong with what was not touched", async () => {
    const { parts, host, end, check } = await certified();
    expect(await check()).toEqual([]);
    expect(await checkCertificates(parts, host.store, host.run)).toMatchObject([
      { sha256: end.certificate?.sha256, stage: null, ok: true },
    ]);
  });

  it("finds that it is gone, that another key signed it, that a file it stood on was another, that a tree is gone", async () => {
    const { parts, check } = await certified();
    expect(await check({ artifacts: createMemoryArtifacts({ maxBytes: 1 }) })).toEqual([
      ["stored", expect.stringContaining("is not in the store")],
    ]);
    expect(await check({ signer: createMemorySigner("other") })).toEqual([
      ["signature", "not by the key of this project"],
    ]);
    expect(await check({ trees: { ...parts.trees, hashes: async () => ({ "README.md": "other" }) } })).toEqual([
      ["journal", expect.stringMatching(/^verifiers\.README\.md is "[0-9a-f]{64}", the journal says "other"$/)],
    ]);
    const gone = async (tree: string) => {
      throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree });
    };
    expect((await check({ trees: { ...parts.trees, oid: gone } })).map(([name]) => name)).toEqual(["journal", "tree"]);
  });

  it.each([
    ["{", "it is not JSON"],
    ['{"candidate":{"tree":7}}', 'candidate.tree is 7, the journal says "'],
  ])("finds that the signed text is %s", async (text, problem) => {
    const { check } = await certified((parts) => ({
      ...parts,
      artifacts: { ...parts.artifacts, put: () => parts.artifacts.put(new TextEncoder().encode(text)) },
    }));
    const found = await check();
    expect(found.map(([name]) => name)).toEqual(["signature", "journal", "tree"]);
    expect(found[1]?.[1]).toContain(problem);
  });

  it("does not hide a defect", async () => {
    const { parts, check } = await certified();
    const broken = () => Promise.reject(new Error("a defect"));
    await expect(check({ trees: { ...parts.trees, oid: broken } })).rejects.toThrow("a defect");
  });
});
