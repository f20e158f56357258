/** project.apply: what the gates have passed, all of it or nothing, and never over a change of the user. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ActionRepository, actionRepository, RUN } from "../support/action-repository.ts";

function begun(): ActionRepository {
  const repository = actionRepository();
  repository.inVault("update-ref", `refs/pawl/${RUN}/start`, repository.base);
  return repository;
}

const errorOf = (report: { readonly ok: boolean; readonly error?: string }): string => report.error ?? "none";
const CHANGE = { "src/a.txt": "new\n", "src/deep/b.txt": "b\n", readme: null };

test("L8: the files of the project become what was judged, and doing it again changes nothing", async () => {
  const repository = begun();
  const tree = repository.save(CHANGE);
  const report = await repository.perform("project.apply", {}, { tree });
  expect(report).toEqual({ ok: true, output: { files: 3 } });
  const read = (path: string): string => readFileSync(join(repository.root, path), "utf8");
  expect([read("src/a.txt"), read("src/deep/b.txt"), existsSync(join(repository.root, "readme"))]).toEqual([
    "new\n",
    "b\n",
    false,
  ]);
  const state = repository.state();
  expect(await repository.perform("project.apply", {}, { tree })).toEqual(report);
  expect(repository.state()).toBe(state);
  // Half of it, as a crash leaves it.
  writeFileSync(join(repository.root, "readme"), "hello\n");
  expect(await repository.perform("project.apply", {}, { tree })).toEqual(report);
  expect(repository.state()).toBe(state);
});

test("V1: nothing is applied that no gate has passed, nor over what the user has changed, nor through a link", async () => {
  const repository = begun();
  const state = repository.state();
  const tree = repository.save(CHANGE);
  expect(errorOf(await repository.perform("project.apply", {}, { tree, verified: false }))).toContain(
    "no gate has passed",
  );
  expect(errorOf(await repository.perform("project.apply", {}, { tree, level: "L1" }))).toContain("L2");
  const sealed = repository.save({ ".claude/settings.json": "{}" });
  expect(errorOf(await repository.perform("project.apply", {}, { tree: sealed }))).toContain("is sealed");
  expect(repository.state()).toBe(state);
  writeFileSync(join(repository.root, "src/a.txt"), "mine\n");
  expect(errorOf(await repository.perform("project.apply", {}, { tree }))).toContain("was changed in the project");
  expect(readFileSync(join(repository.root, "readme"), "utf8")).toBe("hello\n");
  const outside = join(repository.dir, "outside");
  mkdirSync(outside);
  rmSync(join(repository.root, "src"), { recursive: true });
  symlinkSync(outside, join(repository.root, "src"));
  expect(errorOf(await repository.perform("project.apply", {}, { tree }))).toContain("was changed in the project");
  expect(existsSync(join(outside, "a.txt"))).toBe(false);
});
