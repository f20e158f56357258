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
  /** Sees what the provider sent. */
  readonly onChunk?: ((chunk: Buffer) => void) | undefined;
}

/** Resolves when the stream is over; the response is left open, so that it can be settled before the client goes on. */
export function tapStream({ body, response, reader, isHidden, onChunk }: TapOptions): Promise<Tapped> {
  const cutter = createSseCutter(undefined, reader.concerns);
  const look = (event: Buffer): boolean => {
    if (!reader.concerns(event)) return true;
    const object = eventObject(event);
    if (object === null) return true;
    reader.read(object);
    return isHidden?.(object) !== true;
  };
  const passed = (chunk: Buffer): Buffer => {
    const events = cutter.push(chunk);
    const shown = cutter.isPlain() ? events : events.filter(look);
    return isHidden === undefined ? chunk : Buffer.concat(shown);
  };
  return new Promise((resolve) => {
    let came: Buffer[] = [];
    /** What came in one piece from the network goes on in one piece: a quick model sends many small parts at once. */
    const pass = (): void => {
      if (came.length === 0) return;
      const bytes = passed(came.length === 1 ? (came[0] as Buffer) : Buffer.concat(came));
      came = [];
      if (bytes.length === 0 || response.destroyed || response.write(bytes)) return;
      body.pause();
      response.once("drain", () => body.resume());
    };
    const end = (brokenBy: Tapped["brokenBy"]): void => {
      pass();
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
    body.on("data", (chunk: Buffer) => {
      onChunk?.(chunk);
      if (came.push(chunk) === 1) process.nextTick(pass);
    });
    body.once("end", () => {
      pass();
      const rest = cutter.rest();
      // The last event may lack its empty line.
      const isShown = rest.length === 0 || look(rest);
      if (isHidden !== undefined && rest.length > 0 && isShown) response.write(rest);
      end(null);
    });
    if (response.destroyed) clientGone();
  });
}
