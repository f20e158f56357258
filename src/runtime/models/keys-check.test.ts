import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Config } from "../config.ts";
import { keysCheck } from "./keys-check.ts";
import { modelKeys } from "./model-keys.ts";

const SECRET = "sk-0123456789";

/** `mode`: of a file with a key of Google. */
async function checkWith(hostEnv: Readonly<Record<string, string>>, mode: number | null = null) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const keysFile = join(folder, "keys.json");
  if (mode !== null) {
    writeFileSync(keysFile, JSON.stringify({ google: SECRET }));
    chmodSync(keysFile, mode);
  }
  return keysCheck(async () => modelKeys({ hostEnv, models: { keysFile } } as unknown as Config));
}

test("says whose keys there are, and none of them", async () => {
  const check = await checkWith({ OPENAI_API_KEY: SECRET }, 0o600);
  expect(check).toEqual({ name: "keys", status: "ok", detail: "of google, openai", hint: null });
  expect(JSON.stringify(check)).not.toContain(SECRET);
  expect(await checkWith({})).toMatchObject({
    status: "ok",
    detail: expect.stringContaining("none"),
    hint: expect.stringContaining("ANTHROPIC_API_KEY"),
  });
});

test("a file that others can read is a failure, before a run finds out", async () => {
  expect(await checkWith({ OPENAI_API_KEY: SECRET }, 0o644)).toMatchObject({
    status: "fail",
    detail: expect.stringContaining("0644"),
    hint: expect.stringContaining("chmod 600"),
  });
});

test("a defect stays one", async () => {
  await expect(keysCheck(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
});
