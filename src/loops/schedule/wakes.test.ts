import { describe, expect, it } from "vitest";
import { spread } from "./spread.ts";
import { createWakes, type Wake } from "./wakes.ts";

describe("wakes", () => {
  it("are given the earliest first; of two at the same time, by name", () => {
    const wakes = createWakes();
    expect(wakes.first()).toBeNull();
    wakes.set("b", 5);
    wakes.set("a", 5);
    wakes.set("c", 4);
    expect([wakes.first(), wakes.size]).toEqual([{ name: "c", at: 4 }, 3]);
    wakes.delete("c");
    expect(wakes.first()).toEqual({ name: "a", at: 5 });
    wakes.set("b", 1);
    expect(wakes.first()).toEqual({ name: "b", at: 1 });
    wakes.delete("nobody");
    expect(wakes.size).toBe(2);
  });

  it("stay in order whatever is put, moved and taken away", () => {
    const wakes = createWakes();
    const model = new Map<string, number>();
    for (let step = 0; step < 5000; step += 1) {
      const name = `loop ${spread(`name ${step}`, 200)}`;
      const at = spread(`at ${step}`, 1000);
      if (spread(`what ${step}`, 4) === 0) {
        wakes.delete(name);
        model.delete(name);
      } else {
        wakes.set(name, at);
        model.set(name, at);
      }
      const sorted = [...model].map(([each, time]): Wake => ({ name: each, at: time }));
      sorted.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
      expect(wakes.first()).toEqual(sorted[0] ?? null);
      expect(wakes.size).toBe(model.size);
    }
  });
});
