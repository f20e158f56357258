/** The body of an answer, decompressed by us and cut at a cap: what it would have become is never held. */
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

export interface Body {
  readonly bytes: Buffer;
  /** There was more. */
  readonly isCut: boolean;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Throws for an encoding that is not known, more than one of them, or bytes that do not fit it. */
export async function readBody(source: Readable, encoding: string, most: number): Promise<Body> {
  const name = encoding.trim().toLowerCase();
  const decoder = name === "" || name === "identity" ? undefined : DECODERS[name];
  if (decoder === undefined && name !== "" && name !== "identity") {
    source.destroy();
    throw new Error(`the encoding ${encoding.slice(0, 40)} is not supported`);
  }
  const decoded = decoder === undefined ? source : piped(source, decoder());
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded) {
      const bytes = Buffer.from(chunk as Uint8Array);
      chunks.push(bytes);
      size += bytes.length;
      if (size > most) break;
    }
  } finally {
    decoded.destroy();
    source.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: size > most };
}

function piped(source: Readable, decoder: NodeJS.ReadWriteStream & Readable): Readable {
  source.on("error", (error) => decoder.destroy(error));
  return source.pipe(decoder);
}

/** As its charset says; UTF-8 unless that is told and known. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
