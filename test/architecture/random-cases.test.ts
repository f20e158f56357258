/** Random cases can be repeated: `npm test` always tries the same ones, the full run new ones from a seed that it prints. */
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty, SEED } from "../support/property.ts";
import { filesBelow, ROOT, textOf } from "./tree.ts";

const tests = ["src", "test"].flatMap(filesBelow).filter((path) => path.endsWith(".ts"));
const OWN_DICE = new RegExp(["\\bfc\\.(assert", "check", "sample)\\("].join("|"));

interface Settings {
  readonly printed: string;
  readonly seed: string;
}

function settingsWith(env: Readonly<Record<string, string>>): Settings {
  // Vitest reads its file once for each project.
  const script = `const read = async (again) => (await import("./vitest.config.ts" + again)).default.test.env.PAWL_SEED;
    console.log("seed:" + [...new Set([await read(""), await read("?again")])].join(" and "))`;
  const { PAWL_SEED: _seed, PAWL_FULL: _full, PAWL_CASES: _cases, ...rest } = process.env;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const text = execFileSync(process.execPath, args, { cwd: ROOT, encoding: "utf8", env: { ...rest, ...env } });
  const [printed = "", seed = ""] = text.trim().split("seed:");
  return { printed: printed.trim(), seed };
}

describe("random cases", () => {
  test("come from one place, which knows the seed", () => {
    const others = tests.filter(
      (path) => path !== "test/support/property.ts" && !path.startsWith("test/architecture/"),
    );
    expect(others.filter((path) => OWN_DICE.test(textOf(path)))).toEqual([]);
  });

  test("are the same in every run of the tests", () => {
    expect([settingsWith({}), settingsWith({})]).toEqual([
      { printed: "", seed: "1" },
      { printed: "", seed: "1" },
    ]);
  });

  test("are new in each full run, which prints their seed, and can be repeated", () => {
    const [one, other] = [settingsWith({ PAWL_FULL: "1" }), settingsWith({ PAWL_FULL: "1" })];
    expect(one.seed).not.toBe(other.seed);
    expect(one.printed).toContain(`PAWL_SEED=${one.seed}.`);
    expect(settingsWith({ PAWL_FULL: "1", PAWL_SEED: one.seed }).seed).toBe(one.seed);
  });

  test("of a seed that once failed are tried again each time, before those of the seed of this run", () => {
    const seen: number[] = [];
    const property = fc.property(fc.integer(), (value) => void seen.push(value));
    assertProperty(property, { runs: 20, failedSeeds: [-625_669_494] });
    const first = seen.slice(0, 20);
    seen.length = 0;
    assertProperty(property, { runs: 20, failedSeeds: [-625_669_494, SEED] });
    const [again, own] = [seen.slice(0, 20), seen.slice(20, 40)];
    expect(again).toEqual(first);
    expect(own).not.toEqual(first);
    expect(seen.slice(40, 60)).toEqual(own);
  });
});
