import { describe, expect, it } from "vitest";
import type { RunId } from "../../../base/ids.ts";
import { createFence } from "./fence.ts";

const RUN = "r_1" as RunId;

describe("the fence", () => {
  it("lets nothing begin for a run whose claim is late, until it is renewed", () => {
    let now = 0;
    const fence = createFence(() => now);
    fence.check(RUN);
    fence.hold(RUN, 100);
    now = 99;
    fence.check(RUN);
    now = 100;
    expect(() => fence.check(RUN)).toThrow("Run r_1 may belong to another process by now");
    fence.hold(RUN, 200);
    fence.check(RUN);
    now = 300;
    fence.release(RUN);
    fence.check(RUN);
  });

  it("judges a child run by every claim of its process", () => {
    const fence = createFence(() => 100);
    fence.hold(RUN, 200);
    fence.check("r_child");
    fence.hold("r_2" as RunId, 100);
    expect(() => fence.check("r_child")).toThrow("r_child");
    fence.check(RUN);
  });

  it("stands where the kill switch is asked, before every effect", () => {
    const fence = createFence(() => 100);
    const pulled = fence.around({
      pull: async () => undefined,
      pulled: () => null,
      watch: () => () => undefined,
      release: async () => ({ released: [], left: null }),
    }).pulled;
    expect(pulled(RUN)).toBeNull();
    fence.hold(RUN, 100);
    expect(() => pulled(RUN)).toThrow("r_1");
  });
});
