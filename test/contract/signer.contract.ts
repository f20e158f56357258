/** The contract of the Signer port. */
import { describe, expect, it } from "vitest";
import type { Signer } from "../../src/ports/trust/signer.ts";

export interface SignerFixture {
  readonly signer: Signer;
  /** The signer of another project. */
  readonly stranger: Signer;
}

const BYTES = Buffer.from("what was judged");

export function signerContract(name: string, open: () => SignerFixture): void {
  describe(`Signer contract: ${name}`, () => {
    it("knows what it signed, to the last byte", async () => {
      const { signer } = open();
      const signature = await signer.sign(BYTES);
      expect(await signer.verify(BYTES, signature)).toBe(true);
      expect(await signer.verify(Buffer.from("what was judged."), signature)).toBe(false);
      expect(await signer.verify(new Uint8Array(), signature)).toBe(false);
    });

    it("gives the same signature for the same bytes, and another for others", async () => {
      const { signer } = open();
      const signature = await signer.sign(BYTES);
      expect(await signer.sign(BYTES)).toEqual(signature);
      expect((await signer.sign(Buffer.from("else"))).value).not.toBe(signature.value);
      expect(signature).toEqual({
        key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        value: expect.stringMatching(/^[A-Za-z0-9_-]{86}$/),
      });
    });

    it("has no key before it has signed, and verifies nothing then", async () => {
      const { signer, stranger } = open();
      const foreign = await stranger.sign(BYTES);
      expect(await signer.publicKey()).toBeNull();
      expect(await signer.verify(BYTES, foreign)).toBe(false);
      expect(await signer.publicKey()).toBeNull();
      const own = await signer.sign(BYTES);
      expect(await signer.publicKey()).toBe(own.key);
    });

    it("does not take what another project signed, nor a forged name of its own key", async () => {
      const { signer, stranger } = open();
      const own = await signer.sign(BYTES);
      const foreign = await stranger.sign(BYTES);
      expect(foreign.key).not.toBe(own.key);
      expect(await signer.verify(BYTES, foreign)).toBe(false);
      expect(await signer.verify(BYTES, { key: own.key, value: foreign.value })).toBe(false);
    });

    it.each(["", "AAAA", "!", "A".repeat(4000)])("takes the signature %j for no signature", async (value) => {
      const { signer } = open();
      const { key } = await signer.sign(BYTES);
      expect(await signer.verify(BYTES, { key, value })).toBe(false);
      expect(await signer.verify(BYTES, { key: value, value })).toBe(false);
    });
  });
}
