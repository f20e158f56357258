/** Where a request wants to go, read strictly from the one place that counts: its request target. */
import { visibleLine } from "../../base/visible.ts";
import { asciiLower, type Host, readHost, readPort, showHost, splitPort } from "./host.ts";

export interface Target {
  readonly host: Host;
  readonly port: number;
}

/** A refusal as it is answered and recorded; `port` is 0 when none could be read. */
export interface Refusal {
  readonly host: string;
  readonly port: number;
  readonly why: string;
}

export type TargetReading =
  /** `path` is empty for a tunnel. */
  | { readonly ok: true; readonly target: Target; readonly path: string }
  | { readonly ok: false; readonly refusal: Refusal };

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const ABSOLUTE = /^http:\/\/([^/?#]*)([^#]*)$/;
const MAX_SHOWN = 100;

/** `CONNECT host:port`. */
export function readTunnel(authority: string): TargetReading {
  return readAuthority(authority, null, "");
}

/** `GET http://host[:port]/path`. */
export function readForward(method: string, url: string): TargetReading {
  if (!METHODS.has(method)) return refused(url, 0, `the method ${visibleLine(method, 20)} is not supported`);
  const match = ABSOLUTE.exec(url);
  if (match === null) return refused(url, 0, "only CONNECT and absolute http:// addresses are supported");
  const path = match[2] ?? "";
  return readAuthority(match[1] ?? "", 80, path.startsWith("/") ? path : `/${path}`);
}

export function showTarget({ host, port }: Target): string {
  return `${showHost(host)}:${port}`;
}

export function refusalOf(text: string, port: number, why: string): Refusal {
  // A name and password, or a query, are nothing to write down.
  const shown = (text.split(/[?#]/)[0] ?? "").replace(/[^\x21-\x7e]/g, byteEscape).replace(/[^/]*@/g, "…@");
  return { host: visibleLine(shown, MAX_SHOWN), port, why };
}

/** Node gives one character for each byte of a request. */
function byteEscape(char: string): string {
  return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

function readAuthority(authority: string, usualPort: number | null, path: string): TargetReading {
  if (authority.includes("@")) return refused(authority, 0, "it names a user");
  const { host: written, port: portText } = splitPort(authority);
  const port = portText === null ? usualPort : readPort(portText);
  if (port === null || port === undefined) return refused(authority, 0, "it has no port from 1 to 65535");
  const reading = readHost(asciiLower(written));
  if (!reading.ok) return refused(written, port, reading.problem);
  return { ok: true, target: { host: reading.host, port }, path };
}

function refused(text: string, port: number, why: string): TargetReading {
  return { ok: false, refusal: refusalOf(text, port, why) };
}
