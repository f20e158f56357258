/** The broker against names and addresses that mean one thing to a list and another to a dialler. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createEgressBroker } from "../../src/adapters/egress/broker.ts";
import type { Network } from "../../src/adapters/egress/dial.ts";
import type { EgressDoor } from "../../src/ports/egress.ts";
import { connectStatus, echoServer, exchange, get, statusOf } from "../support/egress-client.ts";
import { tempDir } from "../support/temp-dir.ts";

const PUBLIC = "93.184.215.14";

/** A network in which every name is public and whoever is dialled is remembered; nobody answers. */
function watchedNetwork(addresses: (name: string) => readonly string[] = () => [PUBLIC]) {
  const dialled: string[] = [];
  const resolved: string[] = [];
  const network: Network = {
    resolve: async (name) => {
      resolved.push(name);
      return addresses(name);
    },
    connect: async (address, port) => {
      dialled.push(`${address}:${port}`);
      throw new Error("nobody there");
    },
    ownAddresses: () => ["198.41.0.4"],
  };
  return { ...network, dialled, resolved };
}

async function open(hosts: readonly string[], network: Partial<Network> = {}): Promise<EgressDoor> {
  const { connect, resolve, ownAddresses } = network;
  const seams = { ...(connect && { connect }), ...(resolve && { resolve }), ...(ownAddresses && { ownAddresses }) };
  const door = await createEgressBroker({ socketDir: tempDir(), ...seams }).open(hosts);
  onTestFinished(async () => void (await door.close()));
  return door;
}

const HOSTS = ["api.example.org", "*.cdn.example.org", "registry.example.net:4873"];

/** Every one of these must be refused with the list above. */
const MUTATIONS: readonly (string | Uint8Array)[] = [
  ...[
    "api.example.org\0:443",
    "evil.test\0.cdn.example.org:443",
    "api.example.org\0.evil.test:443",
    "\0api.example.org:443",
  ],
  ...[
    "api.example.org.:443",
    "api.example.org..:443",
    ".api.example.org:443",
    "api..example.org:443",
    "a..cdn.example.org:443",
  ],
  ...[
    "cdn.example.org:443",
    ".cdn.example.org:443",
    "-.cdn.example.org:443",
    "a-.cdn.example.org:443",
    "-a.cdn.example.org:443",
  ],
  ...["*.cdn.example.org:443", "a.cdn.example.org.evil.test:443", "acdn.example.org:443", "evilcdn.example.org:443"],
  ...[
    "api.example.org.evil.test:443",
    "evil-api.example.org:443",
    "api-example.org:443",
    "apiexample.org:443",
    "example.org:443",
  ],
  ...["api.example.orgg:443", "api.example.or:443", "pi.example.org:443", "api.example.com:443", "org:443", "api:443"],
  ...[
    "a_b.cdn.example.org:443",
    "a%2ecdn.example.org:443",
    "api%2eexample.org:443",
    "api.example.org%00:443",
    "%61pi.example.org:443",
  ],
  ...[
    "api.example.org%2eevil.test:443",
    "api.example.org%20:443",
    "user@api.example.org:443",
    "user:pw@api.example.org:443",
  ],
  ...[
    "evil.test@api.example.org:443",
    "api.example.org@evil.test:443",
    "api.example.org:443@evil.test",
    "api.example.org:443@evil.test:443",
  ],
  ...[
    "api.example.org:80@evil.test:80",
    "api.example.org#.evil.test:443",
    "evil.test#api.example.org:443",
    "evil.test/api.example.org:443",
  ],
  ...[
    "evil.test?api.example.org:443",
    "evil.test\\api.example.org:443",
    "api.example.org\\@evil.test:443",
    "api.example.org/:443",
  ],
  ...[
    "api.example.org",
    "api.example.org:",
    "api.example.org:0",
    "api.example.org:22",
    "api.example.org:444",
    "api.example.org:4873",
  ],
  ...[
    "api.example.org:65979",
    "api.example.org:0443",
    "api.example.org:+443",
    "api.example.org:-443",
    "api.example.org:443.0",
  ],
  ...[
    "api.example.org:0x1bb",
    "api.example.org:4e2",
    "api.example.org:443:443",
    "api.example.org:443,evil.test:443",
    "api.example.org: 443",
  ],
  ...[
    "registry.example.net:443",
    "registry.example.net:80",
    "registry.example.net:48730",
    "x.registry.example.net:4873",
  ],
  ...[
    "[api.example.org]:443",
    "[::1]:443",
    "[::ffff:93.184.215.14]:443",
    "[fe80::1%25eth0]:443",
    "[fe80::1%eth0]:443",
    "[::1:443",
    "::1:443",
  ],
  ...[
    `${PUBLIC}:443`,
    "1572394766:443",
    "0x5db8d70e:443",
    "0135.0270.0327.016:443",
    "127.1:443",
    "localhost:443",
    "0:443",
  ],
  ...[
    "api.example.org\t:443",
    "\tapi.example.org:443",
    "api.example.org\x0b:443",
    "api.example.org\x7f:443",
    "api.example.org\x01:443",
  ],
  ...[
    "http://api.example.org:443",
    "https://api.example.org:443/",
    "//api.example.org:443",
    "api.example.org:443/",
    "api.example.org:443?x",
  ],
  ...[
    "api.example.org;evil.test:443",
    "api.example.org,evil.test:443",
    "api.example.org|evil.test:443",
    "api.example.org&evil.test:443",
  ],
  ...[
    "api。example。org:443",
    "api．example．org:443",
    "ａｐｉ.example.org:443",
    "apі.example.org:443",
    "api.еxample.org:443",
  ],
  ...[
    "api.example.oRG\u212a:443",
    "\u212A.cdn.example.org:443",
    "ſ.cdn.example.org:443",
    "ß.cdn.example.org:443",
    "ı.cdn.example.org:443",
  ],
  ...[
    "api.exam\u00adple.org:443",
    "api.exam\u200dple.org:443",
    "\u202eapi.example.org:443",
    "\ufeffapi.example.org:443",
    "☃.cdn.example.org:443",
  ],
  Buffer.from("api.example.org\xa0:443", "latin1"),
  Buffer.from([0xff, 0xfe, ...Buffer.from("api.example.org:443")]),
  `${"a".repeat(64)}.cdn.example.org:443`,
  `${"a.".repeat(130)}cdn.example.org:443`,
  `${"a".repeat(4000)}.cdn.example.org:443`,
];

