/** Headers that pass, by name. Whatever is not listed stays: credentials, cookies, addresses, what a proxy would add. */
import type { IncomingHttpHeaders } from "node:http";

export type Headers = Readonly<Record<string, string>>;

const TO_PROVIDER =
  /^(?:accept|content-type|user-agent|anthropic-(?:version|beta)|openai-beta|idempotency-key|x-goog-api-client|x-stainless-[a-z-]+)$/;
const TO_CLIENT =
  /^(?:content-type|retry-after|retry-after-ms|request-id|x-request-id|x-should-retry|anthropic-ratelimit-[a-z-]+|x-ratelimit-[a-z-]+|openai-(?:version|processing-ms))$/;

export function towardsProvider(headers: IncomingHttpHeaders): Headers {
  return picked(headers, TO_PROVIDER);
}

/** `clean`: takes secrets out of the values. */
export function towardsClient(headers: IncomingHttpHeaders, clean: (text: string) => string): Headers {
  return Object.fromEntries(Object.entries(picked(headers, TO_CLIENT)).map(([name, value]) => [name, clean(value)]));
}

function picked(headers: IncomingHttpHeaders, names: RegExp): Headers {
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => {
    const [name, value] = entry;
    return names.test(name) && typeof value === "string";
  });
  return Object.fromEntries(kept);
}

const BEARER = /^Bearer +(\S+)$/i;

/** Every token that a request carries, wherever its kind of client puts it. */
export function tokensIn(headers: IncomingHttpHeaders, query: URLSearchParams): readonly string[] {
  const { authorization } = headers;
  const given = [
    headers["x-api-key"],
    headers["x-goog-api-key"],
    authorization === undefined ? undefined : BEARER.exec(authorization)?.[1],
    query.get("key") ?? undefined,
  ];
  return given.filter((token): token is string => typeof token === "string" && token !== "");
}

const OWN_NAMES: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** A page in a browser can be led here under a name of its choice: only our own names count. */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && OWN_NAMES.has(host.replace(/:\d{1,5}$/, "").toLowerCase());
}
