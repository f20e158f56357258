import { expect, test } from "vitest";
import { apiError, scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { askModels } from "./ask.ts";
import { healthOf } from "./health.ts";

const AT = Date.parse("2026-03-04T12:00:00Z");
const RETRY_INFO = '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"8s"}]}}';

/** What a model that refuses once waits for before it is asked again, without the part of chance. */
async function waitsFor(error: Error): Promise<readonly number[]> {
  const waits: number[] = [];
  const clock = {
    now: () => AT,
    after: (ms: number, make: () => void) => {
      waits.push(ms);
      queueMicrotask(make);
      return () => undefined;
    },
  };
  const model = scriptedModel([{ throws: error }, { text: "ok" }]);
  const asking = {
    ...{ candidates: [{ name: "test/a", model, options: {} }], health: healthOf(undefined), clock, chance: () => 0 },
    ...{ onBilled: () => undefined, onFailure: () => undefined },
  };
  const asked = await askModels(asking, { prompt: [] }, new AbortController().signal);
  expect(asked.kind === "answered" ? model.asked.length : asked).toBe(2);
  return waits;
}

test.each([
  ["retry-after", "8"],
  ["retry-after-ms", "8000"],
  ["retry-after", "Wed, 04 Mar 2026 12:00:08 GMT"],
  ["x-ratelimit-reset-tokens", "8s"],
])("with %s: %s the same model is asked again in exactly 8 s", async (name, value) => {
  expect(await waitsFor(apiError(429, "slow down", { [name]: value }))).toEqual([8000]);
});

test("with a delay in the body of the answer it is the same", async () => {
  const error = Object.assign(apiError(429, "RESOURCE_EXHAUSTED"), { responseBody: RETRY_INFO });
  expect(await waitsFor(error)).toEqual([8000]);
});

test.each(["", "-8", "soon", "Infinity"])("retry-after: %j names no time", async (value) => {
  expect(await waitsFor(apiError(429, "slow down", { "retry-after": value }))).toEqual([0]);
});
