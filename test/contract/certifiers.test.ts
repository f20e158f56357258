/** Runs the contract of Certifier against the one of the runtime, over stores in memory. */
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createMemorySigner } from "../../src/adapters/memory/signer.ts";
import { sha256 } from "../../src/base/digest.ts";
import { pawlError } from "../../src/base/errors.ts";
import { SIGNER_ERRORS } from "../../src/ports/errors/signer-errors.ts";
import { createCertifier } from "../../src/runtime/trust/certify.ts";
import { planFrom } from "../support/plan-from-yaml.ts";
import { createTestHost } from "../support/run-plan.ts";
import { type CertifierScene, certifierContract } from "./certifier.contract.ts";

const PLAN = planFrom(
  `
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: [ok] }, on: { fail: send } }
  - { id: send, action: test.work }
`,
  { level: "L2" },
);

certifierContract("the runtime's", async ({ verdict, broken }: CertifierScene = {}) => {
  const host = createTestHost(PLAN, {
    work: ({ stage }, files) => files.set(stage, stage),
    stages: verdict === "fail" ? { check: [{ cause: "exit", exit: 1 }] } : {},
  });
  await host.start();
  const { store, workspaces, run } = host;
  const artifacts = createMemoryArtifacts({ maxBytes: 1 << 20 });
  const signer = createMemorySigner("a");
  const trees = {
    hashes: workspaces.hashes,
    oid: async (tree: string) => sha256(JSON.stringify([...(workspaces.tree(tree) ?? [])])),
  };
  const lost = { ...trees, oid: (tree: string) => workspaces.read(`${tree} lost`, "", 1).then(() => "") };
  const full = createMemoryArtifacts({ maxBytes: 1 });
  const damaged = pawlError(SIGNER_ERRORS, "SIGNER_KEY_DAMAGED", { path: "signing.key" });
  const keyless = { ...signer, sign: () => Promise.reject(damaged) };
  const parts = {
    trees: broken === "trees" ? lost : trees,
    artifacts: broken === "artifacts" ? full : artifacts,
    signer: broken === "signer" ? keyless : signer,
  };
  return { certifier: createCertifier(parts, store), run, artifacts, signer };
});
