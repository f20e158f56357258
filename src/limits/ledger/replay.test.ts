import { describe, expect, it } from "vitest";
import { type Account, FLEET } from "./cap.ts";
import { bookProblems, type Page, replayEntries } from "./replay.ts";
import type { Entry } from "./reservation.ts";

const QUARTER = 900_000;
const RUN: Account = { scope: "run", name: "r_1" };

const entry = (key: string, tokens: number, settled: Entry["settled"]): Entry => ({
  key,
  at: 0,
  accounts: [RUN, FLEET],
  asked: { tokens },
  settled,
});

const ENTRIES: readonly Entry[] = [
  entry("a", 10, { spent: { tokens: 7 }, at: 3 * QUARTER }),
  entry("b", 5, null),
  entry("c", 1, { spent: { tokens: 2 }, at: QUARTER }),
  entry("d", 1, { spent: { tokens: 1 }, at: QUARTER }),
];

const page = (account: Account, fields: Partial<Page> = {}): Page => ({
  account,
  unit: "tokens",
  spent: 10,
  reserved: 5,
  quarters: [],
  ...fields,
});

describe("the books made again from the entries", () => {
  const replayed = replayEntries(ENTRIES);

  it("are exactly those that were kept", () => {
    const quarters: Page["quarters"] = [
      [1, 3],
      [3, 10],
    ];
    const kept = [page(RUN), page(FLEET, { quarters }), page(FLEET, { unit: "runs", spent: 0, reserved: 0 })];
    expect(bookProblems(replayed, kept)).toEqual([]);
  });

  it("tell what was changed and what is missing", () => {
    expect(bookProblems(replayed, [page(RUN, { spent: 9 })])).toEqual([
      "the ledger of run:r_1 tokens says 9 spent, 5 reserved [], its entries say 10 spent, 5 reserved []",
      "the ledger of fleet:* tokens is missing; its entries say 10 spent, 5 reserved [1=3 3=10]",
    ]);
  });
});
