/** The contract of the Certifier port. */
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { Certifier } from "../../src/ports/trust/certifier.ts";
import type { Signer } from "../../src/ports/trust/signer.ts";
import { planFrom } from "../support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../support/run-plan.ts";

export interface CertifierFixture {
  readonly certifier: Certifier;
  readonly artifacts: Pick<Artifacts, "get">;
  readonly signer: Signer;
}

const PLAN = planFrom(
  `
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: [ok] } }
  - { id: send, action: test.work }
`,
  { level: "L2" },
);

/** `open` gives a certifier over the journal and the trees of the host. */
export function certifierContract(name: string, open: (host: TestHost) => CertifierFixture): void {
  async function played(script: Script = {}) {
    const host = createTestHost(PLAN, script);
    await host.start();
    return { host, ...open(host) };
  }

  describe(`Certifier contract: ${name}`, () => {
    it("makes the same certificate each time, stored under its digest and signed", async () => {
      const { host, certifier, artifacts, signer } = await played();
      const certified = await certifier.certify(host.run, "end");
      expect(await certifier.certify(host.run, "end")).toEqual(certified);
      const { sha256: digest = "", bytes, key = "", signature = "" } = certified?.ref ?? {};
      const text = await artifacts.get(digest);
      expect([sha256(text), text.length]).toEqual([digest, bytes]);
      expect(await signer.verify(text, { key, value: signature })).toBe(true);
      expect(certified?.trailer).toBe(`Pawl-Certificate: sha256:${digest}`);
      expect(certified?.summary).toContain(digest);
    });

    it("covers what was stored up to the moment, and no more", async () => {
      const { host, certifier, artifacts } = await played();
      const events = async (digest = ""): Promise<unknown> =>
        JSON.parse(new TextDecoder().decode(await artifacts.get(digest))).journal.events;
      const types = await host.types();
      const end = await certifier.certify(host.run, "end");
      const send = await certifier.certify(host.run, { stage: "send", visit: 1 });
      expect(await events(end?.ref.sha256)).toBe(types.length - 1);
      expect(await events(send?.ref.sha256)).toBe(types.lastIndexOf("stage.started") + 1);
    });

    it("makes none where no tree was verified at that moment, or the moment never came", async () => {
      const { host, certifier } = await played();
      expect(await certifier.certify(host.run, { stage: "fix", visit: 1 })).toBeNull();
      expect(await certifier.certify(host.run, { stage: "send", visit: 2 })).toBeNull();
      const failed = await played({ stages: { check: [{ cause: "exit", exit: 1 }] } });
      expect(await failed.certifier.certify(failed.host.run, "end")).toBeNull();
    });
  });
}
