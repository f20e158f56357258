/** The contract of the Certifier port. */
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/base/digest.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { Certified, Certifier } from "../../src/ports/trust/certifier.ts";
import type { Signer } from "../../src/ports/trust/signer.ts";

export type Part = "artifacts" | "signer" | "trees";

/** A run that has ended: its stage `fix` changed the tree, its gate `check` judged it, then its stage `send` began. */
export interface CertifierFixture {
  readonly certifier: Certifier;
  readonly run: RunId;
  readonly artifacts: Pick<Artifacts, "get">;
  readonly signer: Signer;
}

/** `verdict`: of the gate. `broken`: the part that refuses whatever it is asked. */
export interface CertifierScene {
  readonly verdict?: "fail";
  readonly broken?: Part;
}

const CODES: Readonly<Record<Part, RegExp>> = { artifacts: /^ARTIFACT_/, signer: /^SIGNER_/, trees: /^WORKSPACE_/ };
const SENT = { stage: "send", visit: 1 } as const;

export function certifierContract(name: string, open: (scene?: CertifierScene) => Promise<CertifierFixture>): void {
  describe(`Certifier contract: ${name}`, () => {
    it.each([["end"], [SENT]] as const)("stores what it says and signs exactly that, at %j", async (moment) => {
      const { certifier, run, artifacts, signer } = await open();
      const { ref } = (await certifier.certify(run, moment)) as Certified;
      const bytes = await artifacts.get(ref.sha256);
      expect([sha256(bytes), bytes.length]).toEqual([ref.sha256, ref.bytes]);
      expect(await signer.verify(bytes, { key: ref.key, value: ref.signature })).toBe(true);
      expect(await signer.verify(bytes.subarray(1), { key: ref.key, value: ref.signature })).toBe(false);
    });

    it("says the same each time, and something else at another moment", async () => {
      const { certifier, run } = await open();
      const first = await certifier.certify(run, "end");
      expect(await certifier.certify(run, "end")).toEqual(first);
      expect((await certifier.certify(run, SENT))?.ref.sha256).not.toBe(first?.ref.sha256);
    });

    it("names it in the line for a commit and in the text for a pull request", async () => {
      const { certifier, run } = await open();
      const { ref, trailer, summary } = (await certifier.certify(run, SENT)) as Certified;
      expect(trailer).toMatch(new RegExp(`^[A-Za-z-]+: [^\\n]*${ref.sha256}$`));
      expect(summary).toContain(ref.sha256);
    });

    it("certifies nothing that no gate has passed, and nothing that has not come", async () => {
      const { certifier, run } = await open();
      expect(await certifier.certify(run, { stage: "fix", visit: 1 })).toBeNull();
      expect(await certifier.certify(run, { stage: "check", visit: 1 })).toBeNull();
      expect(await certifier.certify(run, { stage: "send", visit: 2 })).toBeNull();
      const failed = await open({ verdict: "fail" });
      expect(await failed.certifier.certify(failed.run, "end")).toBeNull();
    });

    it.each(["artifacts", "signer", "trees"] as const)("gives none when the %s refuse", async (broken) => {
      const { certifier, run } = await open({ broken });
      await expect(certifier.certify(run, "end")).rejects.toMatchObject({
        code: expect.stringMatching(CODES[broken]),
      });
    });
  });
}
