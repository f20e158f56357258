import { describe, expect, it } from "vitest";
import { type CronFields, readCron } from "../../blueprint/project/cron.ts";
import { type Zone, zoneOf } from "../../limits/quota/zone.ts";
import { cachedZone } from "./cached-zone.ts";
import { lastCronTime, nextCronTime } from "./cron-times.ts";

const cron = (text: string): CronFields => {
  const read = readCron(text);
  if (typeof read === "string") throw new Error(read);
  return read;
};
const zone = (name: string): Zone => {
  const found = zoneOf(name);
  if (found === null) throw new Error(name);
  return cachedZone(found);
};

/** The next times after an instant, in UTC. */
function times(line: string, place: string, from: string, count: number): readonly string[] {
  const found: string[] = [];
  const [fields, there] = [cron(line), zone(place)];
  let at = Date.parse(from);
  for (let index = 0; index < count; index += 1) {
    at = nextCronTime(fields, there, at);
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe("the times of a cron line", () => {
  it("are those of its five fields", () => {
    expect(times("*/20 9-10 * * *", "UTC", "2026-01-01T09:39:59Z", 4)).toEqual([
      "2026-01-01T09:40",
      "2026-01-01T10:00",
      "2026-01-01T10:20",
      "2026-01-01T10:40",
    ]);
    expect(times("0 3 * * mon-fri", "UTC", "2026-01-02T03:00:00Z", 2)).toEqual([
      "2026-01-05T03:00",
      "2026-01-06T03:00",
    ]);
    expect(times("30 6 29 feb *", "UTC", "2026-01-01T00:00:00Z", 2)).toEqual(["2028-02-29T06:30", "2032-02-29T06:30"]);
    expect(times("0 0 * * 0", "UTC", "1969-12-01T00:00:00Z", 2)).toEqual(["1969-12-07T00:00", "1969-12-14T00:00"]);
  });

  it("fit either the day of the month or the day of the week, where both are written", () => {
    expect(times("0 0 13 * fri", "UTC", "2026-02-01T00:00:00Z", 4)).toEqual([
      "2026-02-06T00:00",
      "2026-02-13T00:00",
      "2026-02-20T00:00",
      "2026-02-27T00:00",
    ]);
    expect(times("0 0 13 * *", "UTC", "2026-02-01T00:00:00Z", 2)).toEqual(["2026-02-13T00:00", "2026-03-13T00:00"]);
  });

  it("are wall times of their zone", () => {
    expect(times("0 9 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", 2)).toEqual([
      "2026-01-01T03:30",
      "2026-01-02T03:30",
    ]);
  });
});

describe("where clocks are put forward", () => {
  it("Berlin: what does not exist fires at the first instant after the gap, and what falls into it with that is one", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3)).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    expect(times("*/20 2-3 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 4)).toEqual([
      "2026-03-29T01:00",
      "2026-03-29T01:20",
      "2026-03-29T01:40",
      "2026-03-30T00:00",
    ]);
  });

  it("New York", () => {
    expect(times("15 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2)).toEqual([
      "2026-03-08T07:00",
      "2026-03-09T06:15",
    ]);
  });

  it("Lord Howe: by half an hour", () => {
    expect(times("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 2)).toEqual([
      "2026-10-03T15:30",
      "2026-10-04T15:15",
    ]);
    expect(times("45 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", 1)).toEqual(["2026-10-03T15:45"]);
  });

  it("Apia: by a whole day, which never was", () => {
    expect(times("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", 3)).toEqual([
      "2011-12-29T19:00",
      "2011-12-30T10:00",
      "2011-12-30T19:00",
    ]);
  });
});

describe("where clocks are put back", () => {
  it("Berlin: what exists twice fires once, the first time", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", 1)).toEqual(["2026-10-26T01:30"]);
    // Somebody who looks while the hour is shown for the second time.
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1)).toEqual(["2026-10-26T01:30"]);
    expect(times("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 4)).toEqual([
      "2026-10-25T00:30",
      "2026-10-25T02:00",
      "2026-10-25T02:30",
      "2026-10-25T03:00",
    ]);
  });

  it("New York", () => {
    expect(times("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", 2)).toEqual([
      "2026-11-01T05:30",
      "2026-11-02T06:30",
    ]);
  });

  it("Lord Howe: by half an hour", () => {
    expect(times("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", 2)).toEqual([
      "2026-04-04T14:45",
      "2026-04-05T15:15",
    ]);
    expect(times("*/15 1-2 * * *", "Australia/Lord_Howe", "2026-04-04T14:30:00Z", 3)).toEqual([
      "2026-04-04T14:45",
      "2026-04-04T15:30",
      "2026-04-04T15:45",
    ]);
  });

  it("fires each wall time once in each year, whatever the zone does", () => {
    for (const place of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]) {
      const found = times("10,40 * * * *", place, "2026-01-01T00:00:00Z", 2 * 8760);
      expect(new Set(found).size).toBe(found.length);
      expect([...found].sort()).toEqual(found);
    }
  });
});

describe("the newest time of a span", () => {
  const last = (line: string, from: string, to: string): string | null => {
    const found = lastCronTime(cron(line), zone("Europe/Berlin"), Date.parse(from), Date.parse(to));
    return found === null ? null : new Date(found).toISOString().slice(0, 16);
  };

  it("is found however rare the times are, and however long the span is", () => {
    expect(last("*/5 * * * *", "2025-01-01T00:00:00Z", "2026-02-05T12:13:00Z")).toBe("2026-02-05T12:10");
    expect(last("0 3 * * *", "2025-01-01T00:00:00Z", "2026-02-05T12:13:00Z")).toBe("2026-02-05T02:00");
    expect(last("0 3 1 1 *", "2020-01-01T12:00:00Z", "2026-02-05T12:13:00Z")).toBe("2026-01-01T02:00");
    expect(last("0 3 * * *", "2026-02-05T02:00:00Z", "2026-02-05T12:13:00Z")).toBeNull();
  });
});
