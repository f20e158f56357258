/** Events that a stream begins with before it says anything. */
import type { JsonObject } from "../../base/json.ts";
import { listIn, objectIn, textIn } from "../wires/members.ts";
import type { WireName } from "../wires/wire.ts";

const RESPONSES: ReadonlySet<string | null> = new Set(["response.created", "response.in_progress", "response.queued"]);

export function prefaces(wire: WireName, event: JsonObject): boolean {
  switch (wire) {
    case "anthropic":
      return event["type"] === "ping";
    case "responses":
      return RESPONSES.has(textIn(event["type"]));
    case "chat": {
      const choices = listIn(event["choices"]).map(objectIn);
      const members = choices.flatMap((choice) => Object.entries(objectIn(choice?.["delta"]) ?? {}));
      return choices.length > 0 && members.every(([name, value]) => name === "role" || value === "" || value === null);
    }
    case "gemini":
      return false;
  }
}
