import { describe, expect, test } from "vitest";
import { scarcityIn } from "./scarcity.ts";

describe("scarcityIn", () => {
  test.each([
    ["bwrap: Creating new namespace failed: Resource temporarily unavailable", "there are too many processes (EAGAIN)"],
    ["/bin/sh: 0: Cannot fork", "there are too many processes (EAGAIN)"],
    ["spawn /usr/bin/bwrap EAGAIN", "there are too many processes (EAGAIN)"],
    ["bwrap: Cannot allocate memory", "there is not enough memory (ENOMEM)"],
    ["spawn /bin/sh EMFILE", "too many files are open (EMFILE)"],
    ["open: Too many open files in system", "too many files are open (EMFILE)"],
  ])("tells from %j what is missing", (said, what) => {
    expect(scarcityIn(said)).toBe(what);
  });

  test.each(["", "bwrap: No permissions to create new namespace", "bwrap: Unknown option --x"])(
    "finds nothing in %j",
    (said) => {
      expect(scarcityIn(said)).toBeUndefined();
    },
  );
});
