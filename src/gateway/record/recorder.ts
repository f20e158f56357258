/** Recorder: all that passes between the gateway and providers is kept, masked and capped. It changes nothing of it. */
import { PassThrough, pipeline, type Readable } from "node:stream";
import type { JsonValue } from "../../base/json.ts";
import { redactJson } from "../../base/redact.ts";
import type { Traffic } from "../grants.ts";
import { towardsClient } from "../http/headers.ts";
import { digestOf, type RecordedCall } from "./recorded-call.ts";

export interface RecorderOptions {
  readonly redact: (text: string) => string;
  /** Of one request, and of one answer. */
  readonly mostBytes: number;
  /** Gets each call when its answer has ended. */
  readonly write: (call: RecordedCall) => void;
}

export function createRecorder({ redact, mostBytes, write }: RecorderOptions): Extract<Traffic, { kind: "record" }> {
  let order = 0;
  return {
    kind: "record",
    around: (send) => async (call, candidate, signal) => {
      const answer = await send(call, candidate, signal);
      const keep = (response: string | null): void => {
        order += 1;
        write({
          version: 1,
          order,
          digest: digestOf(call, candidate),
          provider: candidate.provider,
          model: candidate.model,
          request: call.bytes.length > mostBytes ? null : redactJson(call.body as JsonValue, redact),
          status: answer.status,
          headers: towardsClient(answer.headers, redact),
          response: response === null ? null : redact(response),
        });
      };
      return { ...answer, body: kept(answer.body, mostBytes, keep) };
    },
  };
}

/** The same stream, and its text once it has ended. */
function kept(body: Readable, mostBytes: number, end: (text: string | null) => void): Readable {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const through = new PassThrough({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      done(null, chunk);
    },
    flush(done) {
      end(bytes > mostBytes ? null : Buffer.concat(chunks).toString("utf8"));
      done();
    },
  });
  pipeline(body, through, (error) => {
    if (error) end(null);
  });
  return through;
}
