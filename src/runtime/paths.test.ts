import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { prepareState, stateProblem } from "./paths.ts";

test("git sees nothing of the state, also where somebody was stopped before it could say so", async () => {
  const [fresh, stopped, own] = [join(tempDir(), ".pawl"), tempDir(), tempDir()];
  writeFileSync(join(stopped, ".gitignore"), "");
  writeFileSync(join(own, ".gitignore"), "/tmp\n");
  const dirs = [fresh, stopped, own];
  for (const dir of dirs) await prepareState(dir);
  expect(dirs.map((dir) => readFileSync(join(dir, ".gitignore"), "utf8"))).toEqual(["*\n", "*\n", "/tmp\n"]);
});

test("what is there instead of a folder is named, and stays as it is", async () => {
  const dir = join(tempDir(), ".pawl");
  writeFileSync(dir, "mine");
  await expect(prepareState(dir)).rejects.toMatchObject({ code: "JOURNAL_IO", problems: [{ data: { file: dir } }] });
  expect(readFileSync(dir, "utf8")).toBe("mine");
});

test("a name that is taken by a folder does no harm", async () => {
  const dir = tempDir();
  mkdirSync(join(dir, ".gitignore"));
  await expect(prepareState(dir)).resolves.toBeUndefined();
});

test.each([
  ["ENOSPC", "JOURNAL_DISK_FULL"],
  ["EDQUOT", "JOURNAL_DISK_FULL"],
  ["EROFS", "JOURNAL_READ_ONLY"],
  ["EACCES", "JOURNAL_READ_ONLY"],
  ["ENOTDIR", "JOURNAL_IO"],
])("%s is told as %s", (errno, code) => {
  const error = Object.assign(new Error(`${errno}: no`), { code: errno });
  expect(stateProblem("/p/.pawl", error)).toMatchObject({ code, problems: [{ data: { file: "/p/.pawl" } }] });
});

test("a defect is told as it is", () => {
  const defect = new TypeError("no");
  expect(stateProblem("/p/.pawl", defect)).toBe(defect);
});
