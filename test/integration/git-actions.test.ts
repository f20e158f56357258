/** git.commit, git.branch, git.merge on real repositories: once, twice, at the wrong level, against people who were quicker. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markedMessage, markOf, withoutMark } from "../../src/adapters/git-actions/repository/message.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { ActionReport } from "../../src/ports/actions.ts";
import type { Certified } from "../../src/ports/trust/certifier.ts";
import { type ActionRepository, actionRepository, RUN } from "../support/action-repository.ts";

const outputOf = (report: ActionReport): Record<string, unknown> => {
  if (!report.ok) throw new Error(report.error);
  return report.output as Record<string, unknown>;
};
const errorOf = (report: ActionReport): string => (report.ok ? "no error" : report.error);
const BRANCH = `pawl/${RUN}`;
const CERTIFIED: Certified = {
  ref: { sha256: "cc", bytes: 2, key: "k", signature: "s" },
  trailer: "Pawl-Certificate: sha256:cc",
  summary: "### Verified by Pawl",
};
const commit = async (repository: ActionRepository, tree: string, message = "work", stage = "commit") =>
  outputOf(await repository.perform("git.commit", { message }, { tree, stage }))["commit"] as string;

const HOSTILE_BRANCHES = [
  ...[
    "main",
    "pawl",
    "pawl/",
    "/pawl/x",
    "refs/heads/pawl/x",
    "pawl/../main",
    "pawl/..",
    "pawl/./x",
    "pawl/.x",
    "pawl/x.",
    "pawl/x.lock",
  ],
  ...[
    "pawl/x..y",
    "pawl//x",
    "pawl/x/",
    "pawl/x y",
    "pawl/x~1",
    "pawl/x^",
    "pawl/x:y",
    "pawl/x?",
    "pawl/x*",
    "pawl/x[",
    "pawl/x\\y",
    "pawl/@{u}",
  ],
  ...[
    "pawl/x@{1}",
    "pawl/-x y",
    "pawl/x\ny",
    "pawl/x\0y",
    "pawl/\u202ex",
    "pawl/ü",
    "-pawl/x",
    "--pawl/x",
    "+pawl/x",
    "pawl/x:main",
    "pawl/HEAD",
  ],
  ...[
    "HEAD",
    "@",
    "pawl/CON",
    "pawl/a/con/b",
    "pawl/$(id)",
    "pawl/`id`",
    "pawl/;id",
    "pawl/x|y",
    "pawl/x&y",
    "pawl/'",
    'pawl/"',
    `pawl/${"x".repeat(300)}`,
  ],
];

describe("git.commit", () => {
  it.each(["sha1", "sha256"] as const)(
    "makes a commit of what the workspace held, and touches nothing else (%s)",
    async (format) => {
      const repository = actionRepository(format);
      const { git, base } = repository;
      const before = repository.state();
      const tree = repository.save({ "src/b.txt": "b\n", readme: null });
      const report = await repository.perform("git.commit", { message: "Add b\n\nBecause." }, { tree, level: "L2" });
      const made = git("rev-parse", BRANCH);
      expect(report).toEqual({ ok: true, output: { commit: made, branch: BRANCH, created: true } });
      expect(git("cat-file", "commit", made)).toBe(
        [
          `tree ${repository.inVault("rev-parse", `${tree}^{tree}`)}`,
          `parent ${base}`,
          "author Pawl <pawl@localhost> 1700000060 +0000",
          "committer Pawl <pawl@localhost> 1700000060 +0000",
          "",
          "Add b\n\nBecause.\n",
          `Pawl-Run: ${RUN}\nPawl-Stage: act\nPawl-Key: ${RUN}:act:1`,
        ].join("\n"),
      );
      expect(git("ls-tree", "-r", "--name-only", made)).toBe("src/a.txt\nsrc/b.txt");
      git("branch", "-D", BRANCH);
      expect(repository.state()).toBe(before);
      expect(git("fsck", "--strict")).not.toContain("error");
    },
  );

  it("names the certificate of what is in it, and is found by its mark all the same", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const context = { tree, certificate: async () => CERTIFIED };
    const perform = () => repository.perform("git.commit", { message: "Add x" }, context);
    const { commit: made } = outputOf(await perform());
    const message = repository.git("log", "-1", "--format=%B", BRANCH);
    expect(message).toBe(`Add x\n\n${CERTIFIED.trailer}\nPawl-Run: ${RUN}\nPawl-Stage: act\nPawl-Key: ${RUN}:act:1`);
    expect(repository.git("log", "-1", "--format=%(trailers:key=Pawl-Certificate,valueonly)", BRANCH)).toBe(
      "sha256:cc",
    );
    expect(outputOf(await perform())).toEqual({ commit: made, branch: BRANCH, created: false });
    expect(markOf(message)).toEqual({ run: RUN, stage: "act", key: `${RUN}:act:1` });
    expect(withoutMark(message)).toBe("Add x");
  });

  it("names none where nothing was verified, and refuses a message that names one itself", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const forged = { message: "Add x\n\nPawl-Certificate: sha256:00" };
    expect(errorOf(await repository.perform("git.commit", forged, { tree }))).toContain("only Pawl may write");
    await repository.perform("git.commit", { message: "Add x" }, { tree, certificate: async () => null });
    expect(repository.git("log", "-1", "--format=%B", BRANCH)).not.toContain("Pawl-Certificate");
  });

  it("finds its commit when it is asked again, and makes no second one", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const made = await commit(repository, tree);
    const state = repository.state();
    for (const message of ["work", "another message"]) {
      expect(await repository.perform("git.commit", { message }, { tree, stage: "commit" })).toEqual({
        ok: true,
        output: { commit: made, branch: BRANCH, created: false },
      });
    }
    expect(repository.state()).toBe(state);
  });

  it("makes the same commit when a crash came before the branch was moved, or before anything reached the project", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const made = await commit(repository, tree);
    repository.git("update-ref", "-d", `refs/heads/${BRANCH}`);
    expect(await commit(repository, tree)).toBe(made);
    repository.git("update-ref", "-d", `refs/heads/${BRANCH}`);
    repository.git("reflog", "expire", "--expire=now", "--all");
    repository.git("gc", "-q", "--prune=now");
    expect(spawnSync("git", ["cat-file", "-e", made], { cwd: repository.root }).status).not.toBe(0);
    expect(await commit(repository, tree)).toBe(made);
  });

  it("does nothing when its commit was merged and its branch deleted meanwhile", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const made = await commit(repository, tree);
    repository.git("merge", "-q", "--ff-only", BRANCH);
    repository.git("branch", "-q", "-D", BRANCH);
    expect(outputOf(await repository.perform("git.commit", { message: "work" }, { tree, stage: "commit" }))).toEqual({
      commit: made,
      branch: BRANCH,
      created: false,
    });
    expect(repository.git("branch", "--list", BRANCH)).toBe("");
  });

  it("builds on the commits of its run", async () => {
    const repository = actionRepository();
    const one = repository.save({ x: "1" });
    const two = repository.save({ x: "2" }, one);
    const first = await commit(repository, one, "one", "first");
    const second = await commit(repository, two, "two", "second");
    expect(repository.git("rev-list", BRANCH)).toBe([second, first, repository.base].join("\n"));
    expect(await commit(repository, one, "one", "first")).toBe(first);
    expect(repository.git("rev-parse", BRANCH)).toBe(second);
  });

  it("refuses a branch with commits of somebody else, and one that is checked out", async () => {
    const repository = actionRepository();
    const { git } = repository;
    const tree = repository.save({ x: "1" });
    git("switch", "-q", "-c", "pawl/shared");
    git("commit", "-q", "--allow-empty", "-m", "mine");
    git("switch", "-q", "main");
    const onShared = { message: "work", branch: "pawl/shared" };
    expect(errorOf(await repository.perform("git.commit", onShared, { tree }))).toContain("did not make");
    const made = await commit(repository, tree);
    git("switch", "-q", BRANCH);
    git("commit", "-q", "--allow-empty", "-m", "a correction");
    git("switch", "-q", "main");
    const later = repository.save({ x: "2" }, tree);
    expect(
      errorOf(await repository.perform("git.commit", { message: "w" }, { tree: later, stage: "later" })),
    ).toContain("did not make");
    git("branch", "-q", "-f", BRANCH, made);
    git("worktree", "add", "-q", join(repository.dir, "look"), BRANCH);
    const report = await repository.perform("git.commit", { message: "w" }, { tree: later, stage: "later" });
    expect(errorOf(report)).toContain("is checked out in");
    expect(git("rev-parse", BRANCH)).toBe(made);
  });

  it("moves a branch forward that has fallen behind the base", async () => {
    const repository = actionRepository();
    repository.git("branch", "pawl/x");
    repository.git("commit", "-q", "--allow-empty", "-m", "on");
    const base = repository.git("rev-parse", "HEAD");
    repository.inVault("fetch", "-q", repository.root, "HEAD:refs/pawl/base2");
    const tree = repository.save({ x: "1" }, base);
    const report = await repository.perform("git.commit", { message: "w", branch: "pawl/x" }, { tree });
    expect(repository.git("rev-parse", "pawl/x", "pawl/x^")).toBe(`${outputOf(report)["commit"]}\n${base}`);
  });

  it("makes one commit when it is asked many times at once", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const reports = await Promise.all(
      Array.from({ length: 6 }, () => repository.perform("git.commit", { message: "w" }, { tree })),
    );
    expect(reports.filter(({ ok }) => ok).length).toBeGreaterThan(0);
    expect(repository.git("rev-list", "--count", `main..${BRANCH}`)).toBe("1");
    expect(outputOf(await repository.perform("git.commit", { message: "w" }, { tree }))["created"]).toBe(false);
  });

  it("refuses what cannot be committed", async () => {
    const repository = actionRepository();
    const state = repository.state();
    const tree = repository.save({ x: "1" });
    const same = repository.save({}, repository.base);
    const refuse = async (input: Record<string, string>, at: string | null): Promise<string> =>
      errorOf(await repository.perform("git.commit", input, { tree: at }));
    expect(await refuse({ message: "w" }, same)).toContain("nothing to commit");
    expect(await refuse({ message: "w" }, null)).toContain("no tree");
    expect(await refuse({ message: "w" }, "0".repeat(40))).toContain("no tree");
    expect(await refuse({ message: "w" }, "--help")).toContain("no tree");
    expect(await refuse({ message: " \n " }, tree)).toContain("missing or empty");
    expect(await refuse({}, tree)).toContain("missing or empty");
    expect(await refuse({ message: "x\0y" }, tree)).toContain("control characters");
    expect(await refuse({ message: "x".repeat(70_000) }, tree)).toContain("longer than");
    expect(await refuse({ message: `w\n\nPawl-Key: ${RUN}:later:1` }, tree)).toContain("only Pawl may write");
    expect(await refuse({ message: `w\r\n\r\n  pawl-run : x` }, tree)).toContain("only Pawl may write");
    expect(repository.state()).toBe(state);
  });

  it.each(["L0", "L1"] as const)("does nothing at level %s", async (level) => {
    const repository = actionRepository();
    const state = repository.state();
    const tree = repository.save({ x: "1" });
    for (const [name, input] of [
      ["git.commit", { message: "w" }],
      ["git.branch", { name: "pawl/x" }],
      ["git.merge", { into: "main" }],
      ["git.push", {}],
      ["git.pr", { title: "t", body: "b" }],
    ] as const) {
      expect(errorOf(await repository.perform(name, input, { tree, level }))).toMatch(
        /needs level L[23]; this run has L[01]/,
      );
    }
    expect(repository.state()).toBe(state);
  });

  it("refuses a branch whose name is not plain, in every action", async () => {
    const repository = actionRepository();
    const state = repository.state();
    const tree = repository.save({ x: "1" });
    for (const [index, branch] of HOSTILE_BRANCHES.entries()) {
      for (const [name, input] of [
        ["git.commit", { message: "w", branch }],
        ["git.branch", { name: branch }],
        ["git.push", { branch }],
        ["git.pr", { title: "t", body: "b", branch }],
        ["git.merge", { into: "main", branch }],
      ].slice(0, index < 8 ? 5 : 1) as [string, JsonObject][]) {
        const error = errorOf(await repository.perform(name, input, { tree }));
        expect([branch, error]).toEqual([branch, expect.stringMatching(/`(branch|name)` /)]);
      }
    }
    expect(repository.state()).toBe(state);
  });

  it("runs nothing that the repository or the environment of the host asks for", async () => {
    const repository = actionRepository();
    const { root, dir, git } = repository;
    const canary = join(dir, "canary");
    const evil = join(dir, "evil.sh");
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${canary}\nexit 0\n`);
    chmodSync(evil, 0o755);
    for (const hook of [
      "post-commit",
      "pre-commit",
      "reference-transaction",
      "post-update",
      "post-checkout",
      "post-merge",
      "pre-push",
      "post-index-change",
    ]) {
      writeFileSync(join(root, ".git/hooks", hook), readFileSync(evil), { mode: 0o755 });
    }
    git("config", "core.fsmonitor", evil);
    git("config", "gpg.program", evil);
    git("config", "commit.gpgSign", "true");
    git("config", "log.showSignature", "true");
    git("config", "core.editor", evil);
    git("config", "core.pager", evil);
    git("config", "diff.external", evil);
    git("config", "core.alternateRefsCommand", evil);
    const tree = repository.save({ x: "1", ".gitattributes": "* filter=evil diff=evil merge=evil\n" });
    git("config", "filter.evil.smudge", evil);
    git("config", "filter.evil.clean", evil);
    git("config", "filter.evil.required", "true");
    const env = {
      PATH: process.env["PATH"] ?? "",
      GIT_DIR: "/nonexistent",
      GIT_EXTERNAL_DIFF: evil,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.pager",
      GIT_CONFIG_VALUE_0: evil,
    };
    writeFileSync(canary, "");
    outputOf(await repository.perform("git.commit", { message: "w" }, { tree, stage: "commit" }, { env }));
    outputOf(await repository.perform("git.merge", { into: "main" }, { tree, stage: "merge" }, { env }));
    outputOf(await repository.perform("generate_diff_report", {}, { tree }, { env }));
    expect(readFileSync(canary, "utf8")).toBe("");
    expect(readFileSync(join(root, "x"), "utf8")).toBe("1");
  });

  it("says so when git cannot be started, and when the base is gone", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const noGit = await repository.perform(
      "git.commit",
      { message: "w" },
      { tree },
      { gitProgram: "/nonexistent/git" },
    );
    expect(errorOf(noGit)).toContain("cannot be started");
    const orphan = repository.inVault("commit-tree", "-m", "x", `${tree}^{tree}`);
    expect(errorOf(await repository.perform("git.commit", { message: "w" }, { tree: orphan }))).toContain(
      "no longer in",
    );
  });
});

describe("the mark of a commit", () => {
  const mark = { run: "r", stage: "s", key: "k" };
  it("is read only where it was written: at the end", () => {
    expect(markOf(markedMessage("hello", mark, "m"))).toEqual(mark);
    expect(markOf(`x\n\nPawl-Run: a\nPawl-Stage: b\nPawl-Key: c\n\nmore`)).toBeNull();
    expect(markOf("Pawl-Run: a\nPawl-Stage: b\nPawl-Key: c\n")).toBeNull();
  });
});

describe("git.branch", () => {
  it("makes a branch where the run stands, once", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const make = (): Promise<ActionReport> => repository.perform("git.branch", { name: "pawl/here" }, { tree });
    expect(outputOf(await make())).toEqual({ branch: "pawl/here", commit: repository.base, created: true });
    const made = await commit(repository, tree);
    expect(outputOf(await make())).toEqual({ branch: "pawl/here", commit: repository.base, created: false });
    const onward = await repository.perform("git.branch", { name: "pawl/there" }, { tree });
    expect(outputOf(onward)).toEqual({ branch: "pawl/there", commit: made, created: true });
  });

  it("does not take a branch of somebody else", async () => {
    const repository = actionRepository();
    repository.git("switch", "-q", "-c", "pawl/here");
    repository.git("commit", "-q", "--allow-empty", "-m", "mine");
    const tree = repository.save({ x: "1" });
    const state = repository.state();
    expect(errorOf(await repository.perform("git.branch", { name: "pawl/here" }, { tree }))).toContain("did not make");
    expect(errorOf(await repository.perform("git.branch", {}, { tree }))).toContain("missing");
    expect(repository.state()).toBe(state);
  });
});

describe("git.merge", () => {
  it("takes only what a gate has passed, and only what the workspace holds now", async () => {
    const repository = actionRepository();
    const [first, second] = [repository.save({ "a.txt": "first\n" }), repository.save({ "a.txt": "second\n" })];
    await commit(repository, first);
    const before = repository.state();
    const merge = (context: { tree: string; verified: boolean }) =>
      repository.perform("git.merge", { into: "main" }, { ...context, stage: "merge" });
    expect(errorOf(await merge({ tree: first, verified: false }))).toContain("no gate has passed");
    expect(errorOf(await merge({ tree: second, verified: true }))).toContain("is not what the workspace holds now");
    expect(repository.state()).toBe(before);
  });

  const merged = async (into: string, mode: string, checkedOut: string) => {
    const repository = actionRepository();
    repository.git("branch", "release");
    repository.git("switch", "-q", checkedOut);
    const one = repository.save({ "new/x": "1", readme: null });
    const two = repository.save({ "src/a.txt": "changed\n" }, one);
    await commit(repository, one, "one", "first");
    const last = await commit(repository, two, "two", "second");
    const merge = () => repository.perform("git.merge", { into, mode }, { tree: two, stage: "merge" });
    return { repository, last, merge, report: await merge() };
  };

  it.each([
    ["main", "main"],
    ["release", "main"],
  ])("puts the commits on %s as they are while %s is checked out, once", async (into, checkedOut) => {
    const { repository, last, merge, report } = await merged(into, "ff", checkedOut);
    expect(report).toEqual({ ok: true, output: { into, commit: last, merged: true } });
    expect(repository.git("rev-parse", into)).toBe(last);
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(repository.root, "new/x"))).toBe(into === checkedOut);
    expect(existsSync(join(repository.root, "readme"))).toBe(into !== checkedOut);
    const state = repository.state();
    expect(outputOf(await merge())).toEqual({ into, commit: last, merged: false });
    expect(repository.state()).toBe(state);
  });

  it("puts everything on main as one commit, once, also when more came after it", async () => {
    const { repository, last, merge, report } = await merged("main", "squash", "main");
    const { git, base } = repository;
    const made = outputOf(report)["commit"] as string;
    expect(git("rev-list", "main")).toBe(`${made}\n${base}`);
    expect(git("rev-parse", "main^{tree}")).toBe(git("rev-parse", `${last}^{tree}`));
    expect(git("log", "-1", "--format=%B", "main")).toContain(`two\n\nPawl-Run: ${RUN}\nPawl-Stage: merge`);
    expect(git("status", "--porcelain")).toBe("");
    git("commit", "-q", "--allow-empty", "-m", "onward");
    expect(outputOf(await merge())).toEqual({ into: "main", commit: made, merged: false });
  });

  it("names its own certificate in the one commit of a squash, not that of the commits before", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const old = { ...CERTIFIED, trailer: "Pawl-Certificate: sha256:0d" };
    await repository.perform("git.commit", { message: "Add x" }, { tree, certificate: async () => old });
    const input = { into: "main", mode: "squash" };
    outputOf(
      await repository.perform("git.merge", input, { tree, stage: "merge", certificate: async () => CERTIFIED }),
    );
    const message = repository.git("log", "-1", "--format=%B", "main");
    expect(message.match(/^Pawl-Certificate: .*$/gm)).toEqual([CERTIFIED.trailer]);
  });

  it.each(["ff", "squash"])("completes what a crash left between the files and the branch (%s)", async (mode) => {
    const { repository, merge, report } = await merged("main", mode, "main");
    const { git, base } = repository;
    const made = outputOf(report)["commit"];
    git("update-ref", "refs/heads/main", base);
    expect(git("status", "--porcelain")).not.toBe("");
    expect(outputOf(await merge())).toEqual({ into: "main", commit: made, merged: true });
    expect(git("status", "--porcelain")).toBe("");
  });

  it.each([
    ["a changed file", (root: string) => writeFileSync(join(root, "readme"), "mine")],
    [
      "a staged file",
      (root: string, git: (...args: string[]) => string) => {
        writeFileSync(join(root, "staged"), "mine");
        git("add", "staged");
      },
    ],
    [
      "a file in the way",
      (root: string) => {
        mkdirSync(join(root, "new"));
        writeFileSync(join(root, "new/x"), "mine");
      },
    ],
    ["a deleted file", (_root: string, git: (...args: string[]) => string) => void git("rm", "-q", "src/a.txt")],
    [
      "a merge under way",
      (root: string, git: (...args: string[]) => string) =>
        writeFileSync(join(root, ".git/MERGE_HEAD"), `${git("rev-parse", "HEAD")}\n`),
    ],
  ])("leaves a checkout alone that has %s", async (_what, change) => {
    const repository = actionRepository();
    const tree = repository.save({ "new/x": "1", readme: "theirs", "src/a.txt": "theirs" });
    await commit(repository, tree);
    change(repository.root, repository.git);
    const state = repository.state();
    for (const mode of ["ff", "squash"]) {
      const report = await repository.perform("git.merge", { into: "main", mode }, { tree, stage: `m-${mode}` });
      expect(errorOf(report)).toContain("is checked out in");
    }
    expect(repository.state()).toBe(state);
  });

  it("keeps other files of the user: ignored ones and those nobody tracks", async () => {
    const repository = actionRepository();
    writeFileSync(join(repository.root, "notes"), "mine");
    const tree = repository.save({ x: "1" });
    await commit(repository, tree);
    outputOf(await repository.perform("git.merge", { into: "main" }, { tree, stage: "merge" }));
    expect(readFileSync(join(repository.root, "notes"), "utf8")).toBe("mine");
  });

  it("refuses a target that has moved, a branch that is not of the run, and what there is not", async () => {
    const repository = actionRepository();
    const { git } = repository;
    const tree = repository.save({ x: "1" });
    const merge = async (input: Record<string, string>): Promise<string> =>
      errorOf(await repository.perform("git.merge", input, { tree, stage: "merge" }));
    expect(await merge({ into: "main" })).toContain("no branch");
    await commit(repository, tree);
    expect(await merge({ into: "nowhere" })).toContain("no branch nowhere");
    expect(await merge({ into: "main", mode: "octopus" })).toContain("neither");
    for (const into of ["HEAD", "-f", "refs/heads/main", "main~1", "ma in", ""])
      expect(await merge({ into })).toContain("`into`");
    git("switch", "-q", "-c", "pawl/foreign");
    git("commit", "-q", "--allow-empty", "-m", "mine");
    git("switch", "-q", "main");
    expect(await merge({ into: "main", branch: "pawl/foreign" })).toContain("did not make");
    git("commit", "-q", "--allow-empty", "-m", "moved on");
    const state = repository.state();
    for (const mode of ["ff", "squash"]) expect(await merge({ into: "main", mode })).toContain("did not start from");
    expect(repository.state()).toBe(state);
  });

  it("needs level L3", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    await commit(repository, tree);
    const report = await repository.perform("git.merge", { into: "main" }, { tree, level: "L2" });
    expect(errorOf(report)).toContain("needs level L3; this run has L2");
  });
});
