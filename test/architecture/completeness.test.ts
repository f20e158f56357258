/** Nothing is left half done: every event is shown, documented and handled, every error says what to do, every port has its suite. */
import { basename } from "node:path";
import pc from "picocolors";
import { describe, expect, test } from "vitest";
import { catalogues } from "../../scripts/docs/catalogues.ts";
import { eventDocs } from "../../scripts/docs/events-page.ts";
import { staleReference } from "../../scripts/generate-docs.ts";
import { explainAll } from "../../src/cli/catalogues.ts";
import { renderEventLine } from "../../src/cli/views/event-line.ts";
import type { EventOf, EventType } from "../../src/run/events.ts";
import { TRANSITIONS } from "../../src/run/transitions.ts";
import { filesBelow, ROOT, textOf } from "./tree.ts";

const at = 1;
const stage = "build";

/** One of each. A new event type does not compile until it is here. */
const SAMPLES: { readonly [T in EventType]: EventOf<T> } = {
  "run.created": { type: "run.created", at, run: "r_000000000000", blueprint: "b", plan: "0".repeat(64), params: {} },
  "run.started": { type: "run.started", at },
  "run.resumed": { type: "run.resumed", at, after: "interruption" },
  "round.started": { type: "round.started", at, round: 2, stage },
  "stage.started": { type: "stage.started", at, stage, visit: 1, attempt: 1, rule: "blueprint.allow[0]" },
  "stage.finished": { type: "stage.finished", at, stage, attempt: 1, outcome: "success", cause: "ok" },
  "stage.interrupted": { type: "stage.interrupted", at, stage, attempt: 1 },
  "stage.refused": { type: "stage.refused", at, stage, visit: 1, error: "no value" },
  "stage.rested": { type: "stage.rested", at, stage, attempt: 1, child: "r_000000000001" },
  "stage.parked": { type: "stage.parked", at, stage, attempt: 1, reason: "awaiting_quota", until: null, why: "no" },
  "stage.deferred": {
    type: "stage.deferred",
    at,
    stage,
    attempt: 1,
    call: { tool: "edit", input: {}, requests: [] },
    digest: "0",
    why: "asked",
    rule: "blueprint.ask[0]",
    tookMs: 1,
  },
  "group.opened": { type: "group.opened", at, stage, visit: 1, members: 2 },
  "group.closed": { type: "group.closed", at, stage, outcome: "success" },
  "policy.denied": { type: "policy.denied", at, stage, visit: 1, rule: "default", why: "no rule", request: {} },
  "budget.refused": {
    type: "budget.refused",
    at,
    stage,
    attempt: 1,
    why: "the cap",
    cap: { account: { scope: "fleet", name: "*" }, unit: "tokens", window: "day", amount: 5, source: "pawl.yaml:1:1" },
    spent: 5,
    reserved: 0,
    asked: 1,
  },
  "run.degraded": {
    type: "run.degraded",
    at,
    stage,
    level: "L1",
    why: "80 %",
    cap: { account: { scope: "fleet", name: "*" }, unit: "tokens", window: "day", amount: 5, source: "pawl.yaml:1:1" },
  },
  "approval.requested": {
    type: "approval.requested",
    at,
    stage,
    visit: 1,
    kind: "policy",
    id: "1-0",
    digest: "0",
    why: "asked",
    answers: ["yes", "no"],
    policy: "0",
  },
  "approval.answered": { type: "approval.answered", at, stage, id: "1-0", digest: "0", answer: "yes", by: "ada" },
  "approval.reminded": { type: "approval.reminded", at, stage, id: "1-0", digest: "0" },
  "approval.expired": { type: "approval.expired", at, stage, id: "1-0", digest: "0" },
  "run.waiting": { type: "run.waiting", at, reason: "awaiting_approval" },
  "run.pausing": { type: "run.pausing", at, by: "ada" },
  "run.paused": { type: "run.paused", at, by: "ada" },
  "run.stopping": { type: "run.stopping", at, reason: "cancelled", detail: "by ada" },
  "run.finished": { type: "run.finished", at, status: "succeeded", reason: "goal_achieved" },
};
const TYPES = Object.keys(SAMPLES) as EventType[];

