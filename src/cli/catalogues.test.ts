import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CATALOGUES, explainAll } from "./catalogues.ts";

const SRC = join(import.meta.dirname, "..");

function codesInTheTree(): string[] {
  const files = readdirSync(SRC, { recursive: true })
    .map(String)
    .filter((name) => /errors\.ts$/.test(name));
  return files.flatMap((name) => {
    const text = readFileSync(join(SRC, name), "utf8");
    return /satisfies Catalogue/.test(text)
      ? [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+): \{/gm)].map((match) => match[1] ?? "")
      : [];
  });
}

describe("explainAll", () => {
  it("explains every code of every catalogue in the tree", () => {
    expect(explainAll().map((each) => each.code)).toEqual(codesInTheTree().sort());
  });

  it("has each code once", () => {
    const codes = CATALOGUES.flatMap((catalogue) => Object.keys(catalogue));
    expect(codes).toEqual([...new Set(codes)]);
  });

  it("writes every sentence without the facts of a moment", () => {
    for (const each of explainAll()) {
      expect(each.what, each.code).not.toMatch(/undefined|\[object|function|NaN/);
      expect(each.hint, each.code).not.toMatch(/undefined|\[object|function|NaN/);
      expect(each.what.length, each.code).toBeGreaterThan(5);
    }
  });
});
