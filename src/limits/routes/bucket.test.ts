import { describe, expect, it } from "vitest";
import { type Bucket, bucketWaitMs, takeFrom } from "./bucket.ts";

describe("a bucket", () => {
  it("gives a minute's worth at once and then as it fills", () => {
    let bucket: Bucket | undefined;
    for (let taken = 0; taken < 60; taken += 1) {
      expect(bucketWaitMs(bucket, 60, 1, 0)).toBe(0);
      bucket = takeFrom(bucket, 60, 1, 0);
    }
    expect(bucketWaitMs(bucket, 60, 1, 0)).toBe(1000);
    expect(bucketWaitMs(bucket, 60, 3, 500)).toBe(2500);
    expect(bucketWaitMs(bucket, 60, 1, 1000)).toBe(0);
  });

  it("never holds more than a minute's worth", () => {
    const bucket = takeFrom(undefined, 60, 60, 0);
    expect(takeFrom(bucket, 60, 0, 3_600_000)).toEqual({ level: 60, at: 3_600_000 });
    expect(takeFrom(undefined, 60, -10, 0)).toEqual({ level: 60, at: 0 });
  });

  it("lets more than it can hold through when it is full, and makes up for it", () => {
    expect(bucketWaitMs(undefined, 100, 250, 0)).toBe(0);
    const bucket = takeFrom(undefined, 100, 250, 0);
    expect(bucket.level).toBe(-150);
    expect(bucketWaitMs(bucket, 100, 10, 0)).toBe(96_000);
  });

  it("takes back what was not needed", () => {
    const bucket = takeFrom(undefined, 100, 80, 0);
    expect(takeFrom(bucket, 100, -50, 0)).toEqual({ level: 70, at: 0 });
  });

  it("stands still when the clock goes back", () => {
    const bucket = takeFrom(undefined, 60, 60, 10_000);
    expect(takeFrom(bucket, 60, 0, 0)).toEqual({ level: 0, at: 10_000 });
    expect(bucketWaitMs(bucket, 60, 1, 0)).toBe(1000);
  });
});
