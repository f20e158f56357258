/** What a run proved, as a person checks it: certificates in commits, tampering that is found, levels earned and lost. */
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

const BLUEPRINT = `version: 1
name: fix
policy: { allow: [{ run: ["**"] }, { action: "git.*" }] }
stages:
  - { id: fix, command: [cp, good.txt, src.txt] }
  - { id: check, gate: { command: [cmp, good.txt, src.txt] } }
  - { id: commit, level: L2, action: git.commit, with: { message: "Make it good" } }
  - { id: merge, level: L3, action: git.merge, with: { into: main } }
`;

let project: Project;
beforeEach(() => {
  project = createProject({
    "blueprint.yaml": BLUEPRINT,
    "src.txt": "bad\n",
    "good.txt": "good\n",
    "other.yaml": BLUEPRINT.replace("fix", "else"),
  });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin");
});
afterEach(() => project.remove());

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-C", project.root, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const artifact = (digest: string): string => join(project.root, ".pawl/artifacts", digest.slice(0, 2), digest);
const digestInCommit = (branch: string): string =>
  git("log", "-1", "--format=%(trailers:key=Pawl-Certificate,valueonly)", branch).replace("sha256:", "");

interface Verified {
  readonly intact: boolean;
  readonly certificates: readonly {
    readonly sha256: string;
    readonly stage: string | null;
    readonly ok: boolean;
    readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  }[];
}

async function verified(): Promise<{
  readonly code: number | null;
  readonly wrong: readonly string[];
  readonly value: Verified;
}> {
  const { code, value } = await project.json("verify", "@last");
  const { certificates } = value as Verified;
  const wrong = certificates.flatMap(({ checks }) => checks.filter(({ ok }) => !ok).map(({ name }) => name));
  return { code, wrong, value: value as Verified };
}

describe("S9: a run at L0", () => {
  it("shows the plan, and nothing is run or written", async () => {
    const { code, stdout } = await project.pawl("run", "blueprint.yaml", "--level", "L0");
    expect([code, stdout]).toMatchObject([0, expect.stringContaining("level L0 (plans only, nothing runs)")]);
    expect(stdout.endsWith("Nothing was run.\n")).toBe(true);
    const tick = await project.pawl("run", "daily-triage", "--level", "L0", "--dry-run", "--param", 'test=["true"]');
    expect([tick.code, tick.stdout]).toMatchObject([0, expect.stringContaining("Nothing was run.")]);
    expect(git("status", "--porcelain", "--ignored")).toBe("");
  });
});

describe("the certificate of a run", () => {
  beforeEach(async () => {
    expect(await project.pawl("run", "blueprint.yaml", "--level", "L2")).toMatchObject({ code: 0, stderr: "" });
  });

  it("is named by the commit and by the end of the run, and holds for exactly the tree in the commit", async () => {
    const branch = git("for-each-ref", "--format=%(refname:short)", "refs/heads/pawl/");
    const digest = digestInCommit(branch);
    const { code, wrong, value } = await verified();
    expect([code, wrong, value.intact]).toEqual([0, [], true]);
    expect(value.certificates.map(({ stage }) => stage)).toEqual(["commit", null]);
    expect(value.certificates[0]?.sha256).toBe(digest);
    const certificate = JSON.parse(readFileSync(artifact(digest), "utf8"));
    expect(certificate.candidate.oid).toBe(git("rev-parse", `${branch}^{tree}`));
    expect(certificate.base.oid).toBe(git("rev-parse", "main^{tree}"));
    expect(certificate.gates).toMatchObject([{ stage: "check", by: "exit", verdict: "pass", exit: 0 }]);
    expect(Object.keys(certificate.verifiers)).toContain("blueprint.yaml");
    const shown = await project.pawl("verify", "@last");
    expect(shown.stdout).toContain("ok     signature  by the key of this project");
    expect((await project.pawl("show", "@last")).stdout).toMatch(/certified +sha256:[0-9a-f]{64}/);
    expect((await project.pawl("replay", "@last")).code).toBe(0);
  });

  it("is found out when it was changed, when its key is another, and when its tree is gone", async () => {
    const end = (await verified()).value.certificates[1]?.sha256 ?? "";
    const before = readFileSync(artifact(end));
    chmodSync(artifact(end), 0o600);
    writeFileSync(artifact(end), before.toString().replace('"L2"', '"L3"'));
    expect(await verified()).toMatchObject({ code: 1, wrong: ["stored"] });
    rmSync(artifact(end));
    expect(await verified()).toMatchObject({ code: 1, wrong: ["stored"] });
    writeFileSync(artifact(end), before);
    const pub = join(project.root, ".pawl/signing.pub");
    const key = readFileSync(pub, "utf8");
    writeFileSync(pub, `${"A".repeat(43)}\n`);
    expect(await verified()).toMatchObject({ code: 1, wrong: ["signature", "signature"] });
    writeFileSync(pub, key);
    expect(await verified()).toMatchObject({ code: 0, wrong: [] });
    rmSync(join(project.root, ".pawl/vault.git"), { recursive: true });
    expect(await verified()).toMatchObject({ code: 1, wrong: ["journal", "tree", "journal", "tree"] });
  });
});

