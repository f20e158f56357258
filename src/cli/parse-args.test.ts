import { describe, expect, it } from "vitest";
import { isPawlError } from "../base/errors.ts";
import { asksForHelp, commandName, formatOf, parseArgs } from "./parse-args.ts";
import type { CommandSpec } from "./spec.ts";

const SPEC: CommandSpec = {
  name: "try",
  summary: "Try",
  details: [],
  arguments: [
    { name: "first", summary: "one", required: true },
    { name: "others", summary: "more", required: false, rest: true },
  ],
  options: [
    { kind: "flag", flags: "--dry-run", summary: "a flag" },
    { kind: "text", flags: "--level <level>", summary: "a choice", choices: ["L0", "L1"], default: "L1" },
    { kind: "count", flags: "--limit <n>", summary: "a number", min: 1, default: 20 },
    { kind: "list", flags: "--param <pair>", summary: "a list" },
  ],
  examples: [],
  exits: [0],
  formats: ["json", "jsonl"],
  run: () => Promise.resolve(0),
};

function message(...argv: string[]): string {
  try {
    parseArgs(SPEC, ["try", ...argv]);
    return "accepted";
  } catch (error) {
    return isPawlError(error) && error.code === "CLI_USAGE_INVALID" ? error.message : String(error);
  }
}

describe("parseArgs", () => {
  it("gives what was written, and defaults for the rest", () => {
    const { given, globals } = parseArgs(SPEC, [
      "try",
      "a",
      "--param",
      "x=1",
      "--dry-run",
      "--param",
      "y=2",
      "b",
      "--json",
      "-C",
      "dir",
      "--limit",
      "7",
    ]);
    expect(given.text("first")).toBe("a");
    expect(given.list("others")).toEqual(["b"]);
    expect(given.list("param")).toEqual(["x=1", "y=2"]);
    expect(given.flag("dry-run")).toBe(true);
    expect(given.text("level")).toBe("L1");
    expect(given.count("limit")).toBe(7);
    expect(globals).toEqual({ root: "dir", color: true, format: "json" });
  });

  it("takes global options before the command too", () => {
    const { given, globals } = parseArgs(SPEC, ["--no-color", "--root=dir", "try", "a", "--jsonl"]);
    expect(given.flag("dry-run")).toBe(false);
    expect(given.list("param")).toEqual([]);
    expect(globals).toEqual({ root: "dir", color: false, format: "jsonl" });
  });

  it("takes everything after -- as it is", () => {
    const { given, globals } = parseArgs(SPEC, ["try", "--", "a", "--json", "-x"]);
    expect(given.list("others")).toEqual(["--json", "-x"]);
    expect(globals.format).toBe("human");
  });

  it("refuses with a sentence what has no meaning", () => {
    expect(message("a", "--dry-rnu")).toBe("Unknown option '--dry-rnu' (Did you mean --dry-run?)");
    expect(message()).toBe("Missing required argument 'first'.");
    expect(message("a", "--level", "L9")).toContain("Allowed choices are L0, L1.");
    expect(message("a", "--limit", "0")).toContain("It must be a whole number of at least 1.");
    expect(message("a", "--limit", "1e3")).toContain("whole number");
    expect(message("a", "--limit", "-1")).toContain("whole number");
    expect(message("a", "--param")).toContain("argument missing");
    expect(message("a", "--json", "--jsonl")).toContain("--json");
  });

  it("throws when a command asks for what its spec does not have", () => {
    const { given } = parseArgs(SPEC, ["try", "a"]);
    expect(() => given.flag("nothing")).toThrow('no argument or option "nothing"');
  });
});

describe("commandName", () => {
  it("is the first word that is not an option or the value of one", () => {
    expect(commandName(["-C", "run", "--json", "plan", "x"])).toBe("plan");
    expect(commandName(["--root", "run"])).toBe(undefined);
    expect(commandName(["--root=run", "plan"])).toBe("plan");
    expect(commandName([])).toBe(undefined);
    expect(commandName(["--", "run"])).toBe("run");
  });
});

describe("what is looked for before parsing", () => {
  it("stops at --", () => {
    expect(asksForHelp(["init", "--", "make", "--help"])).toBe(false);
    expect(asksForHelp(["run", "--help"])).toBe(true);
    expect(formatOf(["init", "--", "--json"])).toBe("human");
    expect(formatOf(["run", "--jsonl"])).toBe("jsonl");
    expect(formatOf(["run", "--json"])).toBe("json");
  });
});
