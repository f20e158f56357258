import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { layOutSkill } from "./lay-out-skill.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pawl-skills-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const SKILL = { digest: "d1", files: [{ path: "lib/run.sh", bytes: Buffer.from("echo 1") }] };

test.for([
  ["cut short", "lib/run.sh", ""],
  ["changed", "lib/run.sh", "echo 2"],
  ["added to", "lib/more.sh", "echo 3"],
] as const)("T8: a skill that was %s where it was laid out is laid out again", async ([, path, text]) => {
  const place = await layOutSkill(dir, SKILL);
  chmodSync(join(place, "lib/run.sh"), 0o700);
  writeFileSync(join(place, path), text);
  expect(await layOutSkill(dir, SKILL)).toBe(place);
  expect(readdirSync(join(place, "lib"))).toEqual(["run.sh"]);
  expect(readFileSync(join(place, "lib/run.sh"), "utf8")).toBe("echo 1");
  expect(readdirSync(dir)).toEqual(["d1"]);
});

test("T8: a skill is laid out by many at a time, and once", async () => {
  const places = await Promise.all(Array.from({ length: 8 }, () => layOutSkill(dir, SKILL)));
  expect(new Set(places)).toEqual(new Set([join(dir, "d1")]));
  expect(readdirSync(dir)).toEqual(["d1"]);
});
