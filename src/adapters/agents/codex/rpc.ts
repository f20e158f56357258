/** The words of `codex app-server`: JSON-RPC without its version, a message a line, calls in both directions. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { Line } from "../cli/converse.ts";

export interface RpcHandlers {
  /** null: there is no such call. */
  onRequest(method: string, params: JsonObject): Promise<JsonObject | null>;
  onNotification(method: string, params: JsonObject): void;
}

export interface Rpc {
  /** Rejects when the server says no. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): void;
  hear(message: JsonObject): void;
}

const NOT_FOUND = -32_601;

export function createRpc(line: Line, { onRequest, onNotification }: RpcHandlers): Rpc {
  const waiting = new Map<JsonValue, { resolve(result: JsonObject): void; reject(error: Error): void }>();
  let ids = 0;

  const answer = async (id: JsonValue, method: string, params: JsonObject): Promise<void> => {
    const result = await onRequest(method, params);
    line.send(
      result === null ? { id, error: { code: NOT_FOUND, message: `${method} is not offered` } } : { id, result },
    );
  };

  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        ids += 1;
        waiting.set(ids, { resolve, reject });
        line.send({ id: ids, method, params });
      }),
    notify: (method, params = {}) => line.send({ method, params }),
    hear(message) {
      const { id, method } = message;
      const params = objectIn(message["params"]);
      if (typeof method === "string") {
        if (id === undefined) onNotification(method, params);
        else void answer(id, method, params);
        return;
      }
      const asked = waiting.get(id ?? null);
      if (asked === undefined) return;
      waiting.delete(id ?? null);
      if (message["error"] === undefined) asked.resolve(objectIn(message["result"]));
      else asked.reject(new Error(textIn(objectIn(message["error"])["message"])));
    },
  };
}

export function objectIn(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Empty: it is no text. */
export function textIn(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
