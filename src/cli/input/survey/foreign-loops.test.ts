import { describe, expect, it } from "vitest";
import { diagnose } from "../../../base/diagnostic.ts";
import { isPawlError } from "../../../base/errors.ts";
import { RUNTIME_ERRORS } from "../../../runtime/errors.ts";
import { foreignLoops } from "./foreign-loops.ts";

const HERE = { root: "/p", cwd: "/p" };
const GOOD = { name: "good", key: "blueprint", source: "good.yaml" } as const;
const broken = (source: string) => ({
  source,
  problems: [diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file: source })],
});
/** No door opens anything. */
const NO_DOOR = {
  doorOf: () => Promise.resolve(null),
  compile: () => Promise.reject(new Error("nothing is behind a door")),
};

async function taken(from: string, ...names: readonly string[]): Promise<readonly string[]> {
  const found = { loops: names.includes("good.yaml") ? [GOOD] : [], broken: names.filter(isBad).map(broken) };
  try {
    return (await foreignLoops(HERE, NO_DOOR, from, found)).map(({ source }) => source);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return error.problems.map(({ code, what }) => `${code} ${what}`);
  }
}

const isBad = (name: string): boolean => name.startsWith("bad");

describe("init --from", () => {
  it("takes what can run, whatever else is broken", async () => {
    expect(await taken(".", "bad.yaml", "good.yaml")).toEqual(["good.yaml"]);
    expect(await taken("good.yaml", "bad.yaml", "good.yaml")).toEqual(["good.yaml"]);
  });

  it("says what is broken where nothing else was meant", async () => {
    const problem = (name: string) => expect.stringMatching(new RegExp(`^BLUEPRINT_FILE_UNREADABLE .*${name}`));
    expect(await taken(".", "bad1.yaml", "bad2.yaml")).toEqual([problem("bad1.yaml"), problem("bad2.yaml")]);
    expect(await taken("bad1.yaml", "bad1.yaml", "bad2.yaml", "good.yaml")).toEqual([problem("bad1.yaml")]);
  });

  it("refuses a place with nothing", async () => {
    expect(await taken(".")).toEqual([expect.stringContaining("CLI_FROM_UNKNOWN")]);
    expect(await taken("else", "bad1.yaml")).toEqual([expect.stringContaining("CLI_FROM_UNKNOWN")]);
  });
});
