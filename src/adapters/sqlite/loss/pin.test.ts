import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import {
  createPin,
  EMPTY_PIN,
  type Pin,
  parsePin,
  pinPath,
  pinText,
  readPin,
  replacePin,
  replacePinLater,
} from "./pin.ts";

const PIN: Pin = { entries: 3, entry: "a".repeat(43), runs: 2, events: 9, event: "b".repeat(43) };

describe("the pin", () => {
  it("is one line, private, and read as it was written", async () => {
    const dir = tempDir();
    expect(readPin(dir)).toEqual({ state: "missing" });
    createPin(dir, EMPTY_PIN);
    expect(readPin(dir)).toEqual({ state: "found", pin: EMPTY_PIN });
    replacePin(dir, PIN);
    expect(readPin(dir)).toEqual({ state: "found", pin: PIN });
    await replacePinLater(dir, { ...PIN, entries: 4 });
    expect(readPin(dir)).toEqual({ state: "found", pin: { ...PIN, entries: 4 } });
    expect(statSync(pinPath(dir)).mode & 0o777).toBe(0o600);
    expect(readFileSync(pinPath(dir), "utf8")).toMatch(/^\{.*\}\n$/);
    expect(readdirSync(dir)).toEqual(["pawl.pin"]);
  });

  it("is not replaced by one that only wants to begin", () => {
    const dir = tempDir();
    replacePin(dir, PIN);
    createPin(dir, EMPTY_PIN);
    expect(readPin(dir)).toEqual({ state: "found", pin: PIN });
    expect(readdirSync(dir)).toEqual(["pawl.pin"]);
  });

  it("is not believed after any change of a byte, nor with one more or less", () => {
    const text = pinText(PIN);
    for (let at = 0; at < text.length; at += 1) {
      const changed = String.fromCharCode(text.charCodeAt(at) ^ 1);
      expect(parsePin(text.slice(0, at) + changed + text.slice(at + 1)), `at ${at}`).toMatchObject({
        state: "damaged",
      });
      expect(parsePin(text.slice(0, at)), `cut at ${at}`).toMatchObject({ state: "damaged" });
    }
    for (const wrong of [`${text} `, "[]", "null", "1", '{"entries":1}', " ".repeat(5000)])
      expect(parsePin(wrong), wrong.slice(0, 20)).toMatchObject({ state: "damaged" });
  });

  it("is damaged, and not missing, if it cannot be read", () => {
    const dir = tempDir();
    mkdirSync(pinPath(dir));
    expect(readPin(dir)).toMatchObject({ state: "damaged", problem: expect.stringContaining("cannot be read") });
  });
});
