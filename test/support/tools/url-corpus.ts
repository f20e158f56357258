/** Addresses of this machine and its neighbours in every disguise. */
import { PUBLIC } from "./web-fixture.ts";

/** Written so that `PORT` is the port of the victim. */
export const LITERALS = [
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

export const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
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

export const TRICKS = [
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
