import { describe, expect, it } from "vitest";
import { addGateFile, parseGateFile } from "./parse-gate-file.ts";

function read(text: string) {
  const file = parseGateFile(text, "gate.yaml");
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return file.value;
}

const RULES = {
  deny: ["src/secret.ts"],
  allow: null,
  maxFiles: 3,
  maxLines: null,
  denied: "fail",
  beyond: "escalate",
  dotfiles: "allow",
  modes: "allow",
  links: "allow",
  submodules: "allow",
  lockfiles: "allow",
  ci: "allow",
  binary: "allow",
} as const;

describe("parseGateFile", () => {
  it("reads what is written, and has what loop-engineering has where nothing is", () => {
    const text = "version: 1\ndenylist: [infra/**]\nmaxFiles: 4\nautoMergeAllowlist: [docs/**]\n";
    expect(read(text)).toEqual({ deny: ["infra/**"], maxFiles: 4, mergeAllow: ["docs/**"] });
    const plain = read("version: 1\n");
    expect(plain).toMatchObject({ maxFiles: 10, mergeAllow: ["docs/**", "**/*.md"] });
    expect(plain.deny).toHaveLength(12);
  });

  it("refuses what it does not understand, with its place", () => {
    const problems = (text: string) => {
      const file = parseGateFile(text, "gate.yaml");
      return file.ok ? [] : file.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`);
    };
    expect(problems("version: 2\ndenyList: [a]\nmaxFiles: 0\ndenylist: ['a[b]']\n")).toEqual([
      "BLUEPRINT_VALUE_INVALID 1:10",
      "BLUEPRINT_KEY_UNKNOWN 2:1",
      "BLUEPRINT_VALUE_INVALID 3:11",
      "BLUEPRINT_GLOB_INVALID 4:12",
    ]);
    expect(problems("[]")).toEqual(["BLUEPRINT_VALUE_TYPE 1:1"]);
  });
});

describe("addGateFile", () => {
  it("forbids what either of them forbids", () => {
    const file = { deny: ["auth/**"], maxFiles: 10, mergeAllow: ["docs/**"] };
    expect(addGateFile(RULES, "change", file)).toEqual({ ...RULES, deny: ["auth/**", "src/secret.ts"] });
    expect(addGateFile({ ...RULES, maxFiles: null }, "merge", file)).toMatchObject({
      maxFiles: 10,
      allow: ["docs/**"],
    });
    expect(addGateFile({ ...RULES, allow: ["a"] }, "merge", file)).toMatchObject({ maxFiles: 3, allow: ["a"] });
  });
});
