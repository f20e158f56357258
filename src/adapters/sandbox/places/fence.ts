/**
 * A fence around the building of a wall. Bubblewrap follows links: while a foreign process exchanges a folder on the way
 * to a sealed place with a link, it would make that place wherever the link leads. Within the fence nothing but the
 * folders that the program may write anyway can be written, so nothing can be made anywhere else.
 *
 *   host ── bubblewrap ══ fence ══ outer (becomes bubblewrap) ══ wall ══ inner (becomes the program)
 */

/** Bubblewrap shows these in every wall; everywhere else on a file system that it binds, devices do not work. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** `writable`: folders of this machine that stay as they are. */
export function fenced(program: string, writable: readonly string[], argv: readonly string[]): readonly string[] {
  return [
    program,
    // With processes of its own all of them end at once; bubblewrap alone, killed early, leaves one that waits for it forever.
    ...["--unshare-user", "--unshare-pid", "--die-with-parent"],
    ...["--ro-bind", "/", "/"],
    // Whoever makes a user namespace writes there who is who in it; nothing can be made there.
    ...["--bind", "/proc", "/proc"],
    ...DEVICES.flatMap((path) => ["--dev-bind", path, path]),
    ...writable.flatMap((path) => ["--bind", path, path]),
    "--",
    ...argv,
  ];
}
