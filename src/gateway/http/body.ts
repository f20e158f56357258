/** Bodies, whole and capped. */
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** So much of what is too large is passed over. */
const MOST_PASSED_OVER = 64 * 1024 * 1024;

/**
 * null: it is larger than the cap. Its rest is left; or passed over, so that whoever sends it can hear an answer: a connection that is ended while
 * something comes takes the answer with it. Rejects when it breaks off.
 */
export function readWhole(
  body: Readable,
  mostBytes: number,
  rest: "left" | "passed_over" = "left",
): Promise<Buffer | null> {
  const mostRead = mostBytes + (rest === "left" ? 0 : MOST_PASSED_OVER);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const broken = (): void => reject(body.errored ?? new Error("it broke off"));
    if (body.destroyed) return broken();
    body.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) return void chunks.push(chunk);
      chunks.length = 0;
      if (bytes <= mostRead) return;
      resolve(null);
      body.destroy();
    });
    body.once("end", () => {
      if (bytes > mostBytes) resolve(null);
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    body.on("error", broken);
    body.once("close", broken);
  });
}

/** Nobody asks for compressed answers; a provider that sends one all the same is understood. */
export function plainBody(body: Readable, encoding: string | undefined): Readable {
  const decoder = decoderOf(encoding);
  if (decoder === null) return body;
  return pipeline(body, decoder, () => undefined);
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
