import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { readKeys } from "./keys.ts";
import { baseUrlOf, PROVIDERS } from "./providers.ts";

function keyFile(text: string, mode = 0o600): string {
  const file = join(tempDir(), "keys.json");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const keysIn = (file: string, env = {}): unknown => Object.fromEntries(readKeys({ providers: PROVIDERS, env, file }));

describe("readKeys", () => {
  it("takes the environment, the first name that is set", () => {
    const env = { ANTHROPIC_API_KEY: "a", PAWL_ANTHROPIC_API_KEY: "p", GOOGLE_API_KEY: "g", OPENAI_API_KEY: "" };
    expect(keysIn("/nowhere/keys.json", env)).toEqual({ anthropic: "p", google: "g" });
  });

  it("takes a file of one's own, and the environment before it", () => {
    const file = keyFile('{ "anthropic": "from-file", "openai": "o" }');
    expect(keysIn(file, { ANTHROPIC_API_KEY: "a" })).toEqual({ anthropic: "a", openai: "o" });
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o606, 0o666])("refuses a file with the mode %o", (mode) => {
    const file = keyFile('{ "anthropic": "k" }', mode);
    expect(() => keysIn(file)).toThrow(expect.objectContaining({ code: "GATEWAY_KEYS_EXPOSED" }));
  });

  it.each(["{", "[]", "null", '{ "anthropic": 1 }', '{ "anthropic": "" }', '{ "anthropic": "a\\nb" }'])(
    "refuses a file with %s",
    (text) => {
      expect(() => keysIn(keyFile(text))).toThrow(expect.objectContaining({ code: "GATEWAY_KEYS_UNFIT" }));
    },
  );

  it("refuses a link and a folder", () => {
    const folder = tempDir();
    const link = join(folder, "keys.json");
    symlinkSync(keyFile("{}"), link);
    expect(() => keysIn(link)).toThrow(expect.objectContaining({ code: "GATEWAY_KEYS_UNFIT" }));
    const inner = join(tempDir());
    chmodSync(inner, 0o700);
    expect(() => keysIn(inner)).toThrow(expect.objectContaining({ code: "GATEWAY_KEYS_UNFIT" }));
  });
});

describe("baseUrlOf", () => {
  it("takes an address with or without the version at its end", () => {
    expect(baseUrlOf("http://127.0.0.1:8787/v1")).toBe("http://127.0.0.1:8787");
    expect(baseUrlOf("https://example.org/api/v1beta/")).toBe("https://example.org/api");
    expect(baseUrlOf("https://example.org")).toBe("https://example.org");
  });

  it.each([
    "",
    "example.org",
    "ftp://example.org",
    "https://u:p@example.org",
    "https://example.org?x=1",
    "https://x/#y",
  ])("refuses %s", (text) => {
    expect(baseUrlOf(text)).toBeNull();
  });
});
