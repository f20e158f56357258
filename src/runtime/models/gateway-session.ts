/** A gateway by itself, in front of any agent that somebody already runs: one token, one budget, until it is closed. */
import { formatEvidenceId } from "../../base/ids.ts";
import type { Traffic } from "../../gateway/grants.ts";
import { createPlayer } from "../../gateway/record/player.ts";
import { createRecorder } from "../../gateway/record/recorder.ts";
import { gatewayVariables } from "../../gateway/variables.ts";
import type { Account, Cap } from "../../limits/ledger/cap.ts";
import type { CallReport } from "../../ports/models/call-report.ts";
import type { ModelUse } from "../../ports/models/model-access.ts";
import type { Config } from "../config.ts";
import { buildGateway, type GatewayParts } from "./build-gateway.ts";
import { createRecordFolder, readRecord } from "./record-folder.ts";

export interface SessionOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** null: not limited. */
  readonly tokens: number | null;
  readonly microUsd: number | null;
  readonly calls: number | null;
  readonly traffic: { readonly kind: "record" | "replay"; readonly folder: string } | null;
  readonly upstreams: Readonly<Record<string, string>>;
  readonly onCall: (report: CallReport) => void;
}

export interface GatewaySession {
  readonly url: string;
  /** What an agent must be started with. */
  readonly variables: Readonly<Record<string, string>>;
  readonly keyed: readonly string[];
  use(): ModelUse;
  /** Settles everything and lets go. Idempotent. */
  close(): Promise<ModelUse>;
}

const MOST_RECORDED_BYTES = 16 * 1024 * 1024;

export async function openSession(
  parts: Omit<GatewayParts, "onCall" | "upstreams"> & { readonly randomBytes: (count: number) => Uint8Array },
  options: SessionOptions,
): Promise<GatewaySession> {
  const { port, tokens, microUsd, calls, onCall, upstreams } = options;
  const { gateway, redact, keyed } = await buildGateway({ ...parts, upstreams, onCall });
  const key = `gateway/${formatEvidenceId(parts.randomBytes(12))}`;
  const account: Account = { scope: "run", name: key };
  const cap = (unit: Cap["unit"], amount: number | null, source: string): readonly Cap[] =>
    amount === null ? [] : [{ account, unit, window: "run", amount, source }];
  const traffic = await trafficOf(options.traffic, redact);
  const url = await gateway.listen(port);
  const door = gateway.open({
    ...{ key, accounts: [account, ...tenantOf(parts.config)], priority: 0, calls, providers: null },
    caps: [...cap("tokens", tokens, "--tokens"), ...cap("microUsd", microUsd, "--usd")],
    ...(traffic === null ? {} : { traffic }),
  });
  const close = async (): Promise<ModelUse> => {
    const use = await door.close().finally(() => gateway.close());
    await parts.records.forget(key);
    return use;
  };
  return { url, variables: gatewayVariables(url, door.token), keyed, use: door.use, close };
}

/** Whose rates count. */
function tenantOf({ tenant }: Pick<Config, "tenant">): readonly Account[] {
  return tenant === null ? [] : [{ scope: "tenant", name: tenant }];
}

async function trafficOf(wanted: SessionOptions["traffic"], redact: (text: string) => string): Promise<Traffic | null> {
  if (wanted === null) return null;
  if (wanted.kind === "replay") return createPlayer(await readRecord(wanted.folder));
  const write = await createRecordFolder(wanted.folder);
  return createRecorder({ redact, mostBytes: MOST_RECORDED_BYTES, write });
}
