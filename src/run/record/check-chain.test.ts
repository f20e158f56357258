import { describe, expect, it } from "vitest";
import { canonical, type JsonObject } from "../../base/json.ts";
import { chainNext, chainStart } from "./chain.ts";
import { type ChainLink, checkChain, type PinnedHead } from "./check-chain.ts";

const CREATED = { type: "run.created", at: 1, run: "r_1", blueprint: "demo", plan: "p", params: {} };
const STARTED = { type: "run.started", at: 2 };
const OTHER = "the run is listed with another blueprint, another parent or another time";
const STAGE = { type: "stage.interrupted", at: 3, stage: "a", attempt: 1 };

function build(bodies: readonly string[]): ChainLink[] {
  let hash = chainStart("r_1");
  return bodies.map((body, i) => {
    hash = chainNext(hash, body);
    return { seq: i + 1, body, hash };
  });
}

const texts = (...events: JsonObject[]): string[] => events.map(canonical);

function headOf(links: readonly ChainLink[], other: Partial<PinnedHead> = {}): PinnedHead {
  const end = { seq: links.length, hash: links.at(-1)?.hash ?? "" };
  const listed = { plan: "p", blueprint: "demo", under: null, createdAt: 1 };
  return { ...end, ...listed, status: "running", reason: null, isOpen: false, ...other };
}

const intact = build(texts(CREATED, STARTED, STAGE));
const at = (i: number): ChainLink => intact[i] as ChainLink;

describe("checkChain", () => {
  it("counts the events of an intact chain and names its head", () => {
    expect(checkChain("r_1", intact, headOf(intact))).toEqual({ intact: true, events: 3, head: at(2).hash });
  });

  it("lets the chain of a run that a host has go on beyond what is pinned", () => {
    const pinned = headOf(intact.slice(0, 2), { isOpen: true });
    expect(checkChain("r_1", intact, pinned)).toEqual({ intact: true, events: 3, head: at(2).hash });
  });

  it.each<[string, number, string, readonly ChainLink[], PinnedHead]>([
    ["a tail cut below the pin", 2, "the event is missing", [at(0)], headOf(intact.slice(0, 2), { isOpen: true })],
    [
      "another event at the pin",
      2,
      "the pinned head does not match its event",
      intact,
      headOf(intact.slice(0, 2), { isOpen: true, hash: "x" }),
    ],
    [
      "a changed event",
      2,
      "the event does not match its chain value",
      [at(0), { ...at(1), body: "{}" }, at(2)],
      headOf(intact),
    ],
    [
      "a changed chain value",
      2,
      "the event does not match its chain value",
      [at(0), { ...at(1), hash: "x" }, at(2)],
      headOf(intact),
    ],
    ["bytes that are no text", 3, "the event is not text", [at(0), at(1), { ...at(2), body: null }], headOf(intact)],
    ["a dropped event", 2, "the event is missing", [at(0), at(2)], headOf(intact)],
    ["a dropped first event", 1, "the event is missing", [at(1), at(2)], headOf(intact)],
    ["a cut tail", 3, "the event is missing", [at(0), at(1)], headOf(intact)],
    ["no events at all", 1, "the event is missing", [], headOf([])],
    ["a head that was moved back", 3, "the event lies beyond the pinned head", intact, headOf(intact.slice(0, 2))],
    ["another head", 3, "the pinned head does not match its event", intact, headOf(intact, { hash: "x" })],
    [
      "another status",
      3,
      "the run is listed as queued but its events say running",
      intact,
      headOf(intact, { status: "queued" }),
    ],
    [
      "another reason",
      3,
      "the run is listed as running but its events say running",
      intact,
      headOf(intact, { reason: "noop" }),
    ],
    ["another plan", 1, "the run is listed with another plan", intact, headOf(intact, { plan: "q" })],
    ["another blueprint", 1, OTHER, intact, headOf(intact, { blueprint: "other" })],
    ["a parent that did not start it", 1, OTHER, intact, headOf(intact, { under: "r_2" })],
    ["another time", 1, OTHER, intact, headOf(intact, { createdAt: 2 })],
  ])("names the first event that does not fit: %s", (_, seq, problem, links, head) => {
    expect(checkChain("r_1", links, head)).toEqual({ intact: false, seq, problem });
  });

  it.each<[string, number, string, readonly string[]]>([
    ["a first event of another type", 1, "the first event is not run.created", texts(STARTED)],
    ["the first event of another run", 1, "the first event belongs to another run", texts({ ...CREATED, run: "r_2" })],
    ["text that is not JSON", 2, "the event is not a JSON object", [canonical(CREATED), "{"]],
    ["JSON that is no object", 2, "the event is not a JSON object", [canonical(CREATED), "null"]],
  ])("does not trust a chain that was computed anew over %s", (_, seq, problem, bodies) => {
    const links = build(bodies);
    expect(checkChain("r_1", links, headOf(links))).toEqual({ intact: false, seq, problem });
  });
});
