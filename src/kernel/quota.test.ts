import { describe, expect, it } from "vitest";
import { CALM } from "../../test/support/gateway/calm.ts";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../test/support/run-plan.ts";
import type { ModelAccess } from "../ports/models/model-access.ts";
import type { RunEvent } from "../run/events.ts";

const AGENT = "stages:\n  - { id: fix, command: [ok], quota: claude }\n  - { id: after, command: [ok] }\n";
const SAID = "Working on it\nYou've hit your session limit · resets 3pm (UTC)\n";
/** The virtual clock begins at 2023-11-14T22:13:20Z. */
const THREE = Date.parse("2023-11-15T15:00:00Z");

async function hosted(
  yaml: string,
  said: string,
  ending: Record<string, unknown> = { cause: "exit", exit: 1 },
  script: Script = {},
): Promise<TestHost> {
  const host = createTestHost(planFrom(yaml), {
    ...script,
    stages: { fix: [{ ...ending, log: { sha256: "", bytes: 0, dropped: 0 } }, {}] },
    ports: (own) => ({
      artifacts: { ...own.artifacts, get: async () => new TextEncoder().encode(said) },
      ...(typeof script.ports === "function" ? script.ports(own) : script.ports),
    }),
  });
  return host;
}

const parkedOf = (events: readonly RunEvent[]): RunEvent | undefined =>
  events.find(({ type }) => type === "stage.parked");

describe("a command that its vendor refuses", () => {
  it("rests until the vendor says, and has not failed", async () => {
    const host = await hosted(AGENT, SAID);
    const end = await host.start();
    expect(end).toMatchObject({
      state: { status: "waiting", reason: "awaiting_quota", until: THREE, target: "quota:claude" },
    });
    expect(parkedOf(await host.events())).toMatchObject({
      ...{ stage: "fix", attempt: 1, reason: "awaiting_quota", until: THREE, target: "quota:claude" },
      why: "the quota of the vendor is used up: resets 3pm (UTC)",
    });
    expect((await host.types()).slice(-2)).toEqual(["stage.parked", "run.waiting"]);
  });

  it("is tried again from the tree that it began with", async () => {
    const host = await hosted(AGENT, SAID, undefined, {
      work: ({ stage, attempt }, files) => files.set(`${stage}-${attempt}`, "left"),
    });
    await host.start();
    const again = createTestHost(planFrom(AGENT), {
      store: host.store,
      work: ({ folder }) => expect([...(host.workspaces.files(folder ?? "")?.keys() ?? [])]).toEqual(["README.md"]),
    });
    host.clock.after(THREE - host.clock.now(), () => {});
    expect(await again.resume([{ type: "run.resumed", after: "wait", early: true }])).toMatchObject({
      state: { status: "succeeded" },
    });
    expect(again.executed.map(({ stage, attempt }) => `${stage} ${attempt}`)).toEqual(["fix 2", "after 1"]);
  });

  it("tells times in the zone of the host", async () => {
    const host = await hosted(AGENT, "5-hour limit reached ∙ resets 3pm", undefined, {
      ports: { zone: () => "America/Santiago" },
    });
    await host.start();
    expect(parkedOf(await host.events())).toMatchObject({ until: Date.parse("2023-11-15T18:00:00Z") });
  });

  it("has failed where waiting does not help, where nobody refused it, and where its end is not known", async () => {
    const plain = "stages:\n  - { id: fix, command: [ok] }\n";
    const cases = await Promise.all([
      hosted(AGENT, "Your credit balance is too low to access the Anthropic API"),
      hosted(AGENT, "1 test failed"),
      hosted(AGENT, "You've hit your usage limit. Try again in 3 hours."),
      hosted(AGENT, SAID, { cause: "timeout" }),
      hosted(plain, SAID),
    ]);
    for (const host of cases) expect(await host.start()).toMatchObject({ state: { status: "failed" } });
  });

  it("has failed when its log cannot be read, and has ended well when it says so", async () => {
    const broken = { artifacts: { put: () => Promise.reject(), get: () => Promise.reject(new Error("gone")) } };
    const lost = await hosted(AGENT, SAID, undefined, { ports: broken });
    expect(await lost.start()).toMatchObject({ state: { status: "failed" } });
    const good = await hosted(AGENT, SAID, { cause: "ok", exit: 0 });
    expect(await good.start()).toMatchObject({ state: { status: "succeeded" } });
  });

  it.each([
    ["", "quota:models"],
    [", providers: [anthropic]", "quota:anthropic"],
    [", providers: [anthropic, openai]", "quota:models"],
  ])("rests for what its gateway says%s", async (providers, target) => {
    const until = THREE;
    const use = { usage: { tokens: 1, microUsd: 1 }, calls: 1, refused: 0, missed: 0, parkedUntil: until };
    const models: ModelAccess = {
      open: async () => ({ env: {}, socket: "/s", ...CALM, close: async () => use }),
      reconcile: async () => use,
    };
    const yaml = `stages:\n  - { id: fix, command: [ok], models: { tokens: 2k, usd: 1${providers} } }\n`;
    const host = await hosted(yaml, "", undefined, { ports: { models } });
    expect(await host.start()).toMatchObject({ state: { status: "waiting", until, target } });
  });

  it("is heard only at the end of what it wrote", async () => {
    const host = await hosted(AGENT, `${SAID}${"and then it went on for long. ".repeat(400)}`);
    expect(await host.start()).toMatchObject({ state: { status: "failed" } });
  });
});
