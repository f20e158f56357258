import { describe, expect, it } from "vitest";
import { NO_BUDGET } from "../../limits/ledger/budget.ts";
import { parseBudget, parseRepositoryBudget } from "./parse-budget.ts";

const problems = (result: ReturnType<typeof parseBudget>): readonly string[] =>
  result.ok ? [] : result.problems.map(({ code, where }) => `${where?.file}:${where?.line}:${where?.column} ${code}`);

const TEXT = `budget:
  day: { usd: 25, tokens: 2m, runs: 100, spawns: 7 }
  week: { usd: 100.5 }
  run: { tokens: 500k }
  loops:
    ci-sweeper: { day: { tokens: 1m }, priority: 5 }
    other: { week: { runs: 3 } }
  providers: { anthropic: { day: { usd: 10 } } }
  users: { ann: { week: { usd: 9 } } }
  tenants: { acme: { day: { usd: 2 } } }
  day_starts: "+02:00"
`;

describe("the budget in pawl.yaml", () => {
  it("is a list of caps, each with its place", () => {
    const parsed = parseRepositoryBudget(TEXT, "pawl.yaml");
    const fleet = { scope: "fleet", name: "*" };
    const day = { window: "day", offsetMinutes: 120 };
    expect(parsed).toEqual({
      ok: true,
      value: {
        caps: [
          { account: fleet, unit: "tokens", ...day, amount: 2_000_000, source: "pawl.yaml:2:27" },
          { account: fleet, unit: "microUsd", ...day, amount: 25_000_000, source: "pawl.yaml:2:15" },
          { account: fleet, unit: "runs", ...day, amount: 100, source: "pawl.yaml:2:37" },
          { account: fleet, unit: "spawns", ...day, amount: 7, source: "pawl.yaml:2:50" },
          { account: fleet, unit: "microUsd", window: "week", amount: 100_500_000, source: "pawl.yaml:3:16" },
          {
            account: { scope: "run", name: "*" },
            unit: "tokens",
            window: "run",
            amount: 500_000,
            source: "pawl.yaml:4:18",
          },
          {
            account: { scope: "loop", name: "ci-sweeper" },
            unit: "tokens",
            ...day,
            amount: 1_000_000,
            source: "pawl.yaml:6:34",
          },
          {
            account: { scope: "loop", name: "other" },
            unit: "runs",
            window: "week",
            amount: 3,
            source: "pawl.yaml:7:28",
          },
          {
            account: { scope: "provider", name: "anthropic" },
            unit: "microUsd",
            ...day,
            amount: 10_000_000,
            source: "pawl.yaml:8:41",
          },
          {
            account: { scope: "user", name: "ann" },
            unit: "microUsd",
            window: "week",
            amount: 9_000_000,
            source: "pawl.yaml:9:32",
          },
          {
            account: { scope: "tenant", name: "acme" },
            unit: "microUsd",
            ...day,
            amount: 2_000_000,
            source: "pawl.yaml:10:34",
          },
        ],
        priorities: { "ci-sweeper": 5 },
      },
    });
  });

  it("may be missing", () => {
    for (const text of ["", "# nothing", "{}", "policy: { deny: [{ read: a }] }"])
      expect(parseRepositoryBudget(text, "pawl.yaml"), text).toEqual({ ok: true, value: NO_BUDGET });
  });

  it.each([
    ["budget: { dya: { usd: 1 } }", "1:11 BLUEPRINT_KEY_UNKNOWN"],
    ["budget: { day: { usd: -1 } }", "1:23 BLUEPRINT_VALUE_INVALID"],
    ["budget: { day: { euro: 1 } }", "1:18 BLUEPRINT_KEY_UNKNOWN"],
    ["budget: { providers: { openai: { day: { runs: 1 } } } }", "1:41 BLUEPRINT_KEY_UNKNOWN"],
    ["budget: { providers: { antropic: { day: { usd: 1 } } } }", "1:24 BLUEPRINT_KEY_INVALID"],
    ["budget: { run: { runs: 1 } }", "1:18 BLUEPRINT_KEY_UNKNOWN"],
    ["budget: { loops: { X: { day: { usd: 1 } } } }", "1:20 BLUEPRINT_KEY_INVALID"],
    ["budget: { loops: { x: { priority: 101 } } }", "1:35 BLUEPRINT_VALUE_INVALID"],
    ["budget: { day_starts: +02:10 }", "1:23 BLUEPRINT_VALUE_INVALID"],
    ["budget: 25", "1:9 BLUEPRINT_VALUE_TYPE"],
    ["bugdet: {}", "1:1 BLUEPRINT_KEY_UNKNOWN"],
    ["[]", "1:1 BLUEPRINT_VALUE_TYPE"],
  ])("refuses %s", (text, problem) => {
    expect(problems(parseRepositoryBudget(text, "pawl.yaml"))).toEqual([`pawl.yaml:${problem}`]);
  });
});

describe("the budget of a user", () => {
  it("is the same in a file of its own", () => {
    expect(parseBudget('day: { usd: 1 }\nday_starts: "-03:30"', "budget.yaml")).toEqual({
      ok: true,
      value: {
        caps: [
          {
            account: { scope: "fleet", name: "*" },
            unit: "microUsd",
            window: "day",
            amount: 1_000_000,
            source: "budget.yaml:1:13",
            offsetMinutes: -210,
          },
        ],
        priorities: {},
      },
    });
    expect(parseBudget("", "budget.yaml")).toEqual({ ok: true, value: NO_BUDGET });
    expect(problems(parseBudget("[]", "budget.yaml"))).toEqual(["budget.yaml:1:1 BLUEPRINT_VALUE_TYPE"]);
  });
});
