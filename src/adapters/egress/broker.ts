/**
 * The egress broker: one unix socket per enclosure that speaks HTTP proxy. It sees names, never the inside of a tunnel:
 * what an allowed host does with the bytes it gets is not its affair.
 */
import { rm } from "node:fs/promises";
import type { Egress } from "../../ports/egress.ts";
import type { RefusedHost } from "../../run/events.ts";
import { readAllowList } from "./allow-list.ts";
import { type Network, SYSTEM_NETWORK } from "./dial.ts";
import { createGate } from "./gate.ts";
import { EGRESS_LIMITS, type EgressLimits } from "./limits.ts";
import { createProxyServer } from "./proxy-server.ts";
import { createRefusals } from "./refusals.ts";
import { listenIn } from "./socket-folder.ts";

export interface EgressBrokerOptions extends Partial<Network> {
  /** Where the sockets are made; a short path. Made when it is missing, for this user only. */
  readonly socketDir: string;
  readonly limits?: Partial<EgressLimits>;
}

export function createEgressBroker({ socketDir, limits: chosen, ...given }: EgressBrokerOptions): Egress {
  const limits = { ...EGRESS_LIMITS, ...chosen };
  const network = { ...SYSTEM_NETWORK, ...given };
  return {
    async open(hosts) {
      const allowed = readAllowList(hosts);
      const refusals = createRefusals();
      const { connectTimeoutMs } = limits;
      const proxy = createProxyServer(createGate({ allowed, network, refusals, connectTimeoutMs }), limits);
      const socketPath = await listenIn(socketDir, proxy.server).catch(async (error: unknown) => {
        await proxy.close();
        throw error;
      });
      const close = async (): Promise<readonly RefusedHost[]> => {
        await proxy.close();
        await rm(socketPath, { force: true });
        return refusals.list();
      };
      let closed: ReturnType<typeof close> | undefined;
      return {
        socketPath,
        close: () => {
          closed ??= close();
          return closed;
        },
      };
    },
  };
}
