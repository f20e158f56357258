import { expect, test } from "vitest";
import { customPreset } from "./custom.ts";

test("an agent of one's own is told which model it shall use, where the plan names one", () => {
  const { settings } = customPreset(["my-agent", "--acp"]);
  const given = { url: "http://127.0.0.1:1", token: "t" };
  expect(settings({ ...given, model: "smart" })).toMatchObject({ args: ["--acp"], env: { PAWL_MODEL: "smart" } });
  expect(settings({ ...given, model: null })).toMatchObject({ args: ["--acp"], env: {} });
});
