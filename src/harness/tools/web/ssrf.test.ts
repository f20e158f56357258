/** T14: no spelling, redirect or change of mind of a name server leads a fetch to an address that is blocked. */

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, describe, expect, it, test } from "vitest";
import { benchOf, rulesOf } from "../../../../test/support/tools/toolbox-fixture.ts";
import { internetOf, PUBLIC, startSite, startVictim } from "../../../../test/support/tools/web-fixture.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import { OPEN_INTERNET, type WebNetwork } from "./guard.ts";

/** Policy lets everything pass here: the guard alone must hold. */
const decide = async () => ({ answer: "allow" }) as const;
const figures = { spellings: 0, redirects: 0, rebindings: 0 };

afterAll(() => {
  process.stderr.write(
    `guarded fetch: ${figures.spellings} spellings, ${figures.redirects} redirects, ${figures.rebindings} rebindings, 0 connections to blocked addresses\n`,
  );
});

function fetcher(network: WebNetwork) {
  return benchOf({ root: "/nowhere", network, decide, fetchMs: 3000 });
}

/** Written so that `PORT` is the port of the victim. */
const LITERALS = [
  ..."127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 017700000001 0x7f.0.0.1 0177.0.0.1 127.0.0.1. 127.000.000.001".split(
    " ",
  ),
  ..."0x7f.1 0177.1 0x7f.0x0.0x0.0x1 00000177.0.0.01 127.0x1 127.0.0.2 127.255.255.254 127。0。0。1 １２７.0.0.1 ①②⑦.0.0.1".split(
    " ",
  ),
  ..."%31%32%37.0.0.1 127%2e0%2e0%2e1 0 0x0 00 0.0.0.0 0.0 0x00000000 [::] [0:0:0:0:0:0:0:0] [0000::0000]".split(" "),
  ..."[::1] [0:0:0:0:0:0:0:1] [::0001] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::FFFF:7F00:0001]".split(
    " ",
  ),
  ..."[::127.0.0.1] [::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::]".split(
    " ",
  ),
  ..."[::ffff:0:127.0.0.1] [fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1] [2001:db8::1] [5f00::1]".split(
    " ",
  ),
  ..."10.0.0.1 10.1 0xa.0.0.1 167772161 172.16.0.1 172.31.255.255 192.168.0.1 192.168.1 3232235521 [::ffff:10.0.0.1]".split(
    " ",
  ),
  ..."169.254.169.254 2852039166 0xA9FEA9FE 0251.0376.0251.0376 169.254.43518 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]".split(
    " ",
  ),
  ..."169.254.170.2 100.64.0.1 100.127.255.255 100.100.100.200 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1".split(
    " ",
  ),
  ..."168.63.129.16 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 0xffffffff 37777777777".split(" "),
].map((host) => `http://${host}:PORT/`);

const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  localhost: [["127.0.0.1", "::1"]],
  "foo.localhost": [["127.0.0.1"]],
  "localtest.me": [["127.0.0.1"]],
  "127.0.0.1.nip.io": [["127.0.0.1"]],
  "six.test": [["::1"]],
  "mapped.test": [["::ffff:127.0.0.1"]],
  "metadata.google.internal": [["169.254.169.254"]],
  "private.test": [["10.0.0.1"]],
  "zero.test": [["0.0.0.0"]],
  "nat.test": [["64:ff9b::7f00:1"]],
  "none.test": [[]],
  "mixed.test": [[PUBLIC, "127.0.0.1"]],
  "mixed-first.test": [["127.0.0.1", PUBLIC]],
  "mixed-six.test": [[PUBLIC, "::1"]],
  "odd.test": [["127.1"]],
};

