/** summarize_run and prepare_review_bundle on a real repository: what a reviewer is given, and that it can be checked. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { EventOf } from "../../src/run/events.ts";
import type { ReviewParts } from "../../src/runtime/review/review.ts";
import { createReviewActions } from "../../src/runtime/review/review-actions.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { contextOf } from "../contract/actions.contract.ts";
import { commitFiles } from "../support/git-project.ts";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";

afterAll(removeFolders);

const CHECK = `import { readFileSync } from "node:fs";
console.log("looking");
process.exit(readFileSync("a.txt", "utf8") === "two\\n" ? 0 : 1);
`;
const blueprintOf = (stages: string): string => `version: 1
name: reviewed
policy: { allow: [{ run: ["**"] }, { action: "values.set" }, { action: "summarize_run" }, { action: "prepare_review_bundle" }] }
limits: { rounds: 3 }
stages:
${stages}`;
const STAGES = `  - { id: work, command: ["sh", "-c", "test -e b.txt && echo two > a.txt || echo wrong > a.txt; echo new > b.txt"] }
  - { id: check, gate: { command: ["node", "check.mjs"] }, on: { fail: work } }
  - { id: sum, action: summarize_run }
  - { id: review, action: prepare_review_bundle }
`;

const CHANGED = { oldMode: "100644", newMode: "100644", addedLines: 1 };
const CHANGES = [
  { ...CHANGED, status: "modified" as const, path: "a.txt", deletedLines: 1 },
  { ...CHANGED, status: "added" as const, path: "b.txt", deletedLines: 0 },
];
/** Stores nothing, and has a change that is too large. */
const STILL: Omit<ReviewParts, "past"> = {
  trees: {
    changes: async () => CHANGES,
    diff: async () => ({ files: [], patch: Buffer.from("p"), truncated: true }),
  },
  artifacts: { put: async () => ({ sha256: "0", bytes: 0 }), get: async () => Buffer.from("") },
};

interface Ran {
  readonly root: string;
  readonly runtime: Runtime;
  readonly run: RunId;
  ended(stage: string): EventOf<"stage.finished">;
  bytes(stage: string, name: string): Promise<Buffer>;
}

async function ran(stages: string, use: (ran: Ran) => Promise<void>): Promise<void> {
  const root = makeFolder();
  commitFiles(root, { "a.txt": "one\n", "check.mjs": CHECK, "blueprint.yaml": blueprintOf(stages) });
  const runtime = await openRuntime({ root });
  try {
    const { plan } = await runtime.compile("blueprint.yaml", { level: "L2" });
    if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
    const { run, ended } = await runtime.start(plan.value, {});
    await ended;
    const events = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const end = (stage: string): EventOf<"stage.finished"> =>
      events.findLast((event) => event.type === "stage.finished" && event.stage === stage) as EventOf<"stage.finished">;
    const bytes = async (stage: string, name: string): Promise<Buffer> => {
      const ref = end(stage).artifacts?.[name];
      if (ref === undefined) throw new Error(JSON.stringify(end(stage)));
      return Buffer.from(await runtime.log({ ...ref, dropped: 0 }));
    };
    await use({ root, runtime, run, ended: end, bytes });
  } finally {
    await runtime.close();
  }
}

