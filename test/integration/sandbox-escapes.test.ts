/** A program that does all it can to leave its wall: nothing of this machine is read, changed or reached. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeFolder, removeFolders } from "../support/process-fixture.ts";
import { bubblewrap, follow, programOf, runEnclosed, runScript, start } from "../support/sandbox-fixture.ts";

const sandbox = bubblewrap();

/** `try` says what should not have worked, `see` what should not be there. */
const PRELUDE = `
try() { if "$@" >/dev/null 2>&1; then echo "worked: $*"; fi; }
see() { for path in "$@"; do if [ -e "$path" ]; then echo "seen: $path"; fi; done; }
put() { if (echo evil >"$1") 2>/dev/null; then echo "written: $1"; fi; }
`;

const ATTEMPTS: readonly (readonly [name: string, script: string])[] = [
  [
    "remounts the system to write it",
    "try mount -o remount,rw /usr; try mount -o remount,rw,bind /usr; try mount -o remount,rw /",
  ],
  [
    "mounts something of its own",
    "try mount -t tmpfs none /mnt; try mount --bind /workspace /usr; try mount -t proc proc /workspace; try mount /dev/vda /workspace; try mount -t overlay o -o lowerdir=/usr /workspace",
  ],
  [
    "takes away what covers something",
    "try umount /proc/sys; try umount -l /proc/sys; try umount /proc/keys; try umount -l /usr; try umount -l /tmp",
  ],
  [
    "enters other namespaces",
    "try nsenter -t 1 -m true; try nsenter -t 1 -a true; try nsenter --net=/proc/1/ns/net true; try nsenter -U -t 1 true",
  ],
  [
    "makes new namespaces",
    "try unshare -U true; try unshare -r true; try unshare -m true; try unshare -n true; try unshare -p -f true; try unshare -Ur unshare -m true",
  ],
  [
    "makes devices",
    "try mknod /workspace/disk b 254 0; try mknod /workspace/memory c 1 1; try mknod /tmp/disk b 8 0; try mknod /dev/kmsg c 1 11",
  ],
  [
    "looks into the first process",
    "see /proc/1/mem /proc/1/environ /proc/1/cmdline /proc/1/fd /proc/1/root /proc/1/task /proc/self/task/../../1/mem",
  ],
  ["changes its root", "try chroot /workspace true; try chroot / true; try pivot_root /workspace /workspace"],
  [
    "writes to the system",
    "for path in /x /usr/x /usr/bin/x /bin/x /lib/x /etc/x /etc/passwd /etc/ld.so.preload /var/x /dev/x /home/x /root/x; do put $path; done",
  ],
  [
    "writes through an open folder",
    "exec 9</usr 8</etc; put /proc/self/fd/9/x; put /proc/self/fd/8/x; put /proc/self/root/usr/x; put /proc/1/root/usr/x; put /proc/1/cwd/usr/x",
  ],
  [
    "changes settings of the kernel",
    "for path in $(find /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi -type f 2>/dev/null); do [ -w $path ] && echo writable: $path; done; put /proc/sys/kernel/core_pattern; put /proc/sysrq-trigger; put /proc/mtrr",
  ],
  [
    "looks for homes, hosts' files and other systems",
    "see /root /etc/shadow /etc/gitconfig /etc/ssl/private /sys /boot /mnt /opt /srv /media /var/lib /var/run /run/docker.sock /var/run/docker.sock /run/dbus /run/user /dev/mem /dev/kmsg /dev/fuse /dev/kvm /dev/net /dev/vsock /dev/disk",
  ],
  [
    "looks for block devices and sockets",
    "find / -xdev \\( -type b -o -type s \\) 2>/dev/null; find /dev /run /tmp \\( -type b -o -type s \\) 2>/dev/null",
  ],
  [
    "becomes somebody else",
    "try su -c true; try su nobody -s /bin/sh -c true; try setpriv --reuid 0 true; try setpriv --reuid 65534 true; try setpriv --inh-caps +all true; grep -q 'NoNewPrivs:.1' /proc/self/status || echo may gain privileges; grep Cap /proc/self/status | grep -v 0000000000000000",
  ],
  [
    "links its way out",
    "ln -s / /workspace/root; ln -s /proc/1/root /workspace/root2; see /workspace/root/root /workspace/root2/root /workspace/root/workspace/../../../../root",
  ],
  [
    "fills the memory of this machine",
    "head -c 70000000 /dev/zero >/run/full 2>/dev/null && echo no limit; [ $(stat -c %s /run/full) -le 67108864 ] || echo too much",
  ],
  ["dumps a core", "[ $(ulimit -c) = 0 ] || echo cores are on; try ulimit -c unlimited"],
];