describe("a run that verified nothing", () => {
  it("has no certificate, and that is said", async () => {
    project.write("look.yaml", BLUEPRINT.slice(0, BLUEPRINT.indexOf("  - { id: check")));
    expect((await project.pawl("run", "look.yaml")).code).toBe(0);
    const { code, stdout } = await project.pawl("verify", "@last");
    expect([code, stdout]).toEqual([0, expect.stringContaining("no certificate: the run has not verified a tree")]);
  });
});

describe("an earned level", () => {
  it("is needed to merge, unless a person says why not; that is stored and shown", async () => {
    const refused = await project.pawl("run", "blueprint.yaml", "--level", "L3");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain("RUN_LEVEL_UNEARNED");
    expect(refused.stderr).toContain("clean verified runs in a row at L2 or above with these gates: 0, needs 5");
    expect((await project.pawl("run", "blueprint.yaml", "--level", "L3", "--unearned", " ")).code).toBe(3);
    expect(git("log", "--format=%s", "main")).toBe("begin");
    const allowed = await project.pawl("run", "blueprint.yaml", "--level", "L3", "--unearned", "a first try");
    expect(allowed.code).toBe(0);
    expect(git("log", "-1", "--format=%s", "main")).toBe("Make it good");
    expect((await project.pawl("show", "@last")).stdout).toContain(
      "tester let it run above its earned level: a first try",
    );
    const { value } = await project.json("show", "@last");
    expect(value).toMatchObject({
      unearned: { by: "tester", why: "a first try", missing: [expect.any(String), expect.any(String)] },
    });
  });

  it("is shown with what is missing, and sinks by an incident", async () => {
    const plan = await project.pawl("plan", "blueprint.yaml", "--level", "L3");
    expect(plan.stdout).toContain("L3 is not earned: the earned level is L2");
    expect((await project.pawl("plan", "blueprint.yaml")).stdout).not.toContain("earned");
    expect((await project.pawl("run", "blueprint.yaml", "--level", "L2")).code).toBe(0);
    expect((await project.json("level", "blueprint.yaml")).value).toMatchObject({
      earned: "L2",
      lacking: [
        { level: "L3", have: "1", need: "5" },
        { level: "L3", have: "none" },
      ],
    });
    expect((await project.pawl("level", "blueprint.yaml", "--incident", "@last")).code).toBe(3);
    const foreign = await project.pawl("level", "other.yaml", "--incident", "@last", "--why", "x");
    expect([foreign.code, foreign.stderr]).toEqual([3, expect.stringContaining("CLI_RUN_FOREIGN")]);
    const sunk = await project.pawl(
      "level",
      "blueprint.yaml",
      "--incident",
      "@last",
      "--kind",
      "revert",
      "--why",
      "it broke",
    );
    expect(sunk.stdout).toContain("fix has earned L1");
    expect(sunk.stdout).toContain("revert of run r_");
    const refused = await project.pawl("run", "blueprint.yaml", "--level", "L2");
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("has earned L1, not L2")]);
    expect((await project.pawl("run", "blueprint.yaml")).code).toBe(0);
  });

  it("is asked for without leaving anything behind", async () => {
    expect((await project.pawl("level", "blueprint.yaml")).stdout).toContain("fix has earned L2");
    expect(git("status", "--porcelain", "--ignored")).toBe("");
  });
});
