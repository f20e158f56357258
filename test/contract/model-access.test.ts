import { onTestFinished } from "vitest";
import { listenIn } from "../../src/adapters/egress/socket-folder.ts";
import { createFileCallRecords } from "../../src/adapters/files/call-records.ts";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createModelAccess } from "../../src/gateway/access.ts";
import { AT, standingGateway } from "../support/gateway/fixture.ts";
import { fakeProvider, json } from "../support/gateway/upstream.ts";
import { tempDir } from "../support/temp-dir.ts";
import { modelAccessContract } from "./model-access.contract.ts";

modelAccessContract("the gateway", async () => {
  const provider = await fakeProvider(json({ model: "m", usage: { input_tokens: 20, output_tokens: 15 } }));
  const records = createFileCallRecords({ dir: tempDir() });
  const { gateway, ledger } = await standingGateway({ upstream: provider.url, records });
  const folder = tempDir();
  const artifacts = createMemoryArtifacts({ maxBytes: 1 << 20 });
  onTestFinished(() => gateway.close());
  const access = createModelAccess({
    ...{ gateway: async () => gateway, ledger, records, clock: { now: () => AT } },
    bind: (server) => listenIn(folder, server),
    artifacts,
    redact: (text) => text,
  });
  return {
    access,
    ledger,
    artifact: async (sha256) => Buffer.from(await artifacts.get(sha256)).toString("utf8"),
    leave: async (key, left) => {
      for (const record of left) await records.append(key, record);
    },
  };
});
