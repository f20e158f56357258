import { expect, it } from "vitest";
import { sharedAttempt } from "./shared-attempt.ts";

it("makes one thing for all that ask together, and keeps it", async () => {
  let made = 0;
  const { get, kept } = sharedAttempt(async () => {
    made += 1;
    return { number: made };
  });
  expect(await kept()).toBeNull();
  const [first, second] = await Promise.all([get(), get()]);
  expect(first).toBe(second);
  expect(await get()).toBe(first);
  expect(await kept()).toBe(first);
  expect(made).toBe(1);
});

it("shares a failure among those that waited for it, and tries again for the next", async () => {
  let tries = 0;
  const { get, kept } = sharedAttempt(async () => {
    tries += 1;
    if (tries === 1) throw new Error("busy");
    return tries;
  });
  const waiting = [get(), get(), kept()];
  expect(await Promise.allSettled(waiting)).toMatchObject([
    { reason: { message: "busy" } },
    { reason: { message: "busy" } },
    { status: "fulfilled", value: null },
  ]);
  expect(await kept()).toBeNull();
  expect(await get()).toBe(2);
});

it("makes again what was dropped, once for all that found it stale", async () => {
  let made = 0;
  const { get, drop } = sharedAttempt(async () => {
    made += 1;
    return { number: made };
  });
  const first = await get();
  drop(first);
  const second = await get();
  drop(first);
  expect(await get()).toBe(second);
  expect(second).toEqual({ number: 2 });
});
