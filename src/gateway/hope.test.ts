import { expect, test } from "vitest";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { createHope, type Refused, type Trial } from "./hope.ts";

const LIMITED: Refused = { status: 429, message: "slow down", until: null };
const BUSY: Refused = { status: 529, message: "busy", until: null };
const NO_KEY: Refused = { status: 401, message: "no", until: null };

function hopeOf() {
  const clock = createVirtualClock();
  const hope = createHope(clock);
  let gone: string | null = null;
  void hope.gone.then(({ why }) => {
    gone = why;
  });
  const pass = (ms: number): void => {
    clock.after(ms, () => undefined);
    const end = clock.now() + ms;
    while (clock.now() < end && clock.advance());
  };
  const refuse = (refused: Refused, isWork = true): void => hope.begin(isWork).refused(refused);
  /** Why it is gone; null: it is not. */
  const told = async (): Promise<string | null> => {
    await Promise.resolve();
    return gone;
  };
  return { ...hope, clock, pass, refuse, told };
}

test("who is refused call after call for a while has no hope", async () => {
  const { refuse, pass, told } = hopeOf();
  for (const wait of [2000, 4000, 8000]) {
    refuse(LIMITED);
    pass(wait);
  }
  expect(await told()).toBeNull();
  pass(6000);
  refuse(LIMITED);
  expect(await told()).toBe("rate_limited");
});

test("who does not wait between its calls has none after ten", async () => {
  const { refuse, told } = hopeOf();
  for (let call = 0; call < 9; call += 1) refuse(BUSY);
  expect(await told()).toBeNull();
  refuse(BUSY);
  expect(await told()).toBe("overloaded");
});

test.for([
  [NO_KEY, "auth"],
  [{ status: 402, message: "no more", until: null }, "budget"],
] as const)("what time does not mend is tried three times: %j", async ([refused, why]) => {
  const { refuse, told } = hopeOf();
  for (let call = 0; call < 2; call += 1) refuse(refused);
  expect(await told()).toBeNull();
  refuse(refused);
  expect(await told()).toBe(why);
});

test("an answer gives all of it back", async () => {
  const { refuse, begin, told, lastRefusal } = hopeOf();
  for (let row = 0; row < 3; row += 1) {
    for (let call = 0; call < 9; call += 1) refuse(BUSY);
    expect(lastRefusal()).toEqual({ why: "overloaded", error: "busy", isAll: row === 0 });
    begin(true).answered();
    expect(lastRefusal()).toBeNull();
  }
  expect(await told()).toBeNull();
});

test("calls that were under way together are refused once", async () => {
  const { begin, refuse, told } = hopeOf();
  const together: Trial[] = Array.from({ length: 10 }, () => begin(true));
  for (const trial of together) trial.refused(NO_KEY);
  refuse(NO_KEY);
  expect(await told()).toBeNull();
  refuse(NO_KEY);
  expect(await told()).toBe("auth");
});

test("while another call is under way there is hope; a client that leaves takes it along", async () => {
  const { begin, refuse, told } = hopeOf();
  const slow = begin(true);
  for (let call = 0; call < 5; call += 1) refuse(NO_KEY);
  expect(await told()).toBeNull();
  slow.left();
  expect(await told()).toBe("auth");
});

test("asides count only while there was nothing else", async () => {
  const { begin, refuse, told, lastRefusal } = hopeOf();
  for (let call = 0; call < 2; call += 1) refuse(NO_KEY, false);
  expect(lastRefusal()).toMatchObject({ why: "auth" });
  const work = begin(true);
  expect(lastRefusal()).toBeNull();
  for (let call = 0; call < 5; call += 1) refuse(NO_KEY, false);
  begin(false);
  work.answered();
  expect([lastRefusal(), await told()]).toEqual([null, null]);
  refuse(LIMITED);
  begin(false).answered();
  expect(lastRefusal()).toEqual({ why: "rate_limited", error: "slow down", isAll: false });
});

test("who is refused for long and asks nobody only sleeps", async () => {
  const { begin, refuse, told, pass, clock } = hopeOf();
  const away = (): Refused => ({ ...LIMITED, until: clock.now() + 3_600_000 });
  refuse({ ...LIMITED, until: clock.now() + 30_000 });
  pass(15_000);
  refuse(away());
  pass(9000);
  const again = begin(true);
  pass(9000);
  again.answered();
  pass(20_000);
  refuse(away());
  pass(9000);
  expect(await told()).toBeNull();
  pass(2000);
  expect(await told()).toBe("rate_limited");
});

test("what is over gives no hope up any more", async () => {
  const { refuse, close, clock, told } = hopeOf();
  refuse({ ...LIMITED, until: clock.now() + 3_600_000 });
  close();
  while (clock.advance());
  expect(await told()).toBeNull();
});

test("why models rest is what they were asked last", () => {
  const { refuse, lastRefusal } = hopeOf();
  const resting: Refused = { status: 429, message: "left alone", isResting: true, until: null };
  refuse(resting);
  expect(lastRefusal()?.why).toBe("rate_limited");
  refuse(BUSY);
  refuse(resting);
  expect(lastRefusal()).toMatchObject({ why: "overloaded", error: "left alone" });
});
