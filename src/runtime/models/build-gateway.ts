/** The gateway from the configuration of this machine: providers, keys, prices. */
import { pawlError } from "../../base/errors.ts";
import { createRedactor } from "../../base/redact.ts";
import type { CallParts } from "../../gateway/call.ts";
import { readKeys } from "../../gateway/keys.ts";
import { baseUrlOf, PROVIDERS, type Provider } from "../../gateway/providers.ts";
import { createRouter } from "../../gateway/routes/router.ts";
import { createGateway, type Gateway } from "../../gateway/server.ts";
import { createUpstream } from "../../gateway/upstream.ts";
import type { Clock } from "../../ports/clock.ts";
import { GATEWAY_ERRORS } from "../../ports/errors/gateway-errors.ts";
import type { Breakers } from "../../ports/store/breakers.ts";
import type { Config } from "../config.ts";
import { loadPrices } from "./prices.ts";
import { loadRoutes } from "./routes.ts";

export interface GatewayParts extends Pick<CallParts, "ledger" | "records"> {
  readonly clock: Clock;
  readonly breakers: Breakers;
  readonly config: Pick<Config, "hostEnv" | "models" | "secrets" | "tenant" | "zone">;
  readonly root: string;
  /** Addresses of providers other than the usual ones. */
  readonly upstreams?: Readonly<Record<string, string>>;
  readonly onCall?: CallParts["onCall"];
}

export interface BuiltGateway {
  readonly gateway: Gateway;
  /** Masks keys too. */
  readonly redact: (text: string) => string;
  /** Providers that there is a key for. */
  readonly keyed: readonly string[];
}

/** A provider may take as long to think. */
const IDLE_MS = 600_000;

/** Throws GATEWAY_KEYS_EXPOSED, GATEWAY_KEYS_UNFIT, and every problem of the prices and the routes. */
export async function buildGateway(parts: GatewayParts): Promise<BuiltGateway> {
  const { config, root, ledger, records, clock, breakers, onCall = () => undefined } = parts;
  const { keysFile, pricesFile, routesFile } = config.models;
  const providers = providersAt({ ...config.models.upstreams, ...parts.upstreams });
  const keys = readKeys({ providers, env: config.hostEnv, file: keysFile });
  const { text: redact } = createRedactor({ secrets: [...config.secrets, ...keys.values()] });
  const gateway = createGateway({
    ...{ ledger, records, clock, redact, onCall },
    prices: await loadPrices(root, pricesFile),
    router: createRouter({
      ...{ breakers, clock, chance: Math.random },
      settings: await loadRoutes(root, routesFile),
      providers: Object.fromEntries(Object.entries(providers).map(([name, { wires }]) => [name, wires])),
      zone: config.zone(),
    }),
    upstream: createUpstream({ providers, keys, idleMs: IDLE_MS }),
    hasKey: (provider) => keys.has(provider),
  });
  return { gateway, redact, keyed: [...keys.keys()].filter((name) => Object.hasOwn(providers, name)).sort() };
}

function providersAt(upstreams: Readonly<Record<string, string>>): Readonly<Record<string, Provider>> {
  const moved = Object.entries(upstreams).map(([name, url]): [string, Provider] => {
    const baseUrl = baseUrlOf(url);
    const usual = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
    if (baseUrl === null || usual === undefined)
      throw pawlError(GATEWAY_ERRORS, "GATEWAY_UPSTREAM_UNFIT", { provider: name, url });
    return [name, { ...usual, baseUrl }];
  });
  return { ...PROVIDERS, ...Object.fromEntries(moved) };
}
