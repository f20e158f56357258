/** A git that was killed in the vault leaves its lock there. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createGitMainline } from "../../src/adapters/git-actions/mainline.ts";
import type { RunId } from "../../src/base/ids.ts";
import { actionRepository } from "../support/action-repository.ts";

it("L11: a change is carried over past the lock of a git that was killed", async () => {
  const { root, vault, git, save } = actionRepository();
  const mainline = createGitMainline({
    ...{ root, vault, env: { PATH: process.env["PATH"] ?? "" }, holdVault: (work) => work() },
  });
  const base = git("rev-parse", "main");
  git("fetch", "-q", vault, save({ "new.txt": "1" }, base));
  const source = git("rev-parse", "FETCH_HEAD");
  git("branch", "pawl/a", source);
  const run = "r_0123456789ab" as RunId;
  const lock = join(vault, "refs", "pawl", run, "merges", `${base}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, "");
  const change = { key: "k", run, into: "main", branch: "pawl/a", base, source, at: 5000 };
  expect(await mainline.stack(base, change)).toMatchObject({ exact: true });
  expect(existsSync(lock)).toBe(false);
}, 600_000);
