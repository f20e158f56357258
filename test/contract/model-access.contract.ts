/** The contract of the ModelAccess port. */
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../src/base/usage.ts";
import type { CallRecord } from "../../src/ports/models/call-records.ts";
import type { ModelAccess, ModelDoor, ModelGrant } from "../../src/ports/models/model-access.ts";
import type { Ledger } from "../../src/ports/store/ledger.ts";

export interface AccessParts {
  readonly access: ModelAccess;
  readonly ledger: Ledger;
  artifact(sha256: string): Promise<string>;
  /** What a host that died has left of the attempt. */
  leave(key: string, records: readonly CallRecord[]): Promise<void>;
}

const KEY = "r_1/fix/1/1";
const ACCOUNT = { scope: "run", name: KEY } as const;
const NO_CALLS = { refused: 0, missed: 0, parkedUntil: null };

function grantOf(change: Partial<ModelGrant> = {}): ModelGrant {
  const cap = { account: ACCOUNT, unit: "tokens", window: "run", amount: 100_000, source: "the test" } as const;
  return {
    key: KEY,
    accounts: [ACCOUNT],
    caps: [cap],
    priority: 0,
    calls: null,
    providers: null,
    record: false,
    ...change,
  };
}

/** A call as a client behind the wall makes it. */
function call({ socket, env }: ModelDoor, token = env["ANTHROPIC_API_KEY"] ?? ""): Promise<number> {
  const body = JSON.stringify({ model: "m", max_tokens: 10, messages: [] });
  return new Promise((resolve, reject) => {
    const headers = { host: "127.0.0.1:3129", "x-api-key": token };
    const asking = request({ socketPath: socket, path: "/v1/messages", method: "POST", headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

/** `create`: a model that answers every call with 20 tokens of input and 15 of output, at a dollar per million tokens. */
export function modelAccessContract(name: string, create: () => Promise<AccessParts>): void {
  describe(`ModelAccess contract: ${name}`, () => {
    it("opens a door with a token of its own, and tells what went through it", async () => {
      const { access, ledger } = await create();
      const door = await access.open(grantOf());
      expect([await call(door), await call(door), await call(door, "pawl-wrong")]).toEqual([200, 200, 401]);
      const use = { usage: { tokens: 70, microUsd: 70 }, calls: 2, ...NO_CALLS };
      expect([await door.close(), await door.close()]).toEqual([use, use]);
      expect(await call(door)).toBe(401);
      expect(await ledger.usage(KEY)).toMatchObject({ tokens: 70, microUsd: 70 });
    });

    it("keeps doors apart", async () => {
      const { access } = await create();
      const [one, two] = [await access.open(grantOf({ calls: 1 })), await access.open(grantOf({ key: "r_1/fix/1/2" }))];
      expect([await call(one), await call(one), await call(two)]).toEqual([200, 402, 200]);
      expect((await one.close()).calls).toBe(1);
      expect(await call(two)).toBe(200);
      expect(await two.close()).toMatchObject({ calls: 2, usage: { tokens: 70 } });
    });

    it("keeps all that passes when it is asked to", async () => {
      const { access, artifact } = await create();
      const door = await access.open(grantOf({ record: true }));
      expect([await call(door), await call(door)]).toEqual([200, 200]);
      const { traffic } = await door.close();
      const lines = (await artifact(traffic?.sha256 ?? "")).trim().split("\n");
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { order: 1, model: "m", status: 200 },
        { order: 2 },
      ]);
    });

    it("settles what a host that died has left: as it ended, as it was reserved, or not at all", async () => {
      const { access, ledger, leave } = await create();
      const reserved = { tokens: 100, microUsd: 100 };
      const begun = (call: number): CallRecord => ({
        type: "begun",
        key: `${KEY}/${call}`,
        at: 1,
        model: "m",
        reserved,
      });
      for (const call of [1, 2, 3])
        await ledger.reserve({
          ...{
            key: `${KEY}/${call}`,
            at: 1,
            accounts: [ACCOUNT],
            amounts: reserved,
            caps: [],
            priority: 0,
            wait: false,
          },
        });
      const charged = { tokens: 35, microUsd: 40 };
      await leave(KEY, [
        begun(1),
        begun(2),
        // Its host died before it was reserved, and so before it was sent.
        begun(4),
        { type: "ended", key: `${KEY}/1`, at: 2, provider: "anthropic", model: "m", charged, estimate: null },
      ]);
      const use = { usage: { tokens: 135, microUsd: 140 }, calls: 2, ...NO_CALLS };
      expect(await access.reconcile(KEY)).toEqual(use);
      expect(await ledger.usage(KEY)).toMatchObject({ tokens: 135, microUsd: 140 });
      expect((await ledger.open({ prefix: KEY, limit: 10 })).reservations).toEqual([]);
      // The next host may die before anybody else knows.
      expect(await access.reconcile(KEY)).toEqual(use);
    });

    it("tells what went through a door also when its host died right after it was closed", async () => {
      const { access } = await create();
      const door = await access.open(grantOf());
      expect([await call(door), await call(door)]).toEqual([200, 200]);
      await door.close();
      expect(await access.reconcile(KEY)).toEqual({ usage: { tokens: 70, microUsd: 70 }, calls: 2, ...NO_CALLS });
      expect(await access.reconcile("r_1/fix/1/9")).toEqual({ usage: NO_USAGE, calls: 0, ...NO_CALLS });
    });
  });
}
