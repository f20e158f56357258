/** A door to a gateway in front of a scripted model API, as a stage gets it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { listenIn } from "../../../src/adapters/egress/socket-folder.ts";
import { createMemoryArtifacts } from "../../../src/adapters/memory/artifacts.ts";
import { createMemoryCallRecords } from "../../../src/adapters/memory/models/call-records.ts";
import { createSystemClock } from "../../../src/adapters/system/clock.ts";
import { createModelAccess } from "../../../src/gateway/access.ts";
import type { Traffic } from "../../../src/gateway/grants.ts";
import type { Gateway } from "../../../src/gateway/server.ts";
import { ROUTE_SETTINGS } from "../../../src/limits/routes/settings.ts";
import type { ModelDoor } from "../../../src/ports/models/model-access.ts";
import { ACCOUNT, KEY, routerWith, standingGateway } from "../gateway/fixture.ts";
import { modelApi } from "../model-api/fixture.ts";
import type { Script } from "../model-api/script.ts";
import type { ModelApi } from "../model-api/server.ts";

export interface OpenDoor {
  readonly door: ModelDoor;
  readonly api: ModelApi;
}

const MOST = 1e9;
let doors = 0;

/** To be called inside a test. `folder`: for its socket. `traffic`: keeps what passes, or answers in the place of the provider. */
export async function openDoor(script: Script, folder: string, tokens = MOST, traffic?: Traffic): Promise<OpenDoor> {
  doors += 1;
  const sockets = join(folder, `s${doors}`);
  mkdirSync(sockets);
  const api = await modelApi(script, { key: KEY });
  const clock = createSystemClock();
  const records = createMemoryCallRecords();
  const quick = { ...ROUTE_SETTINGS, retry: { ...ROUTE_SETTINGS.retry, tries: 1 } };
  const { gateway, ledger } = await standingGateway({ upstream: api.url, records, router: routerWith(quick, clock) });
  const access = createModelAccess({
    ...{ gateway: async () => withTraffic(gateway, traffic), ledger, records, clock, redact: (text: string) => text },
    artifacts: createMemoryArtifacts({ maxBytes: 1 << 20 }),
    bind: (server) => listenIn(sockets, server),
  });
  const door = await access.open({
    ...{ key: `${ACCOUNT.name}/${doors}`, accounts: [ACCOUNT], priority: 0, calls: null, providers: null },
    caps: [{ account: ACCOUNT, unit: "tokens", window: "run", amount: tokens, source: "the test" }],
    record: false,
  });
  return { door, api };
}

function withTraffic(gateway: Gateway, traffic: Traffic | undefined): Gateway {
  return traffic === undefined ? gateway : { ...gateway, open: (grant) => gateway.open({ ...grant, traffic }) };
}
