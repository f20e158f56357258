/** The hosts one enclosure may reach. */
import { pawlError } from "../../base/errors.ts";
import { isOneMachine, isPublic } from "../../base/net/address.ts";
import { EGRESS_ERRORS } from "../../ports/errors/egress-errors.ts";
import { type Host, readHost, readPort, showHost, splitPort } from "./host.ts";
import type { Target } from "./target.ts";

/** `public`: every address of the name must be. `listed`: the author named this very address. `local`: this machine, by name. */
export type Permit = "public" | "listed" | "local";

export interface AllowList {
  /** undefined: not allowed. */
  permit(target: Target): Permit | undefined;
}

interface Entry {
  /** As `showHost` gives it. */
  readonly host: string;
  readonly subdomains: boolean;
  readonly ports: readonly number[];
  readonly permit: Permit;
}

const USUAL_PORTS: readonly number[] = [80, 443];

/** Throws SANDBOX_HOST_UNFIT for an entry that cannot be taken at its word. */
export function readAllowList(hosts: readonly string[]): AllowList {
  const entries = hosts.map(readEntry);
  return {
    permit({ host, port }) {
      const name = showHost(host);
      const found = entries.find((entry) => {
        if (!entry.ports.includes(port)) return false;
        if (!entry.subdomains) return entry.host === name;
        return host.kind === "name" && name.endsWith(`.${entry.host}`);
      });
      return found?.permit;
    },
  };
}

function readEntry(text: string): Entry {
  const unfit = (problem: string): Error => pawlError(EGRESS_ERRORS, "SANDBOX_HOST_UNFIT", { host: text, problem });
  const subdomains = text.startsWith("*.");
  const { host: written, port: portText } = splitPort(subdomains ? text.slice(2) : text);
  const reading = readHost(written);
  if (!reading.ok) throw unfit(reading.problem);
  const port = portText === null ? null : readPort(portText);
  if (port === undefined) throw unfit("its port is not a number from 1 to 65535");
  const permit = permitOf(reading.host, subdomains, unfit);
  if (port === null && (permit === "local" || isNear(reading.host)))
    throw unfit("it is on this machine or in a private network, so its port must be named");
  return { host: showHost(reading.host), subdomains, ports: port === null ? USUAL_PORTS : [port], permit };
}

function permitOf(host: Host, subdomains: boolean, unfit: (problem: string) => Error): Permit {
  if (host.kind === "name") return host.text === "localhost" && !subdomains ? "local" : "public";
  if (subdomains) throw unfit("an address has no subdomains");
  if (!isOneMachine(host.text)) throw unfit("it is not the address of one machine");
  return "listed";
}

function isNear(host: Host): boolean {
  return host.kind === "address" && !isPublic(host.text);
}
