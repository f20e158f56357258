/** A branch that is moved together with its checkout, by a git that is cut off half way, and beside what the user has there. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createGitMainline } from "../../src/adapters/git-actions/mainline.ts";
import { actionRepository } from "../support/action-repository.ts";

/** `steps`: what git does instead when it is told `verb`, once. */
function fixture(verb = "none", steps: readonly string[] = []) {
  const { dir, root, vault, git, save } = actionRepository();
  const gitProgram = join(dir, "cut-git");
  const once = join(dir, "once");
  const cut = [`if [ ! -e ${once} ]; then : > ${once}; cd ${root}`, ...steps, "kill -9 $$; fi"];
  const text = ["#!/bin/sh", `case " $* " in *" ${verb} "*)`, ...cut, ";; esac", 'exec git "$@"', ""];
  writeFileSync(gitProgram, text.join("\n"), { mode: 0o755 });
  const env = { PATH: process.env["PATH"] ?? "" };
  const mainline = createGitMainline({ root, vault, env, gitProgram, holdVault: (work) => work() });
  const commit = (files: Readonly<Record<string, string | null>>, from: string): string => save(files, from);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const base = commit({ "a.txt": "1", "b.txt": "1", "c.txt": "1", "d.txt": "1" }, git("rev-parse", "main"));
  git("fetch", "-q", vault, base);
  git("reset", "-q", "--hard", base);
  const next = commit({ "a.txt": "new text", "b.txt": "2", "c.txt": "2", "d.txt": null, "new/e.txt": "new" }, base);
  return { root, vault, git, mainline, base, next, commit, write };
}

it("L11: files that were half written are as they were, and what the user wrote meanwhile stays", async () => {
  const steps = ["printf 'new t' > a.txt", "rm b.txt d.txt", "printf mine > c.txt", "mkdir new; printf n > new/e.txt"];
  const { root, git, mainline, base, next } = fixture("read-tree", steps);
  expect(await mainline.advance("main", base, next, "k")).toMatchObject({ moved: false, raced: false });
  expect(git("status", "--porcelain", "--", ".", ":!.pawl")).toBe(" M c.txt".trim());
  expect(readFileSync(join(root, "c.txt"), "utf8")).toBe("mine");
  expect([existsSync(join(root, "new")), existsSync(join(root, ".git/index.lock"))]).toEqual([false, false]);
  git("checkout", "-q", "c.txt");
  expect(await mainline.advance("main", base, next, "k")).toEqual({ moved: true });
  expect(git("status", "--porcelain", "--", ".", ":!.pawl")).toBe("");
});

it("L11: locks that a killed git left of a branch are taken away, those of others are not", async () => {
  const steps = [": > .git/refs/heads/main.lock", ": > .git/HEAD.lock"];
  const { root, git, mainline, base, next } = fixture("update-ref --no-deref", steps);
  expect(await mainline.advance("main", base, next, "k")).toMatchObject({ moved: false, raced: false });
  expect(git("status", "--porcelain", "--", ".", ":!.pawl")).toBe("");
  expect(await mainline.advance("main", base, next, "k")).toEqual({ moved: true });
  const lock = join(root, ".git/refs/heads/main.lock");
  writeFileSync(lock, "");
  await mainline.mend("main");
  expect(existsSync(lock)).toBe(true);
});

it("L11: whoever is still at a branch is waited for", async () => {
  const { vault, mainline, base, next } = fixture();
  await mainline.mend("main");
  const folder = join(vault, "pawl", "landings");
  const record = openSync(join(folder, readdirSync(folder)[0] as string), "r");
  const other = spawn("sleep", ["1.2"], { stdio: ["ignore", "ignore", "ignore", record] });
  const ended = new Promise((resolve) => other.once("close", resolve));
  closeSync(record);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  expect(await mainline.advance("main", base, next, "k")).toEqual({ moved: true });
  expect(isOver).toBe(true);
});

it.each([
  ["a file that git ignores", "notes.txt", "notes.txt", "notes.txt"],
  ["a folder that git ignores", "out", "out/", "out/mine.txt"],
  ["a file on the way", "out/notes.txt", "out", "out"],
])("L11: %s is not overwritten", async (_, added, ignored, mine) => {
  const { root, git, mainline, base, commit, write } = fixture();
  write(".git/info/exclude", `${ignored}\n`);
  write(mine, "mine");
  const to = commit({ [added]: "of the agent" }, base);
  expect(await mainline.advance("main", base, to, "k")).toMatchObject({ moved: false, raced: false });
  expect([readFileSync(join(root, mine), "utf8"), git("rev-parse", "main")]).toEqual(["mine", base]);
});

it("L11: a branch that is being rebased is not moved", async () => {
  const { git, mainline, base, next, write } = fixture();
  git("checkout", "-q", "--detach");
  write(".git/rebase-merge/head-name", "refs/heads/main\n");
  expect(await mainline.advance("main", base, next, "k")).toEqual({
    ...{ moved: false, raced: false, why: "main cannot be moved now: it is being rebased." },
  });
  expect(git("rev-parse", "main")).toBe(base);
});
