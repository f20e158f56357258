import { describe, expect, it } from "vitest";
import { SAID } from "../../../test/support/quota/messages.ts";
import { readHeaders } from "./headers.ts";
import { nextMidnight } from "./moments.ts";
import { type Quota, type Refusal, readQuota } from "./read-quota.ts";

const AT = Date.parse("2026-03-04T12:00:00Z");
const iso = (at: number | null | undefined): string | null => (at == null ? null : new Date(at).toISOString());
const read = (refusal: Partial<Refusal>): Quota | null => readQuota({ at: AT, zone: "UTC", ...refusal });

/** The instant that is read from a sentence. */
function until(text: string, at: string, zone = "UTC"): string | null {
  return iso(read({ text: `You've hit your limit · ${text}`, at: Date.parse(at), zone })?.until);
}

describe("what vendors really said", () => {
  it("is a table of more than forty messages and headers", () => {
    expect(SAID.length).toBeGreaterThan(60);
    expect(new Set(SAID.map(({ source }) => source)).size).toBeGreaterThan(40);
  });

  it.each(SAID)("$source: $text$headers", ({ source: _, at, zone = "UTC", kind, until: said, ...refusal }) => {
    const quota = readQuota({ ...refusal, at: Date.parse(at), zone });
    expect({ kind: quota?.kind, until: iso(quota?.until) }).toEqual({
      kind,
      until: said === null ? null : iso(Date.parse(said)),
    });
    expect(quota?.evidence).not.toBe("");
  });

  it("is never answered with an instant before now, whenever it is read", () => {
    for (const { source: _, at, zone = "UTC", ...refusal } of SAID) {
      for (const days of [-400, -1, 0, 1, 2, 30, 400]) {
        const now = Date.parse(at) + days * 86_400_000;
        const quota = readQuota({ ...refusal, at: now, zone });
        expect(quota?.until ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(now);
      }
    }
  });
});

describe("a wall time", () => {
  it("that does not exist, because clocks are put forward, is the later instant", () => {
    expect(until("resets 2:30am (America/New_York)", "2026-03-08T04:00:00Z")).toBe("2026-03-08T07:30:00.000Z");
    expect(until("resets 2:15am (Australia/Lord_Howe)", "2026-10-03T10:00:00Z")).toBe("2026-10-03T15:45:00.000Z");
  });

  it("that exists twice, because clocks are put back, is the later one, also between the two", () => {
    expect(until("resets 1:30am (America/New_York)", "2026-11-01T03:00:00Z")).toBe("2026-11-01T06:30:00.000Z");
    expect(until("resets 1:30am (America/New_York)", "2026-11-01T05:45:00Z")).toBe("2026-11-01T06:30:00.000Z");
  });

  it("that is over today is that of tomorrow, also where a night has 23 or 25 hours", () => {
    expect(until("resets 9am (Europe/Berlin)", "2026-03-28T10:00:00Z")).toBe("2026-03-29T07:00:00.000Z");
    expect(until("resets 9am (Europe/Berlin)", "2026-10-24T10:00:00Z")).toBe("2026-10-25T08:00:00.000Z");
    expect(until("resets 3pm", "2026-03-04T15:00:00Z")).toBe("2026-03-05T15:00:00.000Z");
  });

  it("on a day of a year that is over is that of the next year, if that is near", () => {
    expect(until("resets Jan 2, 3pm (Asia/Tokyo)", "2026-12-30T10:00:00Z")).toBe("2027-01-02T06:00:00.000Z");
    expect(until("resets Dec 31 at 11:59pm", "2026-12-31T10:00:00Z", "Asia/Kathmandu")).toBe(
      "2026-12-31T18:14:00.000Z",
    );
    expect(until("resets Jan 12, 10am", "2026-01-13T10:00:00Z")).toBeNull();
    expect(until("resets Feb 29 at 1am", "2027-02-20T10:00:00Z")).toBeNull();
    expect(until("resets Feb 29 at 1am", "2028-02-20T10:00:00Z")).toBe("2028-02-29T01:00:00.000Z");
  });

  it("with its year is taken at its word", () => {
    expect(until("try again at May 11th, 2026 1:36 PM.", "2026-05-12T00:00:00Z")).toBeNull();
    expect(until("resets Feb 30, 2026 1:36 PM.", "2026-02-12T00:00:00Z")).toBeNull();
  });

  it("without a zone is one of the host, and with one that nobody knows it is none", () => {
    expect(until("resets 3pm", "2026-03-04T12:00:00Z", "America/Santiago")).toBe("2026-03-04T18:00:00.000Z");
    expect(until("resets 3pm (Mars/Olympus)", "2026-03-04T12:00:00Z")).toBeNull();
    expect(until("resets 3pm", "2026-03-04T12:00:00Z", "")).toBeNull();
    expect(until("resets at 10:57 PM GMT+5:30", "2026-03-04T12:00:00Z")).toBe("2026-03-04T17:27:00.000Z");
    expect(until("resets at 2026-03-04 20:00 UTC", "2026-03-04T12:00:00Z")).toBe("2026-03-04T20:00:00.000Z");
    expect(until("resets at 2026-03-04 20:00:00", "2026-03-04T12:00:00Z", "Asia/Tokyo")).toBeNull();
    expect(until("resets at 2026-03-05 20:00:00", "2026-03-04T12:00:00Z", "Asia/Tokyo")).toBe(
      "2026-03-05T11:00:00.000Z",
    );
    expect(until("resets at 2026-13-05 20:00:00", "2026-03-04T12:00:00Z")).toBeNull();
  });

  it("is no time when no clock shows it", () => {
    for (const text of ["resets 13pm", "resets 0am", "resets 25:00", "resets 12:61", "resets 7", "resets soon"])
      expect(until(text, "2026-03-04T12:00:00Z")).toBeNull();
    expect(until("resets 12am", "2026-03-04T12:00:00Z")).toBe("2026-03-05T00:00:00.000Z");
  });
});

describe("headers", () => {
  const headers = (given: Readonly<Record<string, string>>): Quota | null => read({ status: 429, headers: given });
  const seconds = (given: Readonly<Record<string, string>>): number | null => {
    const found = headers(given)?.until ?? null;
    return found === null ? null : (found - AT) / 1000;
  };
  const epoch = (ahead: number): string => String(AT / 1000 + ahead);

  it("say seconds, milliseconds or a date", () => {
    expect(seconds({ "retry-after": "30" })).toBe(30);
    expect(seconds({ "retry-after": "1.5" })).toBe(1.5);
    expect(seconds({ "retry-after": "30", "retry-after-ms": "1250" })).toBe(1.25);
    expect(seconds({ "retry-after": "Wed, 04 Mar 2026 12:05:00 GMT" })).toBe(300);
    expect(seconds({ "retry-after": "8", date: "Wed, 04 Mar 2026 11:00:00 GMT" })).toBe(8);
    // Of a server whose clock is an hour behind.
    const there = { "retry-after": "Wed, 04 Mar 2026 11:00:08 GMT", date: "Wed, 04 Mar 2026 11:00:00 GMT" };
    expect(seconds(there)).toBe(8);
    expect(seconds({ ...there, date: "now" })).toBe(0);
    for (const value of ["Wed, 04 Foo 2026 12:05:00 GMT", "Wed, 99 Mar 2026 12:05:00 GMT"])
      expect(seconds({ "retry-after": value })).toBeNull();
    expect(seconds({ "retry-after": "-1" })).toBeNull();
    expect(seconds({ "retry-after": "soon", "retry-after-ms": "soon" })).toBeNull();
  });

  it("that are over or 0 mean now, where none names a later time", () => {
    expect(seconds({ "retry-after": "0" })).toBe(0);
    expect(seconds({ "retry-after": "Wed, 04 Mar 2026 11:00:00 GMT" })).toBe(0);
    expect(seconds({ "retry-after": "0", "x-ratelimit-reset": epoch(60) })).toBe(60);
    expect(seconds({ "retry-after": "0", "x-ratelimit-reset": epoch(-60) })).toBe(0);
  });

  it("of a reset are lengths, seconds since 1970 or seconds, also where nobody says what is left", () => {
    const reset = (value: string): number | null => seconds({ "x-ratelimit-reset-requests": value });
    expect(["1m30s", "12", epoch(90), "soon"].map(reset)).toEqual([90, 12, 90, null]);
    expect(seconds({ "x-ratelimit-reset": "1m30s" })).toBe(90);
  });

  it("of an allowance count when it is used up, and of several the latest does", () => {
    const unified = "anthropic-ratelimit-unified";
    const given = {
      [`${unified}-5h-status`]: "rejected",
      [`${unified}-5h-reset`]: epoch(600),
      [`${unified}-7d-status`]: "rejected",
      [`${unified}-7d-reset`]: epoch(9000),
      [`${unified}-status`]: "rejected",
      [`${unified}-reset`]: epoch(600),
      "retry-after": "5",
    };
    expect(headers(given)).toEqual({
      kind: "quota",
      until: AT + 9_000_000,
      why: "the quota of the vendor is used up",
      evidence: `${unified}-7d-reset: ${epoch(9000)}`,
    });
    expect(seconds({ ...given, [`${unified}-7d-status`]: "allowed" })).toBe(600);
    expect(seconds({ "x-codex-primary-used-percent": "100", "x-codex-primary-reset-after-seconds": "77" })).toBe(77);
    expect(seconds({ "x-codex-primary-used-percent": "99", "x-codex-primary-reset-after-seconds": "77" })).toBeNull();
  });

  it("of a rate count when nothing is left", () => {
    expect(seconds({ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" })).toBe(360);
    expect(seconds({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12" })).toBe(12);
    expect(seconds({ "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "12" })).toBeNull();
    expect(seconds({ "x-ratelimit-remaining-tokens": "few", "x-ratelimit-reset-tokens": "12" })).toBeNull();
  });

  it("name an instant in seconds or milliseconds since 1970, or a number of seconds", () => {
    expect(seconds({ "x-ratelimit-reset": `${epoch(60)}000` })).toBe(60);
    expect(seconds({ "x-ratelimit-reset": epoch(60) })).toBe(60);
    expect(seconds({ "ratelimit-reset": "60" })).toBe(60);
    expect(seconds({ "x-ratelimit-reset": "9".repeat(20) })).toBeNull();
  });

  it("give way to a text that knows of a longer wait, and to nothing when an allowance is used up", () => {
    const text = "You've hit your limit · resets 3pm";
    expect(read({ status: 429, text, headers: { "retry-after": "5" } })?.until).toBe(AT + 3 * 3_600_000);
    expect(read({ status: 429, text, headers: { "retry-after": "86400" } })?.until).toBe(AT + 86_400_000);
    const used = { "x-codex-primary-used-percent": "100", "x-codex-primary-reset-at": epoch(60) };
    expect(read({ status: 429, text, headers: used })).toMatchObject({ kind: "quota", until: AT + 60_000 });
    expect(read({ status: 429, text, headers: { "retry-after": "999999999" } })?.until).toBe(AT + 3 * 3_600_000);
    expect(read({ status: 429, headers: used })?.kind).toBe("quota");
  });
});

describe("a refusal", () => {
  it("is known by its status when nothing else is said", () => {
    expect(read({ status: 429 })).toEqual({
      kind: "rate",
      until: null,
      why: "too many requests in a short time",
      evidence: "status 429",
    });
    expect([402, 503, 529].map((status) => read({ status })?.kind)).toEqual(["credit", "overloaded", "overloaded"]);
    expect([200, 400, 500].map((status) => read({ status, headers: { "retry-after": "5" } }))).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("is none where no vendor says no", () => {
    expect(read({ text: "1 test failed: expected 3pm to equal 4pm" })).toBeNull();
    expect(read({ text: "ok 429 - resets the counter" })).toBeNull();
    expect(read({})).toBeNull();
    expect(read({ status: 200, text: "You've hit your limit · resets 3pm" })).toBeNull();
  });

  it("has no time when waiting does not help", () => {
    expect(read({ status: 402, headers: { "retry-after": "5" } })).toMatchObject({ kind: "credit", until: null });
    const text = '{"message":"You exceeded your current quota","code":"insufficient_quota"} try again in 5s';
    expect(read({ text })).toMatchObject({ kind: "credit", until: null });
  });

  it("is understood from the vendor that was asked for, and from no other", () => {
    const text = "You've hit your usage limit. Try again in 3 hours.";
    const kinds = (["claude", "codex", "gemini", "any"] as const).map((vendor) => read({ text, vendor })?.kind);
    expect(kinds).toEqual([undefined, "quota", undefined, "quota"]);
  });

  it("does not take the time of something else that stands far away", () => {
    const far = `the build resets in 5 minutes ${"x".repeat(500)} You've hit your limit`;
    expect(read({ text: far })).toMatchObject({ kind: "quota", until: null });
  });

  it("is read through colours, frames and lines that a terminal has broken", () => {
    const text = "\u001b[31m│ You’ve hit your limit · resets │\n│ 3pm (UTC) │\u001b[0m";
    expect(read({ text })).toMatchObject({ until: AT + 3 * 3_600_000 });
  });

  it("has no time where one is announced and none follows", () => {
    expect(read({ text: "429 too many requests, retry-after: soon, resets_at: never" })).toMatchObject({
      kind: "rate",
      until: null,
    });
    expect(nextMidnight(AT, "Mars/Olympus")).toBeNull();
  });

  it("ends within two months, or is not believed", () => {
    expect(read({ text: "hit your usage limit. Try again in 90 days." })?.until).toBeNull();
    expect(read({ text: "hit your usage limit. Try again in 1 week, 2 days and 1 hr." })?.until).toBe(
      AT + (9 * 24 + 1) * 3_600_000,
    );
  });

  it("is not believed in a header either, and another that can be true is taken instead", () => {
    const absurd = { "retry-after": "99999999999999" };
    expect(readHeaders(absurd, AT)).toBeNull();
    expect(read({ status: 429, headers: absurd })).toMatchObject({ kind: "rate", until: null });
    const known = { ...absurd, "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "90" };
    expect(readHeaders(known, AT)?.until).toBe(AT + 90_000);
  });
});
