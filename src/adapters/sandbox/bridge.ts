/**
 * The bridge: a small program behind the wall that listens where proxies, or the gateway for models, are looked for and passes
 * bytes on to a socket of the host. It decides nothing; whoever ends it or goes around it finds that there is no other way out.
 */
import { BEHIND } from "../../ports/sandbox.ts";

/** One way out: a port on loopback, and the socket that it leads to, both behind the wall. */
export interface Way {
  readonly port: number;
  readonly socket: string;
}

export const EGRESS_WAY: Way = { port: 3128, socket: "/run/pawl/egress.sock" };
export const MODELS_WAY: Way = { port: BEHIND.modelsPort, socket: "/run/pawl/models.sock" };

/** A pipe by name: the bridge writes a line to it when it listens, and it ends when the bridge does. */
export const BRIDGE_SIGNAL = "/run/pawl/bridge";

const ADDRESS = `http://127.0.0.1:${EGRESS_WAY.port}`;

/** For programs that look for a proxy; a program that does not look reaches nothing. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: ADDRESS,
  HTTPS_PROXY: ADDRESS,
  ALL_PROXY: ADDRESS,
  NO_PROXY: "",
  http_proxy: ADDRESS,
  https_proxy: ADDRESS,
  all_proxy: ADDRESS,
  no_proxy: "",
  NODE_USE_ENV_PROXY: "1",
};

/** A program that has the gateway beside it must not look for it through the proxy. */
export const DIRECT_VARIABLES: Readonly<Record<string, string>> = { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };

/** Descriptor 4 is the write end of the signal pipe. */
export function bridgeProgram(ways: readonly Way[]): string {
  return `
"use strict";
const net = require("node:net");
const fs = require("node:fs");
const ways = ${JSON.stringify(ways)};
let waiting = ways.length;
for (const { port, socket } of ways) {
  const server = net.createServer({ allowHalfOpen: true }, (inner) => {
    const outer = net.connect({ path: socket, allowHalfOpen: true });
    const drop = () => { inner.destroy(); outer.destroy(); };
    inner.on("error", drop);
    outer.on("error", drop);
    inner.pipe(outer);
    outer.pipe(inner);
  });
  server.on("error", () => process.exit(1));
  server.listen(port, "127.0.0.1", () => {
    waiting -= 1;
    if (waiting > 0) return;
    fs.writeSync(4, "\\n");
    fs.closeSync(4);
  });
}
`;
}
