import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import {
  type Admission,
  admit,
  type Breaker,
  type CallEnd,
  CLOSED,
  park,
  report,
  reset,
  viewBreaker,
} from "./breaker.ts";
import { BREAKER_RULES, type BreakerRules } from "./rules.ts";
import { readTicket, type Ticket, writeTicket } from "./ticket.ts";

const RULES: BreakerRules = { failures: 3, coolDownMs: 100, longestMs: 350, trialMs: 50, staggerMs: 10 };
const TARGET = "model:a/b";
const nobodyIsGone = (): boolean => false;

/** A breaker with its story: every call goes through the law. */
function createLife(rules = RULES) {
  let breaker: Breaker = CLOSED;
  return {
    breaker: () => breaker,
    ask(at: number, host = "h1", isGone: (host: string) => boolean = nobodyIsGone): Admission {
      const decided = admit(breaker, { target: TARGET, rules, at, host }, isGone);
      breaker = decided.breaker;
      return decided.admission;
    },
    tell(ticket: string, end: CallEnd, at: number): void {
      breaker = report(breaker, readTicket(ticket) as Ticket, end, at);
    },
    park(until: number, at: number): void {
      breaker = park(breaker, until, "the quota is used up", at);
    },
    /** Asks and ends at once. */
    call(at: number, end: CallEnd): Admission {
      const admission = this.ask(at);
      if (admission.go) this.tell(admission.ticket, end, at);
      return admission;
    },
  };
}

const fail = (life: ReturnType<typeof createLife>, at: number, times = 3): void => {
  for (let time = 0; time < times; time += 1) life.call(at, "failure");
};

describe("a breaker", () => {
  it("stores nothing while its target does well", () => {
    const life = createLife();
    expect(life.call(5, "success")).toMatchObject({ go: true, isTrial: false });
    expect(life.breaker()).toBe(CLOSED);
    expect(viewBreaker(CLOSED, 5)).toEqual({
      phase: "closed",
      ...{ failures: 0, since: null, until: null, why: null, parked: false },
    });
  });

  it("opens after so many failures in a row, and not when one success comes between", () => {
    const life = createLife();
    fail(life, 0, 2);
    life.call(0, "success");
    fail(life, 0, 2);
    expect(life.ask(1).go).toBe(true);
    fail(life, 1, 1);
    const why = "it failed 3 times in a row";
    expect(life.ask(2)).toEqual({ go: false, until: 101, why });
    expect(viewBreaker(life.breaker(), 2)).toEqual({
      phase: "open",
      ...{ failures: 3, since: 1, until: 101, why, parked: false },
    });
  });

  it("does not count what says nothing about the target", () => {
    const life = createLife();
    for (let time = 0; time < 9; time += 1) life.call(0, "ignored");
    expect(life.breaker()).toBe(CLOSED);
    fail(life, 0, 2);
    life.call(0, "ignored");
    fail(life, 0, 1);
    expect(life.ask(1).go).toBe(false);
  });

  it("admits one trial when its time is over, and everybody when that succeeds", () => {
    const life = createLife();
    fail(life, 0);
    expect(viewBreaker(life.breaker(), 100).phase).toBe("half_open");
    const trial = life.ask(100);
    expect(trial).toMatchObject({ go: true, isTrial: true });
    const refused = { go: false, until: 110, why: "it failed 3 times in a row; a trial is under way" };
    expect([life.ask(100, "h2"), life.ask(100, "h1")]).toEqual([refused, refused]);
    expect(life.ask(145)).toMatchObject({ go: false, until: 150 });
    if (trial.go) life.tell(trial.ticket, "success", 120);
    expect([life.ask(120).go, life.ask(120).go]).toEqual([true, true]);
    expect(viewBreaker(life.breaker(), 120)).toMatchObject({ phase: "closed", failures: 0 });
  });

  it("stays open twice as long after each trial that fails, up to the longest", () => {
    const life = createLife();
    fail(life, 0);
    const untils: (number | null)[] = [];
    for (let at = 100, time = 0; time < 4; time += 1) {
      life.call(at, "failure");
      const refused = life.ask(at);
      untils.push(refused.go ? null : (refused.until ?? 0) - at);
      at = refused.go ? at : (refused.until ?? at);
    }
    expect(untils).toEqual([200, 350, 350, 350]);
    life.call(5000, "success");
    fail(life, 5000);
    expect(life.ask(5000)).toMatchObject({ until: 5100 });
  });

  it("gives a trial back that says nothing about the target", () => {
    const life = createLife();
    fail(life, 0);
    expect(life.call(100, "ignored")).toMatchObject({ isTrial: true });
    expect(life.ask(100)).toMatchObject({ isTrial: true });
  });

  it("gives up a trial that is not over in time, or whose process is gone, and hears nothing of it any more", () => {
    const life = createLife();
    fail(life, 0);
    const first = life.ask(100, "h1");
    expect(life.ask(149).go).toBe(false);
    const second = life.ask(150, "h2");
    expect(second).toMatchObject({ isTrial: true });
    if (first.go) life.tell(first.ticket, "success", 151);
    expect(life.ask(151).go).toBe(false);
    const third = life.ask(152, "h3", (host) => host === "h2");
    expect(third).toMatchObject({ isTrial: true });
    if (third.go) life.tell(third.ticket, "success", 153);
    expect(life.ask(153)).toMatchObject({ go: true, isTrial: false });
  });

  it("hears nothing of calls that were admitted before it opened", () => {
    const life = createLife();
    const early = life.ask(0);
    const late = life.ask(0);
    fail(life, 0);
    for (const [call, end] of [
      [early, "success"],
      [late, "failure"],
    ] as const)
      if (call.go) life.tell(call.ticket, end, 1);
    expect(life.ask(2)).toMatchObject({ go: false, until: 100 });
    const open = life.breaker();
    expect(report(open, { target: TARGET, epoch: open.epoch, rules: RULES }, "failure", 3)).toBe(open);
  });
});

