/** Bodies, whole and capped. */
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** null: it is larger than the cap, and nobody reads it any more. Rejects when it breaks off. */
export function readWhole(body: Readable, mostBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const broken = (): void => reject(body.errored ?? new Error("it broke off"));
    if (body.destroyed) return broken();
    body.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= mostBytes) return;
      resolve(null);
      body.destroy();
    });
    body.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    body.on("error", broken);
    body.once("close", broken);
  });
}

/** Nobody asks for compressed answers; a provider that sends one all the same is understood. */
export function plainBody(body: Readable, encoding: string | undefined): Readable {
  const decoder = decoderOf(encoding);
  if (decoder === null) return body;
  body.on("error", (error) => decoder.destroy(error));
  return body.pipe(decoder);
}

function decoderOf(encoding: string | undefined) {
  switch (encoding?.toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return null;
  }
}
