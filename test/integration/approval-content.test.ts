/** What is approved is what the run goes on with: nothing that lies in folders, branches or git data can take its place. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { git } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const TIMES = process.env["PAWL_FULL"] === "1" ? 25 : 1;
const patch = (from: string, to: string): string =>
  JSON.stringify(`diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-${from}\n+${to}\n last\n`);
const BLUEPRINT = `version: 1
name: approve
policy: { allow: [ { action: apply_patch } ] }
stages:
  - { id: change, action: apply_patch, with: { patch: ${patch("old", "good")} } }
  - { id: ask, gate: { approval: { question: "Fine?", expires: 1h } } }
  - { id: apply, action: apply_patch, with: { patch: ${patch("good", "applied")} } }
`;

interface Scene {
  readonly root: string;
  readonly vault: string;
  readonly runtime: Runtime;
  readonly run: RunId;
  readonly id: string;
  readonly commit: string;
  readonly base: string;
}

async function waiting(blueprint: string = BLUEPRINT): Promise<Scene> {
  const root = tempDir();
  git(root, "init", "-q");
  writeFileSync(join(root, "a.txt"), "old\nlast\n");
  writeFileSync(join(root, "blueprint.yaml"), blueprint);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const runtime = await openRuntime({ root });
  onTestFinished(() => runtime.close());
  const { plan } = await runtime.compile("blueprint.yaml", {});
  if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
  const hosted = await runtime.start(plan.value);
  expect(await hosted.ended).toMatchObject({ status: "waiting" });
  const { approvals } = await runtime.approvals({ status: "pending", limit: 10 });
  const [asked] = approvals;
  if (asked?.commit == null || asked.base === null) throw new Error("nothing was asked about a commit");
  const vault = findVault(join(root, ".pawl"));
  return { root, vault, runtime, run: hosted.run, id: asked.id, commit: asked.commit, base: asked.base };
}

function findVault(dir: string): string {
  const found = execFileSync("find", [dir, "-name", "HEAD", "-type", "f"], { encoding: "utf8" }).split("\n")[0] ?? "";
  return found.replace(/\/HEAD$/, "");
}

const commit = (root: string, ...args: string[]) => {
  writeFileSync(join(root, "a.txt"), "evil\nlast\n");
  git(root, "commit", "-qam", "evil", ...args);
};

const MUTATIONS: Readonly<Record<string, (scene: Scene) => void>> = {
  "the commit is amended": ({ root }) => commit(root, "--amend"),
  "there is a new commit": ({ root }) => commit(root),
  "the branch is rebased": ({ root }) => {
    git(root, "checkout", "-q", "--orphan", "other");
    commit(root);
    git(root, "branch", "-f", "main");
  },
  "the branch is reset and pruned": ({ root }) => {
    commit(root, "--amend");
    git(root, "reflog", "expire", "--expire=now", "--all");
    git(root, "gc", "-q", "--prune=now");
  },
  "another branch is checked out": ({ root }) => git(root, "checkout", "-q", "-b", "side"),
  "the commit is replaced in the project": ({ root, base }) => {
    commit(root);
    const id = git(root, "rev-parse", "HEAD");
    git(root, "replace", "-f", git(root, "rev-parse", "HEAD~1"), id);
    mkdirSync(join(root, ".git", "refs", "replace"), { recursive: true });
    writeFileSync(join(root, ".git", "refs", "replace", base), `${id}\n`);
  },
  "the tree is replaced in the vault": ({ vault, commit: asked, base }) => {
    mkdirSync(join(vault, "refs", "replace"), { recursive: true });
    writeFileSync(join(vault, "refs", "replace", asked), `${base}\n`);
  },
  "attributes of the vault hide every change": ({ vault }) => {
    mkdirSync(join(vault, "info"), { recursive: true });
    writeFileSync(join(vault, "info", "attributes"), "* -diff -text binary\n");
  },
  "attributes of the project hide every change": ({ root }) =>
    writeFileSync(join(root, ".gitattributes"), "* -diff filter=evil\n"),
  "the configuration of the project runs programs": ({ root }) => {
    git(root, "config", "core.fsmonitor", "touch /tmp/pawl-evil");
    git(root, "config", "diff.external", "touch /tmp/pawl-evil");
  },
  "the file becomes a link": ({ root }) => {
    rmSync(join(root, "a.txt"));
    symlinkSync("/etc/passwd", join(root, "a.txt"));
  },
  "the file gets another mode": ({ root }) => chmodSync(join(root, "a.txt"), 0o755),
  "the file is changed and staged": ({ root }) => {
    writeFileSync(join(root, "a.txt"), "evil\nlast\n");
    git(root, "add", "-A");
  },
  "the blueprint says something else": ({ root }) =>
    writeFileSync(join(root, "blueprint.yaml"), BLUEPRINT.replace("+applied", "+evil").replaceAll("good", "evil")),
  "the policy of the blueprint is another": ({ root }) =>
    writeFileSync(join(root, "blueprint.yaml"), BLUEPRINT.replace("allow:", "deny:")),
  "the blueprint is gone": ({ root }) => rmSync(join(root, "blueprint.yaml")),
  "the workspaces are gone": ({ root }) => {
    const places = join(root, ".pawl", "workspaces");
    for (const name of existsSync(places) ? readdirSync(places) : [])
      rmSync(join(places, name), { recursive: true, force: true });
  },
};

describe("what is approved", () => {
  it.each(Object.keys(MUTATIONS))("is applied, and nothing else, when %s", async (name) => {
    for (let time = 0; time < TIMES; time += 1) {
      const scene = await waiting();
      MUTATIONS[name]?.(scene);
      const { runtime, run, id, commit: asked, vault } = scene;
      const { change } = await runtime.approval(id);
      expect(change).toMatchObject({
        complete: true,
        files: [{ path: "a.txt", hunks: [{ lines: ["-old", "+good", " last"] }] }],
      });
      await runtime.answer(id, { answer: "approve", by: "ann" });
      const end = await (await runtime.resume(run, { by: "ann" })).ended;
      expect(end).toMatchObject({ status: "succeeded" });
      const inVault = (...args: string[]) => git("/", "--no-replace-objects", `--git-dir=${vault}`, ...args);
      expect(inVault("show", `${end.tree}:a.txt`)).toBe("applied\nlast");
      expect(inVault("rev-parse", `${end.tree}^`)).toBe(asked);
      await expect(runtime.answer(id, { answer: "approve", by: "ann" })).rejects.toMatchObject({
        code: "RUN_APPROVAL_USED",
      });
      await runtime.close();
    }
  });

  it("cannot be what cannot be shown, though it can be denied", async () => {
    const odd =
      "diff --git a/x\ufffd b/x\ufffd\nnew file mode 100644\n--- /dev/null\n+++ b/x\ufffd\n@@ -0,0 +1 @@\n+x\n";
    const { runtime, id, run } = await waiting(BLUEPRINT.replace(patch("old", "good"), JSON.stringify(odd)));
    expect((await runtime.approval(id)).change).toMatchObject({ complete: false, entries: 1 });
    await expect(runtime.answer(id, { answer: "approve", by: "ann" })).rejects.toMatchObject({
      code: "RUN_APPROVAL_UNSHOWN",
    });
    expect(await runtime.answer(id, { answer: "deny", by: "ann" })).toMatchObject({
      approval: { status: "denied" },
      goOn: run,
    });
    expect(await runtime.find(run)).toMatchObject({ status: "rejected", reason: "approval_denied" });
  });

  it("cannot be what is not there any more", async () => {
    const { runtime, id, vault } = await waiting();
    rmSync(vault, { recursive: true, force: true });
    await expect(runtime.answer(id, { answer: "approve", by: "ann" })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:WORKSPACE|GIT)_/),
    });
  });
});

describe("decisions in a STATE.md", () => {
  it("answer questions; what is unclear or too late answers nothing", async () => {
    const { runtime, id, run } = await waiting();
    const unclear = await runtime.answerFrom(`- [x] ${id} — Human decision: maybe`, "ann");
    expect(unclear).toMatchObject({ answered: [], unclear: [{ id }], refused: [] });
    const taken = await runtime.answerFrom(`# State\n- [x] ${id} — Human decision: approve, fine\n`, "ann");
    expect(taken).toMatchObject({ answered: [{ id, answer: "approve", run }], unclear: [], refused: [] });
    const again = await runtime.answerFrom(`- [x] ${id} — Human decision: deny`, "ann");
    expect(again).toMatchObject({ answered: [], refused: [{ id, code: "RUN_APPROVAL_USED" }] });
    expect((await runtime.approval(id)).approval).toMatchObject({
      status: "approved",
      answer: { answer: "approve", by: "ann", why: "fine" },
    });
    expect(await runtime.sweepApprovals()).toEqual({ expired: [], reminded: [], failed: [] });
    expect((await runtime.approvals({ run, limit: 1 })).approvals).toHaveLength(1);
    await expect(runtime.approvals({ run: "r_none" as RunId, limit: 1 })).rejects.toMatchObject({
      code: "RUN_NOT_FOUND",
    });
  });
});
