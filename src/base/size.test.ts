import { expect, it } from "vitest";
import { formatBytes } from "./size.ts";

it("writes a number of bytes with the unit that fits", () => {
  const written = [
    0,
    1023,
    1024,
    1536,
    1024 ** 2 - 1,
    1024 ** 2,
    64 * 1024 ** 2,
    3 * 1024 ** 3,
    5 * 1024 ** 4,
    9 * 1024 ** 5,
  ];
  expect(written.map(formatBytes)).toEqual([
    "0 B",
    "1023 B",
    "1 KiB",
    "1.5 KiB",
    "1 MiB",
    "1 MiB",
    "64 MiB",
    "3 GiB",
    "5 TiB",
    "9216 TiB",
  ]);
});
