/** Hosts: a name or an address, `*.name` for every name below it, and a port. */
import type { Mode } from "../asked.ts";

const USUAL_PORTS: readonly number[] = [80, 443];
const WRITTEN = /^(\*\.)?([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/;

/** Why the text names no host, or undefined. */
export function hostProblem(pattern: string): string | undefined {
  return readHost(pattern) === undefined ? "is no host, *.host or host:port in small letters" : undefined;
}

export function compileHost(pattern: string, mode: Mode): (asked: { host: string; port: number }) => boolean {
  const wanted = readHost(pattern);
  if (wanted === undefined) throw new RangeError(`${JSON.stringify(pattern)} is no host`);
  const { below, name, port } = wanted;
  return (asked) => {
    if (port === undefined ? mode === "must" && !USUAL_PORTS.includes(asked.port) : asked.port !== port) return false;
    const host = asked.host.toLowerCase().replace(/\.$/, "");
    return below ? host.endsWith(`.${name}`) : host === name;
  };
}

function readHost(pattern: string): { below: boolean; name: string; port: number | undefined } | undefined {
  const [, star, name, port] = WRITTEN.exec(pattern) ?? [];
  if (name === undefined || /^[.-]|\.\.|[.-]$/.test(name)) return undefined;
  return { below: star !== undefined, name, port: port === undefined ? undefined : Number(port) };
}
