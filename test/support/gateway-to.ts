/** A gateway in front of the scripted model API, for one test. */
import { onTestFinished } from "vitest";
import { createMemoryCallRecords } from "../../src/adapters/memory/call-records.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { PLAIN_ROUTER, type Router } from "../../src/gateway/exchange.ts";
import type { Grant } from "../../src/gateway/grants.ts";
import { PROVIDERS } from "../../src/gateway/providers.ts";
import { createGateway, type GrantDoor } from "../../src/gateway/server.ts";
import { createUpstream } from "../../src/gateway/upstream.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../../src/limits/prices/tokens.ts";
import type { CallReport } from "../../src/ports/models/call-report.ts";
import type { ModelApi } from "./model-api/server.ts";

export interface TestGateway {
  readonly url: string;
  readonly token: string;
  readonly door: GrantDoor;
  /** In the order in which they ended. */
  readonly reports: readonly CallReport[];
  /** Tokens of all calls, as the gateway read them. */
  metered(): Tokens;
}

export interface GatewayToOptions {
  /** The real one, for every provider. */
  readonly key: string;
  /** Cap of the grant. */
  readonly tokens?: number;
  readonly grant?: Partial<Grant>;
  readonly router?: Router;
}

const RUN = { scope: "run", name: "r_test" } as const;

/** To be called inside a test. */
export async function gatewayTo(api: ModelApi, options: GatewayToOptions): Promise<TestGateway> {
  const { key, tokens: amount = 1_000_000_000, router = PLAIN_ROUTER } = options;
  const clock = createSystemClock();
  const reports: CallReport[] = [];
  const providers = Object.fromEntries(
    Object.entries(PROVIDERS).map(([name, provider]) => [name, { ...provider, baseUrl: api.url }]),
  );
  const keys = new Map(Object.keys(providers).map((name) => [name, key]));
  const gateway = createGateway({
    ledger: createMemoryStore({ clock }).ledger,
    records: createMemoryCallRecords(),
    clock,
    prices: {},
    router,
    hasKey: (provider) => keys.has(provider),
    redact: (text) => text.replaceAll(key, "***"),
    onCall: (report) => reports.push(report),
    upstream: createUpstream({ providers, keys, idleMs: 30_000 }),
  });
  const url = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  const door = gateway.open({
    key: "r_test/agent/1/1",
    accounts: [RUN],
    caps: [{ account: RUN, unit: "tokens", window: "run", amount, source: "the test" }],
    priority: 0,
    calls: null,
    providers: null,
    ...options.grant,
  });
  const metered = (): Tokens => reports.reduce((sum, { tokens }) => addTokens(sum, tokens ?? NO_TOKENS), NO_TOKENS);
  return { url, token: door.token, door, reports, metered };
}
