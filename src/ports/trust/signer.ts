/** Signer: the key of this project. What it signed can be told from what somebody else wrote. */

export interface Signature {
  /** The public key it was made with: 32 bytes as base64url. */
  readonly key: string;
  /** 64 bytes as base64url. */
  readonly value: string;
}

export interface Signer {
  /** The same bytes give the same signature. The first call makes the key. Rejects with SIGNER_*: then nothing is signed. */
  sign(bytes: Uint8Array): Promise<Signature>;
  /** Whether the key of this project signed exactly these bytes. Makes no key: where there is none, nothing was signed. */
  verify(bytes: Uint8Array, signature: Signature): Promise<boolean>;
  /** The public key; null: nothing was signed yet. */
  publicKey(): Promise<string | null>;
}
