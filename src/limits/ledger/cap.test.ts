import { describe, expect, it } from "vitest";
import { accountName, amountProblem, capName, FLEET, isSameAccount, spentUnits } from "./cap.ts";

describe("accounts and amounts", () => {
  it("have names that tell them apart", () => {
    expect(accountName(FLEET)).toBe("fleet:*");
    const cap = { account: FLEET, unit: "microUsd", window: "week", amount: 5, source: "pawl.yaml:1:1" } as const;
    expect(capName(cap)).toBe("fleet:* microUsd/week");
    expect(capName({ ...cap, amount: 7 })).toBe(capName(cap));
    expect(isSameAccount(FLEET, { scope: "fleet", name: "*" })).toBe(true);
    expect(isSameAccount(FLEET, { scope: "user", name: "*" })).toBe(false);
    expect(isSameAccount(FLEET, { scope: "fleet", name: "all" })).toBe(false);
  });

  it("name the units of which there is something", () => {
    expect(spentUnits({ runs: 1, microUsd: 0, tokens: 3 })).toEqual(["tokens", "runs"]);
  });

  it("are whole numbers of known units from 0 on", () => {
    expect(amountProblem({ tokens: 0, spawns: 2 })).toBeUndefined();
    expect(amountProblem({ tokens: 1.5 })).toBe("tokens is 1.5");
    expect(amountProblem({ microUsd: -1 })).toBe("microUsd is -1");
    expect(amountProblem({ tokens: Number.POSITIVE_INFINITY })).toBe("tokens is Infinity");
    expect(amountProblem({ tokens: 1e12 })).toBeUndefined();
    expect(amountProblem({ tokens: 1e12 + 1 })).toBe("tokens is 1000000000001");
    expect(amountProblem({ euros: 1 } as never)).toBe("euros is 1");
  });
});
