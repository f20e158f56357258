/** The one pure file that may use node:crypto: a digest depends on its input and on nothing else. */
import { hash } from "node:crypto";

/** Lower-case hexadecimal SHA-256. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}

/** SHA-256 in 43 characters; used where a digest is stored once per event. */
export function sha256Short(text: string): string {
  return hash("sha256", text, "base64url");
}
