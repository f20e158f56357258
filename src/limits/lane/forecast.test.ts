import { expect, it } from "vitest";
import { etaMs } from "./forecast.ts";
import { jobProblem, sizeProblem } from "./requests.ts";

it("a job begins at once where there is room, and else when those before it are over", () => {
  const pace = { max: 4, running: 3, meanMs: 1000 };
  expect([1, 2, 5].map((position) => etaMs(position, pace))).toEqual([0, 250, 1000]);
  expect(etaMs(1, { ...pace, running: 6 })).toBe(250);
});

it("nobody knows when nothing has ended yet, or nothing may run", () => {
  expect(etaMs(2, { max: 1, running: 0, meanMs: null })).toBeNull();
  expect(etaMs(1, { max: 1, running: 0, meanMs: null })).toBe(0);
  expect(etaMs(1, { max: 0, running: 0, meanMs: 5 })).toBeNull();
});

it("a lane says what it cannot count", () => {
  const job = { id: "1", lane: "l", caller: "c", priority: 0 };
  expect(jobProblem(job)).toBeNull();
  const empty = "its id, its lane or its caller is empty";
  for (const fields of [{ id: "" }, { lane: "" }, { caller: "" }])
    expect(jobProblem({ ...job, ...fields })).toBe(empty);
  expect(jobProblem({ ...job, priority: 0.5 })).toBe("its priority is 0.5");
  expect(jobProblem({ ...job, share: 17 })).toBe("its share is 17, not a whole number from 1 to 16");
  expect([0, 1000, -1, 1001, 0.5].map(sizeProblem)).toEqual([false, false, true, true, true]);
});
