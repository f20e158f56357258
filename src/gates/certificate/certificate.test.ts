import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonValue } from "../../base/json.ts";
import {
  buildCertificate,
  type Certificate,
  type CertificateInput,
  certificateText,
  checkCertificate,
  type Judgement,
} from "./certificate.ts";
import { gatesDigest } from "./digests.ts";

const PLAN = planFrom("stages:\n  - { id: check, gate: { command: [ok] } }\n", { level: "L2" });
const VERDICT = {
  outcome: "pass",
  counts: { passed: 3, failed: 1, skipped: 0, base: 4 },
  fixed: ["a"],
  oldFailures: ["b"],
  flaky: "no list",
};

const GATE: Judgement = {
  stage: "check",
  by: "exit",
  verdict: "pass",
  tree: "t2",
  argv: ["ok"],
  exit: 0,
  output: null,
  results: null,
  log: "l",
  artifacts: {},
  at: 20,
};
const INPUT: CertificateInput = {
  plan: PLAN,
  run: "r_1",
  origin: "r_1",
  unearned: null,
  journal: { events: 7, head: "h" },
  base: { tree: "t1", oid: "o1" },
  candidate: { tree: "t2", oid: "o2" },
  gates: [GATE],
  verifiers: { "test/a.ts": "d" },
  approvals: [{ id: "r_1-ab", stage: "check", digest: "d", answer: "approve", by: "ann", at: 5 }],
  cost: { tokens: 1, microUsd: 2, stages: 3, wallMs: 4 },
  createdAt: 1,
};

const build = (fields: Partial<CertificateInput> = {}): Certificate =>
  buildCertificate({ ...INPUT, ...fields }).certificate;
const many = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `test ${i}`);

describe("a certificate", () => {
  it("says what was claimed, what was judged by what, and what it cost", () => {
    const { output: _, results: __, ...gate } = GATE;
    expect(buildCertificate(INPUT)).toEqual({
      lists: [],
      certificate: {
        version: 1,
        claim: {
          blueprint: "test",
          run: "r_1",
          origin: "r_1",
          level: "L2",
          plan: PLAN.fingerprint,
          policy: PLAN.policy,
          gates: gatesDigest(PLAN),
          unearned: null,
        },
        journal: INPUT.journal,
        base: INPUT.base,
        candidate: INPUT.candidate,
        gates: [{ ...gate, output: null, tests: null }],
        verifiers: INPUT.verifiers,
        approvals: INPUT.approvals,
        cost: INPUT.cost,
        times: { createdAt: 1, judgedAt: 20 },
      },
    });
  });

  it("has the same bytes each time", () => {
    expect(certificateText(build())).toBe(certificateText(build({ plan: { ...PLAN } })));
  });

  it("holds every test with its outcome, and the tests that matter by name", () => {
    const results = { kind: "tap", exit: 1, pass: ["a", "c", "d"], fail: ["b"], skip: [], problems: [] };
    const { gates } = build({ gates: [{ ...GATE, output: VERDICT, results }] });
    expect(gates[0]).toMatchObject({
      output: sha256(canonical(VERDICT)),
      tests: {
        counts: VERDICT.counts,
        results,
        fixed: ["a"],
        oldFailures: ["b"],
        newFailures: [],
        vanished: [],
        added: [],
        flaky: [],
      },
    });
  });

  it("holds a count and a digest of a list above 2,000, with the list beside it", () => {
    const results = { pass: many(1500), fail: many(501) };
    const output = { counts: {}, fixed: many(2000), added: many(2001) };
    const verifiers = Object.fromEntries(many(2001).map((name) => [name, "d"]));
    const { certificate, lists } = buildCertificate({ ...INPUT, verifiers, gates: [{ ...GATE, output, results }] });
    const folded = (value: JsonValue) => ({ count: 2001, sha256: sha256(canonical(value)) });
    expect(certificate.gates[0]?.tests).toMatchObject({
      results: folded(results),
      fixed: many(2000),
      added: folded(many(2001)),
    });
    expect(certificate.verifiers).toEqual(folded(verifiers));
    expect(lists).toEqual([canonical(results), canonical(many(2001)), canonical(verifiers)]);
  });

  it.each([["a text"], [[1, 2]], [{ outcome: "pass" }], [{ counts: 3 }]])("takes %j for no list of tests", (output) => {
    expect(build({ gates: [{ ...GATE, output, results: null }] }).gates[0]?.tests).toBeNull();
  });

  it.each(["no object", null])("keeps results of an unknown form as they are: %j", (results) => {
    const { gates } = build({ gates: [{ ...GATE, output: VERDICT, results }] });
    expect(gates[0]?.tests?.results).toBe(results);
  });

  it("was judged when it was created, where a person judged nothing else", () => {
    expect(build({ gates: [] }).times).toEqual({ createdAt: 1, judgedAt: 1 });
  });
});

describe("checking a certificate", () => {
  const text = certificateText(build());

  it("finds nothing where it says what the journal says", () => {
    expect(checkCertificate(text, build())).toEqual([]);
  });

  it.each<[string, (value: Certificate) => unknown, readonly string[]]>([
    [
      "a changed verdict",
      (c) => ({ ...c, gates: [{ ...c.gates[0], verdict: "fail" }] }),
      ['gates.0.verdict is "fail", the journal says "pass"'],
    ],
    [
      "another tree and another run",
      (c) => ({ ...c, candidate: { tree: "t3", oid: "o2" }, claim: { ...c.claim, run: "r_2" } }),
      ['candidate.tree is "t3", the journal says "t2"', 'claim.run is "r_2", the journal says "r_1"'],
    ],
    ["a gate more", (c) => ({ ...c, gates: [...c.gates, 1] }), ["gates.1 is 1, the journal says missing"]],
    ["a gate less", (c) => ({ ...c, gates: [] }), [expect.stringMatching(/^gates\.0 is missing, the journal says \{/)]],
    ["a list for a map", (c) => ({ ...c, cost: [] }), [expect.stringMatching(/^cost is \[\], the journal says \{/)]],
    ["no object", () => null, [expect.stringMatching(/^it is null, the journal says /)]],
  ])("finds %s", (_, change, problems) => {
    expect(checkCertificate(JSON.stringify(change(build())), build())).toEqual(problems);
  });

  it("finds bytes that are not those that were signed, and what is no JSON", () => {
    expect(checkCertificate(`${text} `, build())).toEqual(["it is not in canonical form"]);
    expect(checkCertificate("{", build())).toEqual(["it is not JSON"]);
  });

  it("names no more than twenty differences", () => {
    const other = build({ verifiers: Object.fromEntries(many(50).map((name) => [name, "d"])) });
    expect(checkCertificate(text, other)).toHaveLength(20);
  });
});