const TRICKS = [
  ...Object.keys(NAMES).flatMap((name) => [`http://${name}:PORT/`, `https://${name}:PORT/`]),
  ..."http://LOCALHOST:PORT/ http://localhost.:PORT/ https://127.0.0.1:PORT/ https://[::1]:PORT/ https://2130706433:PORT/".split(
    " ",
  ),
  ..."http://public.test@127.0.0.1:PORT/ http://public.test:80@127.0.0.1:PORT/ http://127.0.0.1:PORT#@public.test/".split(
    " ",
  ),
  ..."http://127.0.0.1:PORT\\@public.test/ http:\\\\127.0.0.1:PORT/ http:/127.0.0.1:PORT/ http:127.0.0.1:PORT/".split(
    " ",
  ),
  ..."http:///127.0.0.1:PORT/ http://127.0.0.1:PORT?@public.test/ //127.0.0.1:PORT/ 127.0.0.1:PORT".split(" "),
  ..."file:///etc/passwd ftp://127.0.0.1:PORT/ gopher://127.0.0.1:PORT/_x ws://127.0.0.1:PORT/ data:text/plain,x".split(
    " ",
  ),
  ..."javascript:fetch(1) unix:/run/docker.sock http+unix://%2frun%2fdocker.sock/ blob:http://127.0.0.1:PORT/x view-source:http://127.0.0.1:PORT/".split(
    " ",
  ),
  "http://127.0.\t0.1:PORT/",
  "http://127.0.0.1\n:PORT/",
  " http://127.0.0.1:PORT/ ",
  "hTTp://127.0.0.1:PORT/",
  "http://127.0.0.1\u00ad:PORT/",
];

