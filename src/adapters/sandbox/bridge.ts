/**
 * The bridge: a small program behind the wall that listens where proxies are looked for and passes bytes on to the
 * socket of the broker. It decides nothing; whoever ends it or goes around it finds that there is no other way out.
 */

export const BRIDGE = {
  port: 3128,
  socket: "/run/pawl/egress.sock",
  /** A pipe by name: the bridge writes a line to it when it listens, and it ends when the bridge does. */
  signal: "/run/pawl/bridge",
} as const;

const ADDRESS = `http://127.0.0.1:${BRIDGE.port}`;

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

/** Descriptor 4 is the write end of the signal pipe. */
export const BRIDGE_PROGRAM = `
"use strict";
const net = require("node:net");
const fs = require("node:fs");
const server = net.createServer({ allowHalfOpen: true }, (inner) => {
  const outer = net.connect({ path: "${BRIDGE.socket}", allowHalfOpen: true });
  const drop = () => { inner.destroy(); outer.destroy(); };
  inner.on("error", drop);
  outer.on("error", drop);
  inner.pipe(outer);
  outer.pipe(inner);
});
server.on("error", () => process.exit(1));
server.listen(${BRIDGE.port}, "127.0.0.1", () => {
  fs.writeSync(4, "\\n");
  fs.closeSync(4);
});
`;
