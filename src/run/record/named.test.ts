import { describe, expect, it } from "vitest";
import type { RunEvent } from "../events.ts";
import { namedBy } from "./named.ts";

const ref = (letter: string) => ({ sha256: letter.repeat(64), bytes: 1 });

describe("what an event names outside the journal", () => {
  it("is its log, its certificate, its artifacts and its trees", () => {
    const event = {
      ...{ type: "stage.finished", at: 1, stage: "build", attempt: 1, outcome: "success", cause: "ok" },
      log: { ...ref("a"), dropped: 3 },
      artifacts: { report: ref("b"), "./out/x": ref("c") },
      certificate: { ...ref("d"), key: "k", signature: "s" },
      ...{ tree: "1".repeat(40), judged: "2".repeat(40) },
    } as RunEvent;
    expect(namedBy(event)).toEqual({
      artifacts: [
        { what: "its log", ref: { ...ref("a"), dropped: 3 } },
        { what: "its certificate", ref: { ...ref("d"), key: "k", signature: "s" } },
        { what: "its artifact report", ref: ref("b") },
        { what: "its artifact ./out/x", ref: ref("c") },
      ],
      trees: [
        { what: "its tree", id: "1".repeat(40) },
        { what: "the tree it judged", id: "2".repeat(40) },
      ],
    });
  });

  it("is what a run began with, and what a question is about", () => {
    const created = {
      type: "run.created",
      at: 1,
      run: "r",
      blueprint: "b",
      plan: "p",
      params: {},
      tree: "t",
      base: "u",
    };
    expect(namedBy(created as RunEvent).trees.map(({ id }) => id)).toEqual(["t", "u"]);
    expect(namedBy({ type: "approval.requested", at: 1, commit: "c" } as unknown as RunEvent).trees).toEqual([
      { what: "the commit it asks about", id: "c" },
    ]);
  });

  it("is nothing for most events", () => {
    expect(namedBy({ type: "run.started", at: 1 })).toEqual({ artifacts: [], trees: [] });
  });
});
