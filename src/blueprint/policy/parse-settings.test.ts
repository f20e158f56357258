import { describe, expect, it } from "vitest";
import { parseSettings } from "./parse-settings.ts";

describe("auto_resume in pawl.yaml", () => {
  it("is true unless it says otherwise", () => {
    const read = (text: string): unknown => {
      const parsed = parseSettings(text, "pawl.yaml");
      return parsed.ok ? parsed.value : parsed.problems.map(({ code }) => code);
    };
    expect(read("")).toEqual({ autoResume: true });
    expect(read("policy: {}")).toEqual({ autoResume: true });
    expect(read("auto_resume: false")).toEqual({ autoResume: false });
    expect(read("auto_resume: no")).toEqual(["BLUEPRINT_VALUE_INVALID"]);
    expect(read("[]")).toEqual(["BLUEPRINT_VALUE_TYPE"]);
  });
});