describe("T14: a guarded fetch", () => {
  test(`connects to nothing that is blocked, however it is written: ${LITERALS.length + TRICKS.length} spellings`, async () => {
    expect(LITERALS.length + TRICKS.length).toBeGreaterThanOrEqual(100);
    const victim = await startVictim();
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    const addresses = own
      .filter((address) => !address.startsWith("fe80"))
      .map((address) => `http://${isIP(address) === 6 ? `[${address}]` : address}:PORT/`);
    const network = internetOf(NAMES);
    const { call } = fetcher(network);
    for (const written of [...LITERALS, ...TRICKS, ...addresses]) {
      const outcome = await call("web_fetch", { url: written.replaceAll("PORT", String(victim.port)) });
      expect(outcome.status, written).toBe("failure");
      figures.spellings += 1;
    }
    expect(victim.seen()).toEqual({ connections: 0, bytes: 0 });
    // Only names were handed on, and all their addresses were refused.
    expect(network.dialled.filter((host) => isIP(host) !== 0)).toEqual([]);
  }, 60_000);

  it.each([301, 302, 303, 307, 308])(
    "does not follow a redirect %i to what is blocked",
    async (status) => {
      const victim = await startVictim();
      const targets = [...LITERALS, ...TRICKS].map((url) => url.trim().replaceAll("PORT", String(victim.port)));
      const chosen = targets
        .filter((target) => /^[\x21-\x7e]+$/.test(target))
        .filter((_, index) => index % 5 === status % 5);
      const port = await startSite((request, response) => {
        const at = Number(new URL(request.url ?? "/", "http://x").searchParams.get("at"));
        response.writeHead(status, { location: String(chosen[at]) }).end();
      });
      const { call } = fetcher(internetOf({ ...NAMES, "public.test": [[PUBLIC]] }));
      for (const [at, target] of chosen.entries()) {
        // What is relative leads back to where it came from.
        if (!/^([a-z+-]+:|\/\/)/i.test(target)) continue;
        const outcome = await call("web_fetch", { url: `http://public.test:${port}/?at=${at}` });
        expect(outcome.status, target).toBe("failure");
        figures.redirects += 1;
      }
      expect(victim.seen()).toEqual({ connections: 0, bytes: 0 });
    },
    60_000,
  );

  it.each<[string, readonly (readonly string[])[]]>([
    ["the second time", [[PUBLIC], ["127.0.0.1"]]],
    ["the third time", [[PUBLIC], [PUBLIC], ["::1"]]],
    ["among others", [[PUBLIC], [PUBLIC, "127.0.0.1"]]],
    ["in IPv6 clothes", [[PUBLIC], ["::ffff:127.0.0.1"]]],
  ])("is not misled by a name that has a blocked address %s", async (_when, lists) => {
    const victim = await startVictim();
    const port = await startSite((request, response) => {
      const next = request.url === "/" ? `http://rebind.test:${port}/again` : `http://rebind.test:${victim.port}/`;
      response.writeHead(302, { location: next, connection: "close" }).end();
    });
    const { call } = fetcher(internetOf({ "rebind.test": lists }));
    expect(await call("web_fetch", { url: `http://rebind.test:${port}/` })).toMatchObject({ status: "failure" });
    expect(victim.seen()).toEqual({ connections: 0, bytes: 0 });
    figures.rebindings += 1;
  });

  test("sends nothing to another address than the one it meant", async () => {
    const victim = await startVictim();
    const honest = internetOf({ "public.test": [[PUBLIC]] });
    const network: WebNetwork = {
      ...honest,
      // A network that leads everything astray.
      connector: (undici, lookup) => {
        const connect = OPEN_INTERNET.connector(undici, lookup);
        return (options, callback) =>
          connect({ ...options, hostname: "127.0.0.1", port: String(victim.port) }, callback);
      },
    };
    expect(await fetcher(network).call("web_fetch", { url: "http://public.test/" })).toMatchObject({
      status: "failure",
      error: expect.stringContaining("127.0.0.1 is not on the public internet"),
    });
    expect(victim.seen()).toEqual({ connections: 1, bytes: 0 });
  });

  test("asks policy about every host on the way, with its port", async () => {
    const port = await startSite((request, response) => {
      const [, name] = /^\/to\/(.*)$/.exec(request.url ?? "") ?? [];
      if (name === undefined) response.end("arrived");
      else response.writeHead(302, { location: `http://${name}:${port}/` }).end();
    });
    const names = { "one.test": [[PUBLIC]], "two.test": [[PUBLIC]] };
    const rules = rulesOf(["allow", { fetch: `one.test:${port}` }]);
    const { call } = benchOf({ root: "/nowhere", network: internetOf(names), rules });
    expect(await call("web_fetch", { url: `http://one.test:${port}/to/one.test` })).toMatchObject({
      status: "success",
    });
    expect(await call("web_fetch", { url: `http://one.test:${port}/to/two.test` })).toMatchObject({
      status: "failure",
      error: `web_fetch failed: it leads on to two.test:${port}, which policy does not allow.`,
    });
    expect(await call("web_fetch", { url: `http://two.test:${port}/` })).toMatchObject({ status: "denied" });
    expect(await call("web_fetch", { url: "http://one.test/" })).toMatchObject({ status: "denied" });
    const asked: PolicyRequest[] = [];
    const watched = benchOf({
      root: "/nowhere",
      decide: async ({ requests }) => {
        asked.push(...requests);
        return { answer: "deny", why: "no" };
      },
    });
    for (const url of ["https://One.Test/", "http://[::1]/", "https://ein.test:8443/"])
      await watched.call("web_fetch", { url });
    expect(asked).toEqual([
      { kind: "fetch", host: "one.test", port: 443, tier: "medium" },
      { kind: "fetch", host: "[::1]", port: 80, tier: "medium" },
      { kind: "fetch", host: "ein.test", port: 8443, tier: "medium" },
    ]);
  });

  test("blocks the addresses of this machine, public or not, unless told otherwise", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    expect(own.length).toBeGreaterThan(0);
    expect([...own, PUBLIC, "10.0.0.1", "x"].filter(OPEN_INTERNET.reaches)).toEqual([]);
    expect(OPEN_INTERNET.reaches("93.184.216.34")).toBe(true);
  });
});
