/** What a tool of a server gave → text of a bounded size. Bytes that are no text are named, not passed on. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { canonical, type JsonValue } from "../../base/json.ts";
import { formatBytes } from "../../base/size.ts";
import type { McpAnswer } from "../../ports/agents/mcp-servers.ts";

const MOST_BYTES = 64 * 1024;

type Content = CallToolResult["content"][number];

export function answerOf(result: CallToolResult): McpAnswer {
  const whole = result.content.map(textOf).join("\n");
  const { text, cut } = shorten(whole);
  if (result.isError === true) return { ok: false, error: text === "" ? "the tool failed and says nothing" : text };
  const value = structured(result.structuredContent);
  const left = value === "too large" ? canonical(result.structuredContent as JsonValue).length : 0;
  return { ok: true, text, value: value === "too large" ? null : value.found, cut: cut + left };
}

function textOf(content: Content): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "image":
    case "audio":
      return `[${content.type} ${content.mimeType}, ${formatBytes(Math.floor((content.data.length * 3) / 4))}: not shown]`;
    case "resource":
      return "text" in content.resource ? content.resource.text : `[resource ${content.resource.uri}: not shown]`;
    default:
      return `[link ${content.uri}]`;
  }
}

function structured(given: unknown): { readonly found: JsonValue | null } | "too large" {
  if (given === undefined || given === null) return { found: null };
  const value = given as JsonValue;
  return Buffer.byteLength(canonical(value)) > MOST_BYTES ? "too large" : { found: value };
}

/** The beginning and the end. */
function shorten(whole: string): { readonly text: string; readonly cut: number } {
  const bytes = Buffer.from(whole);
  if (bytes.length <= MOST_BYTES) return { text: whole, cut: 0 };
  const half = MOST_BYTES / 2;
  const head = bytes
    .subarray(0, half)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  const tail = bytes
    .subarray(bytes.length - half)
    .toString("utf8")
    .replace(/^\uFFFD+/, "");
  const cut = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return { text: `${head}\n[${cut} bytes left out here]\n${tail}`, cut };
}
