/** Sizes, names and places. There is no list of exceptions: what is too big is split. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesBelow, lineCount, ROOT, textOf } from "./tree.ts";

const FORBIDDEN_NAMES = /(^|[-.])(utils?|helpers?|common|misc|managers?|services?|impl|data|info|new|v\d+)([-.]|$)/;
const WAIVERS = new RegExp(
  [
    "biome" + "-ignore",
    "@ts" + "-(ignore|nocheck|expect-error)",
    "eslint" + "-disable",
    "v8 " + "ignore",
    "\\bTO" + "DO\\b",
    "\\bFIX" + "ME\\b",
  ].join("|"),
);

const sources = filesBelow("src").filter((path) => path.endsWith(".ts"));
const shipped = sources.filter((path) => !path.endsWith(".test.ts"));
const everything = ["src", "test", "scripts"].flatMap(filesBelow).filter((path) => /\.(ts|mjs)$/.test(path));

function filesPerFolder(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of shipped) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}

describe("the shape of the tree", () => {
  test("keeps the loop of the kernel at 150 lines", () => {
    expect(lineCount("src/kernel/loop.ts")).toBeLessThanOrEqual(150);
  });

  test("keeps the bin at 60 lines", () => {
    expect(lineCount("src/cli/main.ts")).toBeLessThanOrEqual(60);
  });

  test("has no file above 400 lines, and no test above 600", () => {
    const limit = (path: string): number => (path.startsWith("test/") || path.endsWith(".test.ts") ? 600 : 400);
    expect(everything.filter((path) => lineCount(path) > limit(path))).toEqual([]);
  });

  test("has at most 14 files in a folder, and 20 commands", () => {
    const limit = (folder: string): number => (folder === "src/cli/commands" ? 20 : 14);
    expect([...filesPerFolder()].filter(([folder, count]) => count > limit(folder))).toEqual([]);
  });

  test("is at most three folders deep below src", () => {
    expect(shipped.filter((path) => dirname(path).split("/").length > 4)).toEqual([]);
  });

  test("names no file with a word that says nothing", () => {
    expect(sources.filter((path) => FORBIDDEN_NAMES.test(basename(path)))).toEqual([]);
  });

  test("has a folder in src only for a layer", () => {
    const layers = shipped.flatMap((path) => path.split("/").slice(1, -1).slice(0, 1));
    const known = [
      "base",
      "limits",
      "policy",
      "blueprint",
      "plan",
      "gates",
      "run",
      "ports",
      "kernel",
      "engines",
      "harness",
      "gateway",
      "loops",
      "adapters",
      "runtime",
      "server",
      "cli",
    ];
    expect([...new Set(layers)].filter((layer) => !known.includes(layer))).toEqual([]);
  });

  test("has one barrel only", () => {
    const reexports = shipped.filter(
      (path) => path !== "src/index.ts" && /^export (\*|\{[^}]*\}|type \{[^}]*\}) from /m.test(textOf(path)),
    );
    expect(reexports).toEqual([]);
  });

  test("has no waiver, no suppression and nothing left for later", () => {
    expect(everything.filter((path) => WAIVERS.test(textOf(path)))).toEqual([]);
  });

  test("has tests beside the code of every pure layer", () => {
    const layers = ["base", "limits", "policy", "blueprint", "plan", "gates", "run", "kernel"];
    expect(
      layers.filter((layer) => !sources.some((path) => path.startsWith(`src/${layer}/`) && path.endsWith(".test.ts"))),
    ).toEqual([]);
  });

  test("has classes for errors only", () => {
    const classes = shipped.flatMap((path) =>
      [...textOf(path).matchAll(/^\s*(?:export )?(?:abstract )?class (\w+)(?: extends (\w+))?/gm)].map(
        (found) => `${path}: ${found[1]} extends ${found[2] ?? "nothing"}`,
      ),
    );
    expect(classes.filter((line) => !line.endsWith("extends Error"))).toEqual([]);
  });

  test("has one place that gives property tests their seed", () => {
    const own = ["test/support/property.ts", "test/architecture/shape.test.ts"];
    const tests = everything.filter((path) => /^test\/|\.test\.ts$/.test(path) && !own.includes(path));
    expect(tests.filter((path) => /\bfc\.(assert|check|sample)\(|configureGlobal/.test(textOf(path)))).toEqual([]);
  });

  test("mocks nothing: fakes are adapters", () => {
    const mocking = new RegExp(["\\bvi\\.(" + "mock|doMock|spyOn|fn|useFakeTimers|stubGlobal)\\b"].join(""));
    expect(everything.filter((path) => mocking.test(textOf(path)))).toEqual([]);
  });

  test("has AGENTS.md within 120 lines and ARCHITECTURE.md within 300", () => {
    expect(lineCount("AGENTS.md")).toBeLessThanOrEqual(120);
    expect(lineCount("ARCHITECTURE.md")).toBeLessThanOrEqual(300);
  });

  test("has no dead link in its documents", () => {
    const documents = [
      "README.md",
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "AGENTS.md",
      "SECURITY.md",
      "CHANGELOG.md",
      ...["docs", "examples"].flatMap(filesBelow).filter((path) => path.endsWith(".md")),
    ];
    expect(documents.flatMap(deadLinks)).toEqual([]);
  });

  test("names only files that exist in ARCHITECTURE.md", () => {
    const named = [
      ...textOf("ARCHITECTURE.md").matchAll(/`((?:src|test|scripts|docs|bench|examples)\/[\w./-]*\w\.\w+)`/g),
    ].map((found) => found[1] ?? "");
    expect(named.length).toBeGreaterThan(20);
    expect([...new Set(named)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

function deadLinks(path: string): string[] {
  const targets = [...textOf(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((found) => found[1] ?? "");
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(ROOT, dirname(path), target)))
    .map((target) => `${path} → ${target}`);
}
