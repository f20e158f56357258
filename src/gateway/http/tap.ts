/** The tap: a stream passes on byte by byte, as fast as the client takes it, while its events are read. */
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { JsonObject } from "../../base/json.ts";
import type { AnswerReading, StreamReader } from "../wires/wire.ts";
import { createSseCutter, eventObject } from "./sse.ts";

export interface Tapped {
  readonly reading: AnswerReading;
  /** null: the stream came to its end. */
  readonly brokenBy: "provider" | "client" | null;
}

export interface TapOptions {
  readonly body: Readable;
  readonly response: ServerResponse;
  readonly reader: StreamReader;
  /** Events that the client did not ask for. */
  readonly isHidden?: ((event: JsonObject) => boolean) | undefined;
}

/**
 * Resolves when the stream is over; the response is left open, so that it can be settled before the client goes on. Its headers wait for
 * what came with them, which then goes out in the same packet, and for nothing else.
 */
export function tapStream({ body, response, reader, isHidden }: TapOptions): Promise<Tapped> {
  const cutter = createSseCutter(undefined, reader.marks);
  /** Whether the client shall see it. */
  const look = (event: Buffer): boolean => {
    const object = eventObject(event);
    if (object === null) return true;
    reader.read(object);
    return isHidden?.(object) !== true;
  };
  const passed = (chunk: Buffer): Buffer => {
    const shown = cutter.push(chunk).filter(({ bytes, isWanted }) => !isWanted || look(bytes));
    return isHidden === undefined ? chunk : Buffer.concat(shown.map(({ bytes }) => bytes));
  };
  const headers = setImmediate(() => response.flushHeaders());
  return new Promise((resolve) => {
    const pass = (chunk: Buffer): void => {
      const bytes = passed(chunk);
      if (bytes.length === 0 || response.destroyed) return;
      clearImmediate(headers);
      if (response.write(bytes)) return;
      body.pause();
      response.once("drain", () => body.resume());
    };
    const end = (brokenBy: Tapped["brokenBy"]): void => {
      response.off("close", clientGone);
      body.off("close", providerGone);
      resolve({ reading: reader.reading(), brokenBy });
    };
    const clientGone = (): void => {
      body.destroy();
      end("client");
    };
    const providerGone = (): void => end("provider");
    response.once("close", clientGone);
    body.once("close", providerGone);
    body.on("error", () => undefined);
    body.on("data", pass);
    body.once("end", () => {
      const rest = cutter.rest();
      // The last event may lack its empty line.
      const isShown = rest.length === 0 || look(rest);
      if (isHidden !== undefined && rest.length > 0 && isShown) response.write(rest);
      end(null);
    });
    if (response.destroyed) clientGone();
  });
}
