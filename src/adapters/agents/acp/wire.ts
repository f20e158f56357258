/** The stream that the SDK speaks over. Only what is a message comes through: a call, or an answer to a question of ours. */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import type { Line } from "../cli/converse.ts";

export interface Wire {
  readonly stream: Stream;
  hear(message: JsonObject): void;
}

/** `onResult`: every result as it came, before the SDK leaves out what it does not know. */
export function wireOver(line: Line, onResult: (result: JsonObject) => void): Wire {
  const asked = new Set<unknown>();
  let enqueue: (message: AnyMessage) => void = () => undefined;
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => {
      enqueue = (message) => controller.enqueue(message);
    },
    cancel: () => {
      enqueue = () => undefined;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    write: (message) => {
      if ("method" in message && "id" in message) asked.add(message.id);
      line.send(message as unknown as JsonObject);
    },
  });
  return {
    stream: { readable, writable },
    hear: (message) => {
      const isCall = typeof message["method"] === "string";
      if (!isCall && !asked.delete(message["id"])) return;
      if (isJsonObject(message["result"])) onResult(message["result"]);
      enqueue({ ...message, jsonrpc: "2.0" } as unknown as AnyMessage);
    },
  };
}
