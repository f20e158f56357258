/** A signer whose key lives as long as the object: for tests and runs that leave nothing behind. */
import { sha256 } from "../../base/digest.ts";
import type { Signer } from "../../ports/trust/signer.ts";

/** Not a signature that could convince a stranger: whoever knows `name` can make it. */
export function createMemorySigner(name = "memory"): Signer {
  const key = short(`key of ${name}`);
  let used = false;
  const stampOf = (bytes: Uint8Array): string =>
    short(`${key} ${sha256(bytes)}`) + short(`${key} again ${sha256(bytes)}`);
  return {
    async sign(bytes) {
      used = true;
      return { key, value: stampOf(bytes).slice(0, 86) };
    },
    verify: async (bytes, signature) =>
      used && signature.key === key && signature.value === stampOf(bytes).slice(0, 86),
    publicKey: async () => (used ? key : null),
  };
}

function short(text: string): string {
  return Buffer.from(sha256(text), "hex").toString("base64url");
}
