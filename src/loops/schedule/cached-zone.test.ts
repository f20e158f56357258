import { expect, it } from "vitest";
import { zoneOf } from "../../limits/quota/zone.ts";
import { cachedZone } from "./cached-zone.ts";

it("says what the zone says, and asks it once for each quarter of an hour", () => {
  const berlin = zoneOf("Europe/Berlin");
  if (berlin === null) throw new Error("no zone");
  let asked = 0;
  const zone = cachedZone((at) => {
    asked += 1;
    return berlin(at);
  });
  const change = Date.UTC(2026, 2, 29, 1);
  expect([change - 1, change, change + 1].map(zone)).toEqual([3_600_000, 7_200_000, 7_200_000]);
  expect([change - 1, change].map(zone)).toEqual([3_600_000, 7_200_000]);
  expect(asked).toBe(2);
  for (let quarter = 0; quarter <= 4096; quarter += 1) zone(change + quarter * 900_000);
  expect([change - 1, change].map(zone)).toEqual([3_600_000, 7_200_000]);
  expect(asked).toBeGreaterThan(4096);
});
