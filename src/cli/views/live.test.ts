import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createLive } from "./live.ts";

interface Terminal {
  write(text: string): void;
  rows(): readonly string[];
  cursor(): string;
  writes(): number;
}

/** A terminal that understands what the live view uses: rows of text, folded at the width. */
function terminal(width: number): Terminal {
  let rows = [""];
  let cursor = "shown";
  let writes = 0;
  const put = (text: string): void => {
    const [first = "", ...more] = text.replaceAll("\r", "").split("\n");
    rows.push(...fold(`${rows.pop() ?? ""}${first}`), ...more.flatMap(fold));
  };
  const fold = (line: string): string[] => {
    const count = Math.max(1, Math.ceil(line.length / width));
    return Array.from({ length: count }, (_, index) => line.slice(index * width, (index + 1) * width));
  };
  const obey = (sequence: string): string => {
    const [, code = "", rest = ""] = /^\[(\?25[lh]|\d+A|0J)(.*)$/s.exec(sequence) ?? [];
    if (code.startsWith("?25")) cursor = code === "?25l" ? "hidden" : "shown";
    if (code.endsWith("A")) rows = [...rows.slice(0, rows.length - 1 - Number(code.slice(0, -1))), ""];
    return rest;
  };
  return {
    write(text) {
      writes += 1;
      const [first = "", ...sequences] = text.split("\u001b");
      put(first);
      for (const sequence of sequences) put(obey(sequence));
    },
    rows: () => rows,
    cursor: () => cursor,
    writes: () => writes,
  };
}

describe("createLive", () => {
  it("redraws in place below the lines that stay, and leaves only those", async () => {
    const screen = terminal(40);
    let step = 0;
    const live = createLive({
      write: screen.write,
      columns: () => 40,
      lines: () => {
        step += 1;
        return [{ text: `working ${step}` }, { text: "x".repeat(100) }];
      },
    });
    expect(screen.cursor()).toBe("hidden");
    live.print("first");
    await sleep(150);
    live.print("second");
    await sleep(150);
    const rows = screen.rows();
    expect(rows.slice(0, 2)).toEqual(["first", "second"]);
    expect(rows[2]).toMatch(/^working \d$/);
    expect(rows[3]).toBe(`${"x".repeat(38)}…`);
    expect(rows).toHaveLength(5);
    live.print("third");
    live.close();
    live.close();
    expect(screen.rows()).toEqual(["first", "second", "third", ""]);
    expect(screen.cursor()).toBe("shown");
  });

  it("draws at most ten times a second, however much is printed", async () => {
    const screen = terminal(40);
    const live = createLive({
      write: screen.write,
      columns: () => 40,
      lines: () => [{ text: String(performance.now()) }],
    });
    const start = performance.now();
    while (performance.now() - start < 250) {
      live.print("line");
      await sleep(1);
    }
    live.close();
    expect(screen.writes()).toBeLessThanOrEqual(2 + 3);
  });

  it("writes nothing while nothing changes", async () => {
    const screen = terminal(40);
    const live = createLive({ write: screen.write, columns: () => 40, lines: () => [{ text: "same" }] });
    await sleep(250);
    expect(screen.writes()).toBe(2);
    live.close();
  });

  it("clears every row of a line that a narrower terminal has folded", async () => {
    const screen = terminal(20);
    let columns = 40;
    const live = createLive({ write: screen.write, columns: () => columns, lines: () => [{ text: "y".repeat(39) }] });
    await sleep(120);
    columns = 20;
    live.close();
    expect(screen.rows()).toEqual([""]);
  });
});