/** Calls by number, on the processor of most machines, with the errno that the filter must give. */
const CALLS: readonly (readonly [name: string, perl: string, errno: number])[] = [
  ["reads the key ring of its host", "syscall(250, 0, -3, 1)", 1],
  ["adds to a key ring", "syscall(248, 0, 0, 0, 0, -3)", 1],
  ["asks for a key", "syscall(249, 0, 0, 0, -3)", 1],
  ["reads the log of the kernel", 'my $x = "x" x 100; syscall(103, 3, $x, 100)', 1],
  ["loads a program into the kernel", 'my $x = "x" x 128; syscall(321, 0, $x, 128)', 1],
  ["measures the machine", 'my $x = "x" x 128; syscall(298, $x, 0, -1, -1, 0)', 1],
  ["sets up a ring of calls that nobody filters", 'my $x = "\\0" x 120; syscall(425, 8, $x)', 1],
  ["handles faults of memory", "syscall(323, 0)", 1],
  ["speaks to the host of a virtual machine", "socket(S, 40, 1, 0) ? 0 : -1", 97],
  ["opens a socket to the wire", "socket(S, 17, 3, 0) ? 0 : -1", 97],
  ["opens a socket to the kernel's ciphers", "socket(S, 38, 5, 0) ? 0 : -1", 97],
  ["opens a raw socket", "socket(S, 2, 3, 1) ? 0 : -1", 1],
  ["types into a terminal", 'my $x = "x"; ioctl(STDOUT, 0x5412, $x) ? 0 : -1', 1],
  ["types into a terminal by the upper half of a number", 'my $x = "x"; syscall(16, 1, 0x100005412, $x)', 1],
  ["calls by other numbers for the same calls", "syscall(0x40000000 + 39)", 38],
  ["takes hold of the first process", "syscall(101, 16, 1, 0, 0)", 1],
  ["follows the first process", "syscall(101, 0x4206, 1, 0, 0)", 1],
  ["takes hold of it by the upper half of a number", "syscall(101, 16, 0x100000001, 0, 0)", 1],
  ["reads the memory of the first process", "syscall(310, 1, 0, 0, 0, 0, 0)", 1],
  ["writes the memory of the first process", "syscall(311, 1, 0, 0, 0, 0, 0)", 1],
  ["opens the first process", "syscall(434, 1, 0)", 1],
  ["takes a descriptor of another process", "syscall(438, 0, 0, 0)", 1],
  ["follows another process of this machine", "syscall(101, 16, $ENV{HOST_PID} + 0, 0, 0)", 3],
];

afterEach(removeFolders);

