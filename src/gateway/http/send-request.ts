/**
 * One request to a provider, and its answer as a stream. What the network brings in one piece stays one piece: a quick model sends
 * many small parts at once, and each costs whoever handles it as much as a large one.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { Headers } from "./headers.ts";

export interface HttpRequest {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers: Headers;
  readonly bytes: Buffer | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Why there is no answer. */
export interface NoAnswer {
  /** It was about to be written: whoever is asked may have got it. */
  readonly wasSent: boolean;
  readonly error: NodeJS.ErrnoException;
}

/** Rejects with a NoAnswer. An answer that breaks off, or that `signal` ends, destroys its body with an error. */
export function sendRequest(agent: Dispatcher, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let control: Dispatcher.DispatchController | null = null;
    let body: AnswerBody | null = null;
    const leave = (): void => {
      const error = signal.reason as Error;
      control?.abort(error);
      reject({ wasSent: control !== null, error } satisfies NoAnswer);
    };
    const over = (): void => signal.removeEventListener("abort", leave);
    if (signal.aborted) return leave();
    signal.addEventListener("abort", leave, { once: true });
    const { url, method, headers, bytes } = request;
    const asked = { origin: url.origin, path: url.pathname + url.search, method, headers, body: bytes };
    agent.dispatch(asked, {
      onRequestStart(controller) {
        if (signal.aborted) return controller.abort(signal.reason as Error);
        control = controller;
      },
      onResponseStart(controller, status, named) {
        // Others come before the answer itself.
        if (status < 200) return;
        body = createBody(controller);
        resolve({ status, headers: joined(named), body: body.stream });
      },
      onResponseData: (_, chunk) => body?.add(chunk),
      onResponseEnd() {
        over();
        body?.end(null);
      },
      onResponseError(_, error) {
        over();
        body?.end(error);
        reject({ wasSent: control !== null, error } satisfies NoAnswer);
      },
    });
  });
}

interface AnswerBody {
  readonly stream: Readable;
  add(chunk: Buffer): void;
  /** An error: it broke off. */
  end(error: Error | null): void;
}

const HELD_BYTES = 64 * 1024;

function createBody(controller: Dispatcher.DispatchController): AnswerBody {
  let came: Buffer[] = [];
  let isOver = false;
  const stream = new Readable({
    highWaterMark: HELD_BYTES,
    read: () => controller.resume(),
    destroy(error, done) {
      if (!isOver) controller.abort(error ?? new Error("nobody reads the answer any more"));
      done(error);
    },
  });
  // It may break off before anybody reads it.
  stream.on("error", () => undefined);
  const pass = (): void => {
    if (came.length === 0) return;
    const bytes = came.length === 1 ? came[0] : Buffer.concat(came);
    came = [];
    if (!stream.push(bytes)) controller.pause();
  };
  return {
    stream,
    add(chunk) {
      if (came.push(chunk) === 1) process.nextTick(pass);
    },
    end(error) {
      isOver = true;
      pass();
      if (error === null) stream.push(null);
      else stream.destroy(error);
    },
  };
}

/** A name that came more than once has all its values. */
function joined(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) && name !== "set-cookie" ? value.join(", ") : value,
  ]);
  return Object.fromEntries(entries) as IncomingHttpHeaders;
}
