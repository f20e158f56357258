import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProgram, probeProgram } from "./program.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-claude-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): string {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), 0o755);
  return join(root, path);
}

const NATIVE = "\x7fELF and so on";
const on = { platform: "linux", processor: "x64" };

describe("the program of Claude Code", () => {
  test("is the first on PATH, wherever a link leads", () => {
    const real = put("share/versions/2.1.325", NATIVE);
    mkdirSync(join(root, "bin"));
    symlinkSync(real, join(root, "bin/claude"));
    expect(findProgram({ path: `${join(root, "none")}:${join(root, "bin")}`, ...on })).toBe(real);
  });

  test.each([
    "lib/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "lib/node_modules/@anthropic-ai/claude-code/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
  ])("is what the script of a package would start: %s", (place) => {
    const script = put("lib/node_modules/@anthropic-ai/claude-code/bin/claude.js", "#!/usr/bin/env node\n");
    const native = put(place, NATIVE);
    mkdirSync(join(root, "bin"));
    symlinkSync(script, join(root, "bin/claude"));
    expect(findProgram({ path: join(root, "bin"), ...on })).toBe(native);
  });

  test("is not there when only a script is", () => {
    put("bin/claude", "#!/bin/sh\n");
    expect(findProgram({ path: join(root, "bin"), ...on })).toBeNull();
    expect(findProgram({ path: "", ...on })).toBeNull();
  });

  test("is the one that was named", () => {
    const named = put("mine", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    expect(findProgram({ path: "", program: named, ...on })).toBe(named);
    expect(findProgram({ path: "", program: join(root, "none"), ...on })).toBeNull();
  });
});

describe("a probe of Claude Code", () => {
  const probe = (text: string) => probeProgram({ path: "", program: put("claude", text) });

  test("tells its version, and whether it was tested", async () => {
    expect(await probe("#!/bin/sh\necho '2.1.325 (Claude Code)'\n")).toEqual({
      version: "2.1.325",
      program: join(root, "claude"),
      tested: "2.1.317 – 2.1.325",
      inRange: true,
      hint: null,
    });
    for (const version of ["2.1.316", "2.1.326", "2.2.0", "3.0.0", "1.9.999"]) {
      const found = await probe(`#!/bin/sh\necho '${version} (Claude Code)'\n`);
      expect(found).toMatchObject({ version, inRange: false, hint: expect.stringContaining("2.1.325") });
    }
  });

  test.each(["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho hello\n"])("tells when it does not say: %j", async (text) => {
    expect(await probe(text)).toMatchObject({ version: null, inRange: false });
  });

  test("tells how to get it", async () => {
    expect(await probeProgram({ path: "" })).toMatchObject({
      version: null,
      program: null,
      hint: expect.stringContaining("npm install -g @anthropic-ai/claude-code"),
    });
  });
});