describe("a program behind the wall", () => {
  it("has the tools to try", async () => {
    const tools = "mount umount nsenter unshare mknod chroot pivot_root su setpriv perl find head stat ulimit";
    const { stdout } = await runScript(
      sandbox,
      makeFolder(),
      `for tool in ${tools}; do command -v $tool >/dev/null || echo $tool; done`,
    );
    expect(stdout).toBe("");
  });

  it.each(ATTEMPTS)("is held when it %s", async (_, script) => {
    const folder = makeFolder();
    const outcome = await runScript(sandbox, folder, `${PRELUDE}${script}; echo held`);
    expect(outcome).toMatchObject({ code: 0, stdout: "held\n" });
  });

  it.runIf(process.arch === "x64").each(CALLS)("is refused when it %s", async (_, call, errno) => {
    const script = `my $r = eval { ${call} }; print defined $r && $r != -1 ? "worked" : $! + 0`;
    const { stdout } = await runEnclosed(
      sandbox,
      programOf(["/usr/bin/perl", "-e", script], { env: { HOST_PID: String(process.pid) } }),
    );
    expect(stdout).toBe(String(errno));
  });

  it("sees no file, no variable and no process of its host", async () => {
    const [folder, outside] = [makeFolder(), makeFolder()];
    writeFileSync(join(outside, "canary"), "canary-in-a-file");
    process.env["CANARY"] = "canary-in-the-environment";
    const script = `
      cat ${outside}/canary /proc/1/root${outside}/canary /proc/self/root${outside}/canary
      cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'
      echo processes: $(ls /proc | grep -c '^[0-9]')
      for n in 1 2 3 4; do ls -l /proc/$n/fd /proc/$n/cwd /proc/$n/root; done
      ls -la / /tmp /run /home/* /dev /etc; hostname; env; mount
    `;
    const { stdout } = await runScript(sandbox, folder, script);
    delete process.env["CANARY"];
    expect(stdout).not.toMatch(/canary-in/);
    expect(Number(/^processes: (\d+)$/m.exec(stdout)?.[1])).toBeLessThan(8);
  });

  it("ends only itself when it ends everything", async () => {
    const folder = makeFolder();
    const other = start(await sandbox.enclose(programOf(["/bin/sh", "-c", "sleep 0.3; echo alive"])));
    const ended = follow(other, "\n");
    const script = "kill -9 1; kill -9 -1; kill -9 $PPID; for n in $(seq 1 400); do kill -9 $n 2>/dev/null; done";
    expect((await runScript(sandbox, folder, `${script}; kill -9 ${process.pid} ${other.pid}`)).code).not.toBeNull();
    expect(await ended).toMatchObject({ code: 0, stdout: "alive\n" });
  });

  it("shares no memory, no semaphore and no temporary file with another", async () => {
    const folder = makeFolder();
    const meet = "until [ -e /workspace/made ]; do sleep 0.01; done";
    const make = "echo x >/tmp/shared; echo x >/dev/shm/shared; ipcmk -M 64 >/dev/null; : >/workspace/made; sleep 0.25";
    const look = `${meet}; ls /tmp /dev/shm /run /home/pawl; ipcs -m | grep -c 0x0 || true; pgrep -c sleep`;
    const [, seen] = await Promise.all([runScript(sandbox, folder, make), runScript(sandbox, folder, look)]);
    expect(seen.stdout.split("\n").filter((line) => /shared|^[1-9]/.test(line))).toEqual([]);
  });

  it("changes nothing in what it may only read, whatever it does", async () => {
    const [folder, inputs] = [makeFolder(), makeFolder()];
    mkdirSync(join(inputs, "in"));
    writeFileSync(join(inputs, "in/file"), "kept");
    const before = execFileSync("/usr/bin/find", [inputs, "-printf", "%p %m %T@ %s\n"], { encoding: "utf8" });
    await runScript(
      sandbox,
      folder,
      "cd /run/pawl/inputs; chmod -R 777 .; touch in/file x; rm -rf in; ln in/file y; setfattr -n user.x -v y in/file",
      {
        mounts: [
          { from: folder, to: "/workspace", access: "write" },
          { from: inputs, to: "/run/pawl/inputs", access: "read" },
        ],
      },
    );
    expect(execFileSync("/usr/bin/find", [inputs, "-printf", "%p %m %T@ %s\n"], { encoding: "utf8" })).toBe(before);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the network of this machine", () => {
  const servers: Server[] = [];
  const abstract = `\0pawl-escape-${process.pid}`;
  let port = 0;
  let reached = 0;

  beforeAll(async () => {
    for (const target of [{ port: 0, host: "127.0.0.1" }, { path: abstract }]) {
      const server = createServer((socket) => {
        reached += 1;
        socket.end("reached");
      });
      server.listen(target);
      await once(server, "listening");
      servers.push(server);
    }
    port = (servers[0]!.address() as AddressInfo).port;
  });

  afterAll(() => {
    for (const server of servers) server.close();
  });

  it("is not reached: addresses, names, abstract sockets, datagrams", async () => {
    for (const target of [{ port, host: "127.0.0.1" }, { path: abstract }]) {
      const socket = connect(target as { port: number });
      await once(socket.resume(), "close");
    }
    expect(reached).toBe(2);
    const gateway =
      /^\w+\s+00000000\s+([0-9A-F]{8})/m.exec(readFileSync("/proc/net/route", "latin1"))?.[1] ?? "0101A8C0";
    const address = [6, 4, 2, 0].map((at) => Number.parseInt(gateway.slice(at, at + 2), 16)).join(".");
    const script = `
      const net = require("node:net"), dgram = require("node:dgram"), dns = require("node:dns");
      const tcp = (target) => new Promise((done) => net.connect(target).once("connect", () => done("reached")).once("error", (e) => done(e.code)));
      const udp = (host, port) => new Promise((done) => dgram.createSocket("udp4").send("x", port, host, (e) => done(e ? e.code : "sent")));
      const name = (text) => new Promise((done) => dns.lookup(text, (e) => done(e ? "unknown" : "found")));
      (async () => console.log(JSON.stringify([
        await tcp({ port: ${port}, host: "127.0.0.1" }), await tcp({ path: ${JSON.stringify(abstract)} }),
        await tcp({ port: 80, host: "${address}" }), await tcp({ port: 443, host: "1.1.1.1" }), await tcp({ port: 443, host: "2606:4700:4700::1111" }),
        await udp("${address}", 53), await udp("8.8.8.8", 53), await name("example.com"), await name("localhost"),
      ])))().then(() => process.exit(0));
    `;
    const { stdout } = await runEnclosed(sandbox, programOf([process.execPath, "-e", script]));
    expect(JSON.parse(stdout)).toEqual([
      ...["ECONNREFUSED", "ECONNREFUSED", "ENETUNREACH", "ENETUNREACH", "ENETUNREACH"],
      ...["ENETUNREACH", "ENETUNREACH", "unknown", "found"],
    ]);
    expect(reached).toBe(2);
  });
});
