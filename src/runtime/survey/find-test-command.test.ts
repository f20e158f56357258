import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findTestCommand } from "./find-test-command.ts";
import { unreadManifests } from "./package-manifest.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-find-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function found(files: Record<string, string>): Promise<string | undefined> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return (await findTestCommand(root))?.argv.join(" ");
}

const MANIFEST = JSON.stringify({ scripts: { test: "vitest run" } });

describe("findTestCommand", () => {
  it("takes the test script of package.json with the package manager of the lockfile", async () => {
    expect(await found({ "package.json": `\uFEFF${MANIFEST}\r\n` })).toBe("npm test");
    expect(await found({ "package.json": MANIFEST })).toBe("npm test");
    expect(await found({ "bun.lock": "" })).toBe("bun run test");
    expect(await found({ "yarn.lock": "" })).toBe("yarn test");
    expect(await found({ "pnpm-lock.yaml": "" })).toBe("pnpm test");
  });

  it("does not take the script npm writes into every new package, nor a broken manifest", async () => {
    expect(
      await found({
        "package.json": JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
      }),
    ).toBe(undefined);
    expect(await found({ "package.json": "{ broken" })).toBe(undefined);
    expect(await found({ "package.json": "null" })).toBe(undefined);
    expect(await found({ "package.json": '{"scripts":{"test":" "}}' })).toBe(undefined);
  });

  it("goes by the files of other ecosystems", async () => {
    expect(await found({ Makefile: "CHECK := 1\nall:\n\techo\ncheck: all\n\ttrue\n" })).toBe("make check");
    expect(await found({ "go.mod": "module x" })).toBe("go test ./...");
    expect(await found({ "Cargo.toml": "" })).toBe("cargo test");
  });

  it("finds nothing where there is nothing", async () => {
    expect(await found({})).toBe(undefined);
    expect(await found({ Makefile: "test := 1\nbuild:\n\ttrue\n" })).toBe(undefined);
  });
});

describe("unreadManifests", () => {
  it("names what is there and cannot be read, and nothing else", async () => {
    expect(await unreadManifests(root)).toEqual([]);
    for (const [text, unread] of [
      [MANIFEST, []],
      ["{}", []],
      ["", ["package.json"]],
      ["null", ["package.json"]],
      ["{ broken", ["package.json"]],
    ] as const) {
      writeFileSync(join(root, "package.json"), text);
      expect([text, await unreadManifests(root)]).toEqual([text, unread]);
    }
    mkdirSync(join(root, "composer.json"));
    expect(await unreadManifests(root)).toEqual(["package.json", "composer.json"]);
  });
});