/** Port files that hold no behaviour an adapter could get wrong, each with the reason. */
const WITHOUT_SUITE: Readonly<Record<string, string>> = {
  budget: "who pays for a run, plain data; the suite of the ledger is what counts",
  "agent-access": "what an agent needs as one object, plain data; the suites of agent-backend and agent-homes count",
  "kernel-ports": "the ports of the kernel as one object, plain data",
  "model-program":
    "what the program of the harness and its host say, plain data; the suite of agent-backend runs on it",
  "host-tools":
    "what an agent may call through its host; the suite of mcp-servers counts, and who may call is in host-hands",
  "loop-store": "what loops keep as one object; the suites of its parts run on it",
  "call-report": "what is told of a model call, plain data",
  "run-chain":
    "what tells that no run is missing: only a store that outlives its process can lose one; test/e2e/damage.test.ts damages it",
  "saved-work": "what a vault still holds when the journal is lost; test/e2e/recover.test.ts runs on a real one",
  store: "the stores of one project as one object; the suites of journal, run-index, lease and control run on it",
};

describe("every event type", () => {
  test("is in the source that the reference page is made from", () => {
    expect(eventDocs(`${ROOT}/src/run/events.ts`).map((event) => event.type)).toEqual(TYPES);
  });

  test.for(TYPES)("%s is shown as one line", (type) => {
    const line = renderEventLine(SAMPLES[type], pc.createColors(false));
    expect(line).not.toMatch(/undefined|\[object|\n/);
    expect(line.length).toBeGreaterThan(3);
  });

  test("is handled by the transition table, apart from the one that begins it", () => {
    const handled = new Set(Object.values(TRANSITIONS).flatMap((row) => Object.keys(row)));
    expect(TYPES.filter((type) => !handled.has(type))).toEqual(["run.created"]);
  });
});

describe("every error", async () => {
  const areas = await catalogues(ROOT);
  const codes = areas.flatMap((area) => area.codes);

  test("has one code of the form AREA_NOUN_PROBLEM", () => {
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !/^[A-Z]+(_[A-Z0-9]+)+$/.test(code))).toEqual([]);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  test("is known to `pawl explain`", () => {
    const explained = new Set(explainAll().map((explanation) => explanation.code));
    expect(
      areas.flatMap((area) => area.codes.filter((code) => !explained.has(code)).map((code) => `${area.file}: ${code}`)),
    ).toEqual([]);
  });

  test("says what, why and what to do in whole sentences", () => {
    const poor = explainAll().filter(({ what, why, hint }) => [what, why, hint].some((text) => text.trim().length < 8));
    expect(poor.map(({ code, what, why, hint }) => ({ code, what, why, hint }))).toEqual([]);
  });

  test("is raised somewhere", () => {
    const sources = filesBelow("src").filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
    const catalogueFiles = new Set(areas.map((area) => area.file));
    const text = sources
      .filter((path) => !catalogueFiles.has(path))
      .map(textOf)
      .join("\n");
    expect(codes.filter((code) => !text.includes(`"${code}"`))).toEqual([]);
  });
});

describe("every port", () => {
  const ports = filesBelow("src/ports")
    .filter((path) => !/(\.test|errors)\.ts$/.test(path))
    .map((path) => basename(path, ".ts"));

  const suites = filesBelow("test/contract").filter((path) => path.endsWith(".contract.ts"));
  const hasSuite = (port: string): boolean =>
    suites.some((path) => basename(path) === `${port}.contract.ts` || textOf(path).includes(`/ports/${port}.ts"`));

  test("has a contract suite, or a reason why it needs none", () => {
    expect(ports.filter((port) => WITHOUT_SUITE[port] === undefined && !hasSuite(port))).toEqual([]);
  });

  test("that is excused still exists and has no suite", () => {
    expect(Object.keys(WITHOUT_SUITE).filter((port) => !ports.includes(port) || hasSuite(port))).toEqual([]);
  });

  test("has a suite that some test runs", () => {
    const tests = filesBelow("test")
      .filter((path) => path.endsWith(".test.ts"))
      .map(textOf)
      .join("\n");
    expect(suites.filter((path) => !tests.includes(`/${basename(path)}"`))).toEqual([]);
  });
});

describe("the reference pages", () => {
  test("are what the code says", async () => {
    expect(await staleReference()).toEqual([]);
  });
});