describe("a target that is parked", () => {
  it("is closed until the instant, then tried once, then used by one after the other", () => {
    const life = createLife();
    life.park(1000, 0);
    expect(life.ask(999)).toEqual({ go: false, until: 1000, why: "the quota is used up" });
    expect(viewBreaker(life.breaker(), 10)).toMatchObject({ phase: "open", parked: true, until: 1000 });
    const trial = life.ask(1000);
    expect(trial).toMatchObject({ isTrial: true });
    expect(life.ask(1001).go).toBe(false);
    if (trial.go) life.tell(trial.ticket, "success", 1002);
    const line = { go: false, until: 1012, why: "others that waited go first, one by one" };
    expect([life.ask(1002), life.ask(1011)]).toEqual([line, line]);
    expect([life.ask(1012).go, life.ask(1012).go, life.ask(1021).go, life.ask(1022).go]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    // Nobody came for a whole turn.
    expect([life.ask(1050).go, life.ask(1050).go, life.ask(1050).go]).toEqual([true, true, true]);
  });

  it("is not freed by an earlier instant, nor by a trial that fails", () => {
    const life = createLife();
    fail(life, 0);
    life.park(1000, 1);
    life.park(500, 2);
    expect(life.ask(600)).toMatchObject({ until: 1000 });
    life.call(1000, "failure");
    expect(life.ask(1001)).toMatchObject({ go: false, why: "it failed 4 times in a row" });
    const fresh = createLife();
    fresh.park(10, 0);
    fresh.call(10, "failure");
    expect(fresh.ask(11)).toMatchObject({ go: false, why: "it failed" });
  });
});

describe("a clock that jumps", () => {
  it("back, makes nobody wait longer than was meant", () => {
    const life = createLife();
    fail(life, 1_000_000);
    expect(life.ask(500)).toMatchObject({ go: false, until: 600 });
    const trial = life.ask(600);
    expect(trial).toMatchObject({ isTrial: true });
    expect(life.ask(10)).toMatchObject({ go: false });
    expect(life.ask(60)).toMatchObject({ go: false });
    expect(life.ask(110)).toMatchObject({ isTrial: true });
    const parked = createLife();
    parked.park(2000, 1000);
    expect(parked.ask(0)).toMatchObject({ until: 1000 });
    parked.call(1000, "success");
    expect(parked.ask(400)).toMatchObject({ go: false, until: 410 });
    expect(parked.ask(410).go).toBe(true);
  });

  it("forward, lets one trial through and no more", () => {
    const life = createLife();
    fail(life, 0);
    expect([life.ask(1e12).go, life.ask(1e12).go]).toEqual([true, false]);
  });
});

type Act = CallEnd | "ask" | "park";

/** One thing that somebody does; what is admitted gets a ticket. */
function take(
  life: ReturnType<typeof createLife>,
  { act, pick }: { readonly act: Act; readonly pick: number },
  at: number,
  tickets: string[],
): void {
  const ticket = tickets[pick % Math.max(1, tickets.length)];
  if (act === "park") life.park(at + 150, at);
  else if (act !== "ask" && ticket !== undefined) life.tell(ticket, act, at);
  const [first, second] = [life.ask(at), life.ask(at)];
  if (first.go && first.isTrial) expect(second.go).toBe(false);
  for (const each of [first, second]) if (each.go) tickets.push(each.ticket);
}

describe("whatever happens to a breaker", () => {
  it("there is never more than one trial, and it always recovers by itself", () => {
    const step = fc.record({
      act: fc.constantFrom<Act>("ask", "success", "failure", "ignored", "park"),
      ms: fc.integer({ min: -200, max: 200 }),
      pick: fc.nat(),
    });
    assertProperty(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const life = createLife();
        let at = 1000;
        const tickets: string[] = [];
        for (const { ms, ...step } of steps) {
          at = Math.max(0, at + ms);
          take(life, step, at, tickets);
        }
        for (let time = 0; time < 3; time += 1) {
          at += 1000;
          life.call(at, "success");
        }
        expect(life.call(at + 1000, "success")).toMatchObject({ go: true, isTrial: false });
      }),
    );
  });
});

