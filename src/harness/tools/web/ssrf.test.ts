/** T14: no spelling, redirect or change of mind of a name server leads a fetch to an address that is blocked. */

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, describe, expect, it, test } from "vitest";
import { benchOf, rulesOf } from "../../../../test/support/tools/toolbox-fixture.ts";
import { LITERALS, NAMES, TRICKS } from "../../../../test/support/tools/url-corpus.ts";
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

describe("T14: a guarded fetch", () => {
  test(`T14: connects to nothing that is blocked, however it is written: ${LITERALS.length + TRICKS.length} spellings`, async () => {
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
  }, 600_000);

  it.each([301, 302, 303, 307, 308])(
    "T14: does not follow a redirect %i to what is blocked",
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
  ])("T14: is not misled by a name that has a blocked address %s", async (_when, lists) => {
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