/** Unpacked by the tar of this machine. */
function unpacked(bundle: Buffer): string {
  const folder = join(makeFolder(), "review");
  mkdirSync(folder);
  const { status, stderr } = spawnSync("tar", ["-xf", "-", "-C", folder], { input: bundle, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return folder;
}

describe("T4: summarize_run", () => {
  it("T4: tells stages, tries, outcomes, cost and changed files, for people and as data", async () => {
    await ran(STAGES, async ({ run, ended, bytes }) => {
      const figures = {
        run,
        round: 2,
        verified: true,
        stages: 2,
        files: 2,
        added: 2,
        removed: 1,
        tokens: 0,
        starts: 4,
      };
      expect(ended("sum").output).toMatchObject(figures);
      const data = JSON.parse((await bytes("sum", "data")).toString()) as {
        stages: JsonObject[];
        changes: JsonObject[];
      };
      const rows = data.stages.map(({ stage, visits, attempts, outcome }) => [stage, visits, attempts, outcome]);
      expect(rows).toEqual([
        ["work", 2, 2, "success"],
        ["check", 2, 2, "pass"],
      ]);
      expect(data.changes).toEqual([
        { status: "modified", path: "a.txt", added: 1, removed: 1 },
        { status: "added", path: "b.txt", added: 1, removed: 0 },
      ]);
      const text = (await bytes("sum", "summary")).toString();
      expect(text).toContain("| check | gate | 2 | 2 | pass |");
      expect(text).toContain("- modified a.<!-- -->txt (+1 −1)");
    });
  });

  it("T4: tells of a run that works nowhere what there is, and prepares no bundle of it", async () => {
    const stages = "  - { id: note, action: values.set, with: { a: 1 } }\n  - { id: sum, action: values.set }\n";
    await ran(stages, async ({ runtime, run }) => {
      const [summary, bundle] = createReviewActions({ ...STILL, past: () => runtime });
      const context = contextOf({ run, stage: "sum" });
      expect(await summary?.perform({}, context)).toMatchObject({ ok: true, output: { stages: 1, files: 0 } });
      expect(await bundle?.perform({}, context)).toMatchObject({
        ok: false,
        error: expect.stringContaining("has no workspace of its own"),
      });
    });
  });
});

describe("T4: prepare_review_bundle", () => {
  it("T4: holds the change, the summary, the evidence of each gate and the certificate, each with its digest", async () => {
    await ran(STAGES, async ({ root, runtime, run, ended, bytes }) => {
      const folder = unpacked(await bytes("review", "bundle"));
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
        ...["README.md", "SHA256SUMS", "certificate.json", "certificate.signature.json", "change.patch"],
        ...["gates", "gates/1-check", "gates/1-check/log", "gates/1-check/verdict.json", "run.json"],
      ]);
      const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
      const named = sums.map((line) => line.split("  ") as [string, string]);
      expect(named.map(([, name]) => sha256(readFileSync(join(folder, name))))).toEqual(named.map(([sum]) => sum));
      expect(named).toHaveLength(7);
      const read = (name: string): string => readFileSync(join(folder, name), "utf8");
      expect(read("gates/1-check/log")).toBe("looking\n");
      expect(JSON.parse(read("gates/1-check/verdict.json"))).toMatchObject({ by: "exit", verdict: "pass", exit: 0 });
      expect(read("README.md")).toContain("### Verified by Pawl");
      expect(JSON.parse(read("certificate.json"))).toMatchObject({ claim: { run } });
      const { certificate, output } = ended("review");
      expect(output).toMatchObject({ gates: 1, certificate: certificate?.sha256 });
      expect(await runtime.certificates(run)).toMatchObject([
        { stage: "review", ok: true },
        { stage: null, ok: true },
      ]);
      // What is to be reviewed is what was judged: the patch makes it of the project.
      const applied = spawnSync("git", ["apply", join(folder, "change.patch")], { cwd: root, encoding: "utf8" });
      expect([applied.status, readFileSync(join(root, "a.txt"), "utf8")]).toEqual([0, "two\n"]);
      expect(await bytes("review", "diff")).toEqual(readFileSync(join(folder, "change.patch")));
    });
  });

  it("T4: says that there is no certificate where no gate has passed", async () => {
    await ran(
      `  - { id: work, command: ["sh", "-c", "echo two > a.txt"] }\n  - { id: review, action: prepare_review_bundle }\n`,
      async ({ bytes, ended }) => {
        const folder = unpacked(await bytes("review", "bundle"));
        expect(readdirSync(folder).sort()).toEqual(["README.md", "SHA256SUMS", "change.patch", "run.json"]);
        expect(readFileSync(join(folder, "README.md"), "utf8")).toContain("There is no certificate");
        expect(ended("review").output).toMatchObject({ gates: 0, certificate: null, verified: false });
      },
    );
  });

  it("T4: is the same for every attempt, whatever has happened since", async () => {
    await ran(STAGES, async ({ runtime, run, bytes }) => {
      const stored: string[] = [];
      const put = async (given: Uint8Array) => {
        stored.push(Buffer.from(given).toString());
        return { sha256: "0", bytes: 0 };
      };
      const [summary] = createReviewActions({
        trees: { ...STILL.trees, changes: async () => CHANGES },
        artifacts: { ...STILL.artifacts, put },
        past: () => runtime,
      });
      await summary?.perform({}, contextOf({ run, stage: "sum" }));
      expect(stored).toEqual([(await bytes("sum", "summary")).toString(), (await bytes("sum", "data")).toString()]);
    });
  });

  it("T4: fails where the change is too large to be shown in full", async () => {
    await ran(STAGES, async ({ runtime, run }) => {
      const [, bundle] = createReviewActions({ ...STILL, past: () => runtime });
      expect(await bundle?.perform({}, contextOf({ run, stage: "review" }))).toMatchObject({
        ok: false,
        error: expect.stringContaining("larger than"),
      });
    });
  });
});
