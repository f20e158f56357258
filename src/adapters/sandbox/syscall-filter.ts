/**
 * The filter of system calls behind the wall, as a program of the kernel's packet filter. It closes what namespaces do
 * not separate: key rings, the kernel's log, sockets of families that know no network namespace (such as a virtual
 * machine's line to its host), pushing input into a terminal, and calls that could go around this filter. And it keeps
 * the first process behind the wall out of reach: with it in hand a program could outlive its wall.
 */

interface Calls {
  /** How the kernel names the processor in `seccomp_data.arch`. */
  readonly audit: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly refused: readonly number[];
  /** Calls that take hold of another process, and which argument names it. */
  readonly holds: readonly (readonly [call: number, argument: number])[];
}

const IO_URING = [425, 426, 427];

const PIDFD_OPEN = [434, 0] as const;
const PIDFD_GETFD = 438;

/**
 * refused: add_key, request_key, keyctl, syslog, bpf, perf_event_open, userfaultfd; holds: ptrace, process_vm_readv,
 * process_vm_writev; and what has the same number everywhere.
 */
const X86_64: Calls = {
  audit: 0xc000003e,
  socket: 41,
  ioctl: 16,
  refused: [248, 249, 250, 103, 321, 298, 323, PIDFD_GETFD, ...IO_URING],
  holds: [[101, 1], [310, 0], [311, 0], PIDFD_OPEN],
};
/** With socketcall (102): its family cannot be seen from here. */
const I386: Calls = {
  audit: 0x40000003,
  socket: 359,
  ioctl: 54,
  refused: [286, 287, 288, 103, 357, 336, 374, PIDFD_GETFD, ...IO_URING, 102],
  holds: [[26, 1], [347, 0], [348, 0], PIDFD_OPEN],
};
const AARCH64: Calls = {
  audit: 0xc00000b7,
  socket: 198,
  ioctl: 29,
  refused: [217, 218, 219, 116, 280, 241, 282, PIDFD_GETFD, ...IO_URING],
  holds: [[117, 1], [270, 0], [271, 0], PIDFD_OPEN],
};

/** By the name Node has for the processor. A processor that is not here has no wall. */
const PROCESSORS: Readonly<Record<string, readonly Calls[]>> = { x64: [X86_64, I386], arm64: [AARCH64] };

/** unix, inet, inet6, netlink. */
const FAMILIES = [1, 2, 10, 16];
/** TIOCSTI, TIOCLINUX. */
const TERMINAL_INPUT = [0x5412, 0x541c];
const FIRST_PROCESS = 1;
/** Calls of the x32 ABI have this bit: the same calls under other numbers. */
const X32 = 0x40000000;

const AT_CALL = 0;
const AT_ARCH = 4;
/** The lower half of an argument: all that the kernel looks at in a family, a request or a process id. */
const atArgument = (index: number): number => 16 + index * 8;

const ALLOW = 0x7fff0000;
const FAIL = 0x00050000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (at: number): Instruction => [0x20, 0, 0, at];
const give = (value: number): Instruction => [0x06, 0, 0, value];
/** Goes on with the next instruction when equal, else leaves out `otherwise` of them. */
const whenEqual = (value: number, otherwise: number): Instruction => [0x15, 0, otherwise, value];
const whenAtLeast = (value: number, otherwise: number): Instruction => [0x35, 0, otherwise, value];
const jumpWhenEqual = (value: number, over: number): Instruction => [0x15, over, 0, value];

/** The filter for this processor; undefined: none is known. */
export function syscallFilter(processor: string): Uint8Array | undefined {
  const tables = PROCESSORS[processor];
  if (tables === undefined) return undefined;
  const sections = tables.map(sectionOf);
  const program = [
    load(AT_ARCH),
    ...sections.flatMap(({ audit, body }) => [whenEqual(audit, body.length), ...body]),
    give(FAIL | ENOSYS),
  ];
  return encode(program);
}

/** Every way through it ends in an answer. */
function sectionOf(calls: Calls): { readonly audit: number; readonly body: readonly Instruction[] } {
  return {
    audit: calls.audit,
    body: [
      load(AT_CALL),
      ...(calls.audit === X86_64.audit ? [whenAtLeast(X32, 1), give(FAIL | ENOSYS)] : []),
      ...calls.refused.flatMap((call) => [whenEqual(call, 1), give(FAIL | EPERM)]),
      ...calls.holds.flatMap(([call, argument]) => [
        whenEqual(call, 4),
        load(atArgument(argument)),
        whenEqual(FIRST_PROCESS, 1),
        give(FAIL | EPERM),
        give(ALLOW),
      ]),
      whenEqual(calls.socket, FAMILIES.length + 3),
      load(atArgument(0)),
      ...FAMILIES.map((family, index) => jumpWhenEqual(family, FAMILIES.length - index)),
      give(FAIL | EAFNOSUPPORT),
      give(ALLOW),
      whenEqual(calls.ioctl, TERMINAL_INPUT.length * 2 + 1),
      load(atArgument(1)),
      ...TERMINAL_INPUT.flatMap((request) => [whenEqual(request, 1), give(FAIL | EPERM)]),
      give(ALLOW),
    ],
  };
}

/** Both processors are little-endian. */
function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, value, true);
  }
  return bytes;
}