describe("a ticket", () => {
  it("comes back as it was, and nothing else is one", () => {
    const ticket = { target: 'loop:"x"', epoch: 7, rules: BREAKER_RULES };
    expect(readTicket(writeTicket(ticket))).toEqual(ticket);
    const wrong = ["", "{}", "[]", "[1,2,3,4,5,6]", '[1,2,3,4,5,"6","t"]', '[1,2,3,4,5,6,7,"t"]', "[1,2,3,4,5,6,7]"];
    expect(wrong.map(readTicket)).toEqual(wrong.map(() => null));
  });
});

describe("a breaker that a person closes", () => {
  it("lets everything through again, and what was admitted before says nothing about it any more", () => {
    const life = createLife();
    const early = life.ask(0);
    fail(life, 0);
    const opened = life.breaker();
    const closed = reset(opened);
    expect(viewBreaker(closed, 1)).toMatchObject({ phase: "closed", failures: 0 });
    expect(admit(closed, { target: TARGET, rules: RULES, at: 1, host: "h1" }, nobodyIsGone).admission.go).toBe(true);
    const old = readTicket(early.go ? early.ticket : "") as Ticket;
    expect(report(closed, old, "failure", 1)).toBe(closed);
  });

  it("takes back failures so far, a park and the line behind it, and is left alone where there is nothing", () => {
    const once = report(CLOSED, { target: TARGET, epoch: 0, rules: RULES }, "failure", 0);
    expect(viewBreaker(reset(once), 0).failures).toBe(0);
    expect(viewBreaker(reset(park(CLOSED, 1000, "used up", 0)), 0).phase).toBe("closed");
    const line = { from: 0, until: 10, why: "", parked: true };
    expect(reset({ ...CLOSED, line }).line).toBeNull();
    expect(reset(CLOSED)).toBe(CLOSED);
  });
});
