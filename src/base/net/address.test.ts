import { isIP } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it, test } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { isOneMachine, isPublic, plainAddress } from "./address.ts";

describe("isPublic", () => {
  it.each([
    ..."8.8.8.8 93.184.216.34 1.1.1.1 172.15.0.1 172.32.0.1 100.63.255.255 100.128.0.0 9.255.255.255".split(" "),
    ..."2606:4700::1111 2a00:1450:4001::1 2001:4860:4860::8888 ::ffff:8.8.8.8 ::ffff:808:808".split(" "),
  ])("%s is", (text) => {
    expect(isPublic(text)).toBe(true);
  });

  it.each([
    ..."0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255".split(
      " ",
    ),
    ..."192.168.0.1 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255".split(
      " ",
    ),
    ..."168.63.129.16 :: ::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 fc00::1 fd00:ec2::254 fe80::1".split(
      " ",
    ),
    ..."fec0::1 ff02::1 2001:db8::1 2001::1 2002:7f00:1:: 3fff::1 4000::1 fe80::1%eth0 2606:4700::1%eth0".split(" "),
    ..."localhost 127.1 0x7f.0.0.1 017700000001 2130706433 1.2.3 1.2.3.4.5 256.1.1.1 01.1.1.1 a.b.c.d 1::2::3".split(
      " ",
    ),
    ..."1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 1:2:3:4:5:6:7::8 12345::1 ::g 1.2.3.4:: ::1.2.3.4:5 ::ffff:010.0.0.1 : :::".split(
      " ",
    ),
    "",
  ])("%s is not", (text) => {
    expect(isPublic(text)).toBe(false);
  });

  test("is never more open than the package that knows all ranges, and reads what Node reads", () => {
    const four = fc.ipV4();
    const six = fc.ipV6();
    const near = fc.tuple(
      fc.constantFrom("::ffff:", "2001:", "2620:4f:8000::", "64:ff9b::", "2002:", "3fff:0::"),
      fc.ipV4(),
    );
    const odd = near.map(([head, tail]) => `${head}${tail}`);
    assertProperty(
      fc.property(fc.oneof(four, six, odd), (text) => {
        expect(plainAddress(text) !== undefined).toBe(isIP(text) !== 0);
        if (!isPublic(text)) return;
        const address = ipaddr.process(text);
        expect(address.range()).toBe("unicast");
      }),
      { runs: 5000 },
    );
  });
});

describe("plainAddress", () => {
  it.each([
    ["::FFFF:1.2.3.4", "1.2.3.4"],
    ["1.2.3.4", "1.2.3.4"],
    ["2606:4700::1", "2606:4700:0:0:0:0:0:1"],
    ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
    ["1.2.3", undefined],
  ])("%s is %s", (text, expected) => {
    expect(plainAddress(text)).toBe(expected);
  });
});

describe("isOneMachine", () => {
  it.each([
    ["127.0.0.1", true],
    ["::1", true],
    ["8.8.8.8", true],
    ["0.0.0.0", false],
    ["255.255.255.255", false],
    ["239.0.0.1", false],
    ["::", false],
    ["ff02::1", false],
    ["name", false],
  ])("%s: %s", (text, expected) => {
    expect(isOneMachine(text)).toBe(expected);
  });
});
