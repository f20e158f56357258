import { describe, expect, it } from "vitest";
import type { Certificate, GateEntry } from "./certificate.ts";
import { renderSummary, renderTrailer } from "./render.ts";

const DIGEST = "ab".repeat(32);
const GATE: GateEntry = {
  stage: "check",
  by: "exit",
  verdict: "pass",
  tree: "t",
  argv: ["ok"],
  exit: 0,
  output: null,
  log: null,
  artifacts: {},
  at: 2,
  tests: null,
};
const CERTIFICATE: Certificate = {
  version: 1,
  claim: {
    blueprint: "fix",
    run: "r_1",
    origin: "r_1",
    level: "L2",
    plan: "p",
    policy: "q",
    gates: "g",
    unearned: null,
  },
  journal: { events: 1, head: "h" },
  base: { tree: "t1" },
  candidate: { tree: "t2", oid: "0123456789abcdef" },
  gates: [GATE],
  verifiers: {},
  approvals: [],
  cost: { tokens: 1200, microUsd: 30_000, stages: 4, wallMs: 61_400 },
  times: { createdAt: 1, judgedAt: 2 },
};
const summary = (fields: Partial<Certificate> = {}): string => renderSummary({ ...CERTIFICATE, ...fields }, DIGEST);

describe("the trailer of a commit", () => {
  it("names the certificate by its digest", () => {
    expect(renderTrailer(DIGEST)).toBe(`Pawl-Certificate: sha256:${DIGEST}`);
  });
});

describe("the part of a pull request", () => {
  it("tells gates, tests, cost and how to check it", () => {
    const tests = {
      counts: { passed: 12, failed: 1, skipped: 0, oldFailures: 41 },
      results: null,
      fixed: ["a", "b"],
      oldFailures: ["c"],
      newFailures: [],
      vanished: [],
      added: { count: 2001, sha256: "d" },
      flaky: [],
    };
    const person = { ...GATE, stage: "human", by: "person", exit: null };
    const gates = [GATE, { ...GATE, stage: "verify", by: "tests", tests }, person];
    expect(summary({ gates })).toBe(`### Verified by Pawl

Blueprint fix at level L2, run r\\_1. Every gate passed, for exactly this tree (\`0123456789ab\`).

| gate | judged by | verdict | evidence |
|---|---|---|---|
| check | exit | pass | exit 0 |
| verify | tests | pass | 12 passed, 1 failed, 0 skipped, 2 fixed, 41 failed before and still do, 2001 new |
| human | person | pass |  |

Cost: 4 stage starts, 61 s, 1200 tokens, $0.03.

Certificate \`sha256:${DIGEST}\`. Check it with \`pawl verify r_1\`.`);
  });

  it("tells who answered, and who let it run above its earned level", () => {
    const approvals = [{ id: null, stage: "push", digest: "d", answer: "approve", by: "ann", at: 1 }];
    const text = summary({
      approvals,
      claim: { ...CERTIFICATE.claim, unearned: { by: "bob", why: "a first try" } },
      candidate: { tree: "t2" },
    });
    expect(text).toContain("- push: approve by ann\n- Ran above its earned level: bob said a first try\n\nCost:");
    expect(text).toContain("exactly this tree.\n");
    expect(summary({ approvals })).toContain("- push: approve by ann\n\nCost:");
  });

  it("says that a person settled what a gate asked", () => {
    const gates = [{ ...GATE, verdict: "escalate" }];
    expect(summary({ gates })).toContain("Every gate passed, or a person settled what it asked, for exactly this tree");
  });

  it("counts what is not there as nothing", () => {
    const none = { results: null, fixed: [], oldFailures: [], newFailures: [], vanished: [], added: [], flaky: [] };
    const gates = [{ ...GATE, tests: { counts: {}, ...none } }];
    expect(summary({ gates })).toContain("| 0 passed, 0 failed, 0 skipped |");
  });

  it("is short, however much there is to tell", () => {
    const gates = Array.from({ length: 500 }, () => GATE);
    const approvals = gates.map(() => ({ id: null, stage: "s", digest: "d", answer: "a", by: "b".repeat(999), at: 1 }));
    const text = summary({ gates, approvals });
    expect(text).toContain("| and 460 more | | | |");
    expect(text).toContain("- and 460 more answers");
    expect(text.length).toBeLessThan(8000);
  });

  it.each([
    ["a mention", "@ann", "@<!-- -->ann"],
    ["an issue", "#12 GH-12", "#<!-- -->12 GH-<!-- -->12"],
    ["a link", "https://x.y", "https:<!-- -->/<!-- -->/<!-- -->x.<!-- -->y"],
    ["HTML", '<b onclick="x">&\'', "&#60;b onclick\\=&#34;x&#34;&#62;&#38;&#39;"],
    ["Markdown", "[a](b) `c` **d** | e", "\\[a\\]\\(b\\) \\`c\\` \\*\\*d\\*\\* \\| e"],
    ["hidden characters", "a\u202eb\nc", "a\\\\u202eb\\\\nc"],
    ["a plain name", "fix-tests, 100% späte Ärzte", "fix-tests, 100% späte Ärzte"],
  ])("makes %s stand for itself", (_, text, shown) => {
    expect(summary({ gates: [{ ...GATE, stage: text }] })).toContain(`| ${shown} | exit | pass |`);
  });
});
