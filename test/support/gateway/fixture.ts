/** A gateway in front of a provider of the test, with a ledger in memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createMemoryCallRecords } from "../../../src/adapters/memory/models/call-records.ts";
import { createMemoryStore } from "../../../src/adapters/memory/store.ts";
import { createSystemClock } from "../../../src/adapters/system/clock.ts";
import { createRedactor } from "../../../src/base/redact.ts";
import { PLAIN_ROUTER, type Router } from "../../../src/gateway/exchange.ts";
import type { Grant } from "../../../src/gateway/grants.ts";
import { PROVIDERS } from "../../../src/gateway/providers.ts";
import { createRouter } from "../../../src/gateway/routes/router.ts";
import { createGateway, type Gateway, type GrantDoor } from "../../../src/gateway/server.ts";
import { createUpstream } from "../../../src/gateway/upstream.ts";
import type { Cap, Unit } from "../../../src/limits/ledger/cap.ts";
import { type Price, type PriceTable, ratesOf } from "../../../src/limits/prices/price.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../../../src/limits/prices/tokens.ts";
import type { RouteSettings } from "../../../src/limits/routes/settings.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { CallRecords } from "../../../src/ports/models/call-records.ts";
import type { CallReport } from "../../../src/ports/models/call-report.ts";
import type { Ledger } from "../../../src/ports/store/ledger.ts";

export const KEY = "sk-real-0123456789abcdefghijklmnop";
export const AT = Date.UTC(2026, 10, 16, 12);

/** A dollar per million tokens of any kind is one micro-dollar a token. */
export const ONE: Price = {
  rates: ratesOf({ input: 1, output: 1, cacheRead: 1 }),
  contextTokens: 100_000,
  outputTokens: 1000,
  source: "the test",
  date: "2026-11-16",
};

export interface Standing {
  readonly gateway: Gateway;
  readonly url: string;
  readonly door: GrantDoor;
  readonly token: string;
  readonly ledger: Ledger;
  readonly records: CallRecords;
  readonly calls: readonly CallReport[];
}

export interface StandingOptions {
  readonly upstream: string;
  readonly caps?: Partial<Record<Unit, number>>;
  readonly grant?: Partial<Grant>;
  readonly prices?: PriceTable;
  readonly keys?: ReadonlyMap<string, string>;
  readonly router?: Router;
  readonly clock?: Pick<Clock, "now" | "after">;
  readonly mostRequestBytes?: number;
  readonly records?: CallRecords;
  /** How long the ledger takes to settle. */
  readonly settleMs?: number;
  /** What the gateway sees of the ledger. */
  readonly ledger?: (ledger: Ledger) => Ledger;
}

export const ACCOUNT = { scope: "run", name: "r_test/fix/1/1" } as const;

export async function standingGateway(options: StandingOptions): Promise<Standing> {
  const {
    caps = {},
    grant = {},
    prices = { m: ONE },
    router = PLAIN_ROUTER,
    clock = { ...createSystemClock(), now: () => AT },
  } = options;
  const keys = options.keys ?? new Map(Object.keys(PROVIDERS).map((name) => [name, KEY]));
  const providers = Object.fromEntries(
    Object.entries(PROVIDERS).map(([name, provider]) => [name, { ...provider, baseUrl: options.upstream }]),
  );
  const { ledger } = createMemoryStore({ clock: createSystemClock() });
  const records = options.records ?? createMemoryCallRecords();
  const calls: CallReport[] = [];
  const gateway = createGateway({
    ...{ ledger: options.ledger?.(ledger) ?? slowed(ledger, options.settleMs ?? 0), records, prices, router, clock },
    redact: createRedactor({ secrets: [...keys.values()] }).text,
    onCall: (report) => calls.push(report),
    upstream: createUpstream({ providers, keys, idleMs: 5000 }),
    hasKey: (provider) => keys.has(provider),
    ...(options.mostRequestBytes === undefined ? {} : { mostRequestBytes: options.mostRequestBytes }),
  });
  onTestFinished(() => gateway.close());
  const url = await gateway.listen(0);
  const own = Object.entries(caps).map(
    ([unit, amount]): Cap => ({ account: ACCOUNT, unit: unit as Unit, window: "run", amount, source: "the test" }),
  );
  const door = gateway.open({
    ...{ key: ACCOUNT.name, accounts: [ACCOUNT], caps: own, priority: 0, calls: null, providers: null },
    ...grant,
  });
  return { gateway, url, door, token: door.token, ledger, records, calls };
}

function slowed(ledger: Ledger, ms: number): Ledger {
  return {
    ...ledger,
    settle: async (...settlement) => {
      if (ms > 0) await sleep(ms);
      return ledger.settle(...settlement);
    },
  };
}

/** The router as the runtime makes it, with breakers of its own. */
export function routerWith(settings: RouteSettings, clock: Clock): Router {
  const providers = Object.fromEntries(Object.entries(PROVIDERS).map(([name, { wires }]) => [name, wires]));
  const { breakers } = createMemoryStore({ clock });
  return createRouter({ settings, providers, breakers, clock, chance: () => 0.5, zone: "UTC" });
}

/** Tokens of all calls, as the gateway read them. */
export function meteredIn({ calls }: Standing): Tokens {
  return calls.reduce((sum, { tokens }) => addTokens(sum, tokens ?? NO_TOKENS), NO_TOKENS);
}

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request as a client of this wire sends it. */
export async function ask(
  { url, token }: Pick<Standing, "url" | "token">,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
