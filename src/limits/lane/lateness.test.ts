import { describe, expect, test } from "vitest";
import { keepOf } from "./lateness.ts";

const LEASE_MS = 900;
const at = (now: number, late: number | null = null, isAlive = true) =>
  keepOf({ isAlive, lease: 1000, late }, now, LEASE_MS);

describe("a job that a worker has", () => {
  test("is the worker's until its lease is over, and nobody's when its process is gone", () => {
    expect([at(999), at(999, null, false), at(1000, null, false)]).toEqual(["kept", "free", "free"]);
  });

  test("stays the worker's for a third of a lease after it was seen late", () => {
    expect([at(1000), at(1001, 1000), at(1299, 1000), at(1300, 1000)]).toEqual(["suspect", "kept", "kept", "free"]);
  });
});