describe("a list of hosts", () => {
  it("lets its own names through, in any case, and resolves them as they are listed", async () => {
    const network = watchedNetwork();
    const { socketPath } = await open(HOSTS, network);
    const good = ["api.example.org:443", "API.Example.ORG:80", "x.cdn.example.org:443", "a.b.CDN.example.org:80"];
    for (const authority of [...good, "registry.example.net:4873", "xn--mnchen-3ya.cdn.example.org:443"]) {
      expect(await connectStatus(socketPath, authority)).toBe(502);
    }
    expect(network.resolved).toEqual([
      "api.example.org",
      "api.example.org",
      "x.cdn.example.org",
      "a.b.cdn.example.org",
      "registry.example.net",
      "xn--mnchen-3ya.cdn.example.org",
    ]);
    expect(network.dialled).toHaveLength(6);
  });

  it(`lets none of ${MUTATIONS.length} mutations through, neither as a tunnel nor as a request`, async () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(60);
    const network = watchedNetwork();
    const door = await open(HOSTS, network);
    for (const authority of MUTATIONS) {
      const shown = Buffer.from(authority as string).toString("latin1");
      expect([shown, await connectStatus(door.socketPath, authority)]).toEqual([shown, expect.toSatisfy(isRefusal)]);
      // As a URL some of them are good ones: port 80 is the usual one, and a path may follow.
      const asUrl = Buffer.from(
        `GET http://${shown.replaceAll(":443", ":81")}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        "latin1",
      );
      if (!["api.example.org", "api.example.org/:443"].includes(shown))
        expect([shown, statusOf(await exchange(door.socketPath, asUrl))]).toEqual([shown, expect.toSatisfy(isRefusal)]);
    }
    expect(network.resolved).toEqual([]);
    expect(network.dialled).toEqual([]);
    expect(await door.close()).toHaveLength(100);
  });

  it("writes down refused names without what would fool a reader, and without a password", async () => {
    const door = await open([]);
    await connectStatus(door.socketPath, "\u202eevil.test:443");
    await connectStatus(door.socketPath, "me:hunter2@evil.test:443");
    await get(door.socketPath, "http://me:hunter2@evil.test/?token=hunter2");
    await get(door.socketPath, "ftp://me:hunter2@evil.test/?token=hunter2");
    const refused = await door.close();
    expect(refused.filter(({ why }) => why === "it names a user")).toHaveLength(2);
    const text = JSON.stringify(refused);
    expect(text).not.toMatch(/hunter2|[^\x20-\x7e…]/);
    expect(text).toContain("evil.test");
  });
});

const isRefusal = (status: number): boolean => status === 403 || status === 400;

/** Ways to write this machine's own address, its neighbours and the metadata services of clouds. */
const LOOPBACK_SPELLINGS = [
  ...[
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0",
    "0.0",
    "00.0.0.0",
    "0x0",
    "2130706433",
  ],
  ...[
    "017700000001",
    "0x7f000001",
    "0x7F.0x0.0x0.0x1",
    "0x7f.1",
    "0177.0.0.1",
    "0177.1",
    "127.0.0.0x1",
    "127.0x0.1",
    "127.00.00.01",
  ],
  ...[
    "0127.0.0.1",
    "127.0.0.1.",
    "127.0.0.01",
    "127.0.0.001",
    "0x7f.0.0.0x1",
    "0x0000007f.1",
    "127.0.0.1%00",
    "127.0.0.1%20",
  ],
  ...[
    "%31%32%37.0.0.1",
    "1２7.0.0.1",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127．0．0．1",
    "127.0.0.1\\@example.org",
    "example.org@127.0.0.1",
  ],
  ...[
    "4294967297.0.0.1",
    "127.0.0.257",
    "127.16777215",
    "127.65535.1",
    "0b1111111.0.0.1",
    "0o177.0.0.1",
    "+127.0.0.1",
    "-127.0.0.1",
  ],
  ...[
    "LOCALHOST.",
    "localhost.",
    "localhost.localdomain",
    "foo.localhost",
    "local%68ost",
    "lоcalhost",
    "ⓛocalhost",
    "loopback",
    "ip6-localhost",
  ],
  ...[
    "[::]",
    "[0::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::0001]",
    "[0000::1]",
    "[::1%lo]",
    "[::1%25lo]",
    "[::1%1]",
    "[::1]x",
    "[::1",
  ],
  ...[
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:127.0.0.1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
  ],
  ...[
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::ffff:127.1]",
    "[::ffff:0x7f000001]",
  ],
  ...[
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
  ],
  ...[
    "metadata.google.internal",
    "169.254.169.254.",
    "instance-data",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
  ],
  ...[
    "10.0.0.1",
    "10.1",
    "172.16.0.1",
    "192.168.1.1",
    "192.168.257",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "240.0.0.1",
  ],
  ...[
    "[fe80::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[100::1]",
    "[5f00::1]",
    "[::2]",
  ],
  ...[
    "127.0.0.1.nip.io",
    "7f000001.nip.io",
    "localtest.me",
    "127.0.0.1.sslip.io",
    "customer1.app.localhost.my.company.127.0.0.1.nip.io",
  ],
  ...[
    "127.0.0.1 ",
    " 127.0.0.1",
    "127.0.0.1\t",
    "127.0.0.1#",
    "127.0.0.1?",
    "127.0.0.1/",
    "127.0.0.1;",
    "127.0.0.1,example.org",
  ],
];

describe("addresses that must not be reached", () => {
  it(`are not, in any of ${LOOPBACK_SPELLINGS.length} spellings, through the real network`, async () => {
    expect(LOOPBACK_SPELLINGS.length).toBeGreaterThanOrEqual(100);
    const [four, six] = [await echoServer("127.0.0.1"), await echoServer("::1")];
    let seen = 0;
    for (const { port, open: count } of [four, six]) {
      const { socketPath } = await open([`example.org:${port}`, `*.example.org:${port}`, "93.184.215.14"]);
      for (const spelling of LOOPBACK_SPELLINGS) {
        const status = await connectStatus(socketPath, `${spelling}:${port}`);
        expect([spelling, status]).toEqual([spelling, expect.toSatisfy(isRefusal)]);
        expect([spelling, statusOf(await get(socketPath, `http://${spelling}:${port}/`))]).toEqual([
          spelling,
          expect.toSatisfy(isRefusal),
        ]);
        seen += count();
      }
    }
    expect(seen).toBe(0);
  });

  it("are reached by one spelling only when they are listed", async () => {
    const echo = await echoServer();
    const { socketPath } = await open([`127.0.0.1:${echo.port}`]);
    for (const spelling of LOOPBACK_SPELLINGS.filter((each) => each.trimStart() !== "127.0.0.1")) {
      const status = await connectStatus(socketPath, `${spelling}:${echo.port}`);
      expect([spelling, status]).toEqual([spelling, expect.toSatisfy(isRefusal)]);
    }
    expect(await connectStatus(socketPath, `127.0.0.1:${echo.port}`)).toBe(200);
    expect(await connectStatus(socketPath, "127.0.0.1:80")).toBe(403);
  });

  it.each([
    ...[
      "127.0.0.1",
      "127.255.0.1",
      "0.0.0.0",
      "0.1.2.3",
      "10.0.0.1",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.0.1",
      "169.254.169.254",
    ],
    ...[
      "100.64.0.1",
      "100.127.255.255",
      "192.0.0.1",
      "192.0.2.1",
      "192.88.99.1",
      "198.18.0.1",
      "198.19.255.255",
      "198.51.100.1",
    ],
    ...[
      "203.0.113.1",
      "224.0.0.1",
      "239.255.255.255",
      "240.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "::2",
      "::127.0.0.1",
      "fe80::1",
    ],
    ...[
      "fe80::1%lo",
      "fec0::1",
      "fc00::1",
      "fd00::1",
      "ff02::1",
      "2001:db8::1",
      "2001::1",
      "2001:10::1",
      "2001:20::1",
      "2002:7f00:1::",
    ],
    ...[
      "64:ff9b::7f00:1",
      "64:ff9b:1::1",
      "100::1",
      "3fff::1",
      "5f00::1",
      "4000::1",
      "8000::1",
      "::ffff:127.0.0.1",
      "::ffff:10.0.0.1",
    ],
    ...[
      "::ffff:0:127.0.0.1",
      "198.41.0.4",
      "::ffff:198.41.0.4",
      "",
      "127.1",
      "not an address",
      "2130706433",
      "93.184.215.14 ",
    ],
  ])("are not, when an allowed name leads to %j, alone or among public ones", async (address) => {
    for (const answer of [[address], [PUBLIC, address], [address, PUBLIC], ["2606:2800:21f::1", PUBLIC, address]]) {
      const network = watchedNetwork(() => answer);
      const door = await open(["api.example.org"], network);
      expect(await connectStatus(door.socketPath, "api.example.org:443")).toBe(403);
      expect(network.dialled).toEqual([]);
      expect(await door.close()).toEqual([
        {
          host: "api.example.org",
          port: 443,
          why: "its name leads to an address that is not on the public internet",
          times: 1,
        },
      ]);
    }
  });

  it("are not, when a name is public at first and private later: what was checked is what is dialled", async () => {
    let asked = 0;
    const network = watchedNetwork(() => (++asked % 2 === 1 ? [PUBLIC] : ["127.0.0.1"]));
    const { socketPath } = await open(["api.example.org"], network);
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push(await connectStatus(socketPath, "api.example.org:443"));
    expect(statuses).toEqual([502, 403, 502, 403, 502, 403]);
    expect(network.dialled).toEqual([`${PUBLIC}:443`, `${PUBLIC}:443`, `${PUBLIC}:443`]);
    expect(asked).toBe(6);
  });

  it("are not, when another machine answers than the one that was dialled", async () => {
    const echo = await echoServer();
    const { connect: dial } = await import("node:net");
    const door = await open(["api.example.org"], {
      resolve: async () => [PUBLIC],
      connect: (_address, _port) =>
        new Promise((resolve) => {
          const socket = dial(echo.port, "127.0.0.1", () =>
            resolve({ socket, remoteAddress: socket.remoteAddress ?? "" }),
          );
        }),
    });
    expect(await connectStatus(door.socketPath, "api.example.org:443")).toBe(403);
    expect(await door.close()).toMatchObject([{ why: "another address answered than the one that was dialled" }]);
  });

  it("by the name localhost, only with its port, and whatever a resolver says", async () => {
    const [listed, other] = [await echoServer(), await echoServer()];
    const network = watchedNetwork(() => ["93.184.215.14"]);
    const { socketPath } = await open([`localhost:${listed.port}`], { resolve: network.resolve });
    expect(await connectStatus(socketPath, `localhost:${listed.port}`)).toBe(200);
    expect(await connectStatus(socketPath, `localhost:${other.port}`)).toBe(403);
    expect(await connectStatus(socketPath, `127.0.0.1:${listed.port}`)).toBe(403);
    expect(await connectStatus(socketPath, `a.localhost:${listed.port}`)).toBe(403);
    expect(network.resolved).toEqual([]);
  });

  it("unless they are listed: also IPv6", async () => {
    const echo = await echoServer("::1");
    const { socketPath } = await open([`[::1]:${echo.port}`]);
    expect(await connectStatus(socketPath, `[::1]:${echo.port}`)).toBe(200);
    expect(await connectStatus(socketPath, `[0:0:0:0:0:0:0:1]:${echo.port}`)).toBe(403);
  });
});
