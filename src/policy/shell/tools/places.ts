/**
 * Tools that start what they are given as somebody else, in another place, or from another package. A rule must allow the tool itself:
 * what is harmless here may not be so there. Rules that ask or deny see the command inside.
 */
import type { Argv, Wrapper } from "../facts.ts";
import {
  guessed,
  launcher,
  type OneSpelling,
  type OptionTable,
  opaque,
  PLAIN,
  readOptions,
  starts,
  type Tool,
} from "./options.ts";

type Needs = "rule" | "name";

const texts = (needs: Needs, ...scripts: string[]): Wrapper => ({ kind: "wrapper", inner: [], scripts, needs });

function lead(needs: Needs, inner: Argv, env: readonly (readonly [string, string])[] = []): Wrapper {
  return { ...starts(inner), needs, ...(env.length === 0 ? {} : { env }) };
}

const SUDO: OptionTable = {
  short: "ABbEHKkNnPSVvliseu:g:h:p:C:D:R:T:U:r:t:",
  long: `askpass background bell preserve-env=? set-home no-update non-interactive preserve-groups stdin login shell user= group= host= prompt=
   close-from= chdir= chroot= command-timeout= role= type= reset-timestamp remove-timestamp validate list edit version help other-user=`.replaceAll(
    /\s+/g,
    " ",
  ),
  stops: true,
};

/** Settings before the command are set for it; with a login shell the words are one text. */
const sudo: Tool = (args, name) => {
  const read = readOptions(SUDO, args);
  if (!read.ok) return guessed(`${name}: ${read.why}`, args);
  const given = new Set(read.given.map(([option]) => option));
  const at = read.rest.findIndex((arg) => arg === null || !/^\w+=/.test(arg));
  const command = at < 0 ? [] : read.rest.slice(at);
  if (command[0] === null) return guessed(`${name}: which program runs is not known`, args);
  if (command.length === 0) return opaque(`${name}: it runs as somebody else`);
  const settings = read.rest.slice(0, at).map((arg) => {
    const [set = "", ...value] = String(arg).split("=");
    return [set, value.join("=")] as const;
  });
  const isShell = ["-s", "-i", "--shell", "--login"].some((option) => given.has(option));
  const text = isShell && !command.includes(null) ? [command.join(" ")] : [];
  return { ...lead("rule", command, settings), scripts: text };
};

const SU: OptionTable = {
  short: "mplfPc:s:g:G:w:T:hVu:",
  long: `command= session-command= login shell= group= supp-group= preserve-environment fast pty no-pty whitelist-environment= user= help version`,
};

/** `su -c TEXT`, `runuser -u NAME -- COMMAND`. */
const su: Tool = (args, name) => {
  const plain = readOptions({ ...SU, stops: true }, args);
  if (!plain.ok) return guessed(`${name}: ${plain.why}`, args);
  const user = new Map(plain.given);
  const isLead = name === "runuser" && (user.has("-u") || user.has("--user"));
  if (isLead && typeof plain.rest[0] === "string") return lead("rule", plain.rest);
  const read = readOptions(SU, args);
  const given = new Map(read.ok ? read.given : []);
  const script = given.get("-c") ?? given.get("--command") ?? given.get("--session-command");
  const isText = read.ok && script !== undefined && !args.includes("--");
  return isText ? texts("rule", script) : guessed(`${name}: it runs as somebody else`, args);
};

const UNSHARE: OptionTable = {
  short: "imnpuUCTfrchVwS:G:R:",
  long: `ipc=? mount=? net=? pid=? uts=? user=? cgroup=? time=? fork kill-child=? mount-proc=? map-root-user map-current-user map-user= map-group=
   map-auto map-users= map-groups= propagation= setgroups= root= wd= keep-caps setuid= setgid= monotonic= boottime= help version`.replaceAll(
    /\s+/g,
    " ",
  ),
};

const SCRIPT: OptionTable = {
  short: "aefqVhc:B:I:O:T:m:o:E:t::",
  long: "append flush force quiet return command= log-io= log-in= log-out= log-timing= logging-format= output-limit= echo= timing=? version help",
};

/** `script -c TEXT`; of other systems `script FILE COMMAND`. */
const script: Tool = (args, name, input) => {
  const read = readOptions(SCRIPT, args);
  // Some systems take a command behind the file, and read its options as part of it.
  const behind = readOptions({ ...SCRIPT, stops: true }, args);
  if (!read.ok || !behind.ok) return guessed(`${name}: its options are not known`, args, input);
  const given = new Map(read.given);
  const text = given.get("-c") ?? given.get("--command");
  const [file, ...command] = behind.rest;
  if (text !== undefined && read.rest.length < 2) return texts("rule", text);
  const isKnown = text === undefined && file !== null && command.length > 0 && command[0] !== null;
  return isKnown ? lead("rule", command) : guessed(`${name}: it starts a shell`, args, input);
};

const NPX: OptionTable = {
  short: "yqsp:c:w:",
  long: "yes no quiet silent no-install ignore-existing package= call= workspace= workspaces include-workspace-root prefer-offline prefer-online offline bun shell-mode",
  stops: true,
};

/** The program that a package brings has the name of the package, unless it says otherwise. */
export const fromPackage: OneSpelling = (args, name) => {
  const read = readOptions(NPX, args);
  if (!read.ok) return guessed(`${name}: ${read.why}`, args, null, "program");
  const given = new Map(read.given);
  const text = given.get("-c") ?? given.get("--call");
  if (text !== undefined) return texts("name", text);
  const [program, ...rest] = read.rest;
  if (typeof program !== "string")
    return program === undefined ? PLAIN : guessed(`${name}: which program runs is not known`, args);
  return lead("name", [program.replace(/(.)@[^/]*$/, "$1"), ...rest]);
};

const DOCKER: OptionTable = {
  short: "ditPqe:u:w:v:p:l:h:m:c:a:",
  long: `detach interactive tty rm init privileged publish-all read-only no-healthcheck quiet env= env-file= user= workdir= volume= publish= label= name= network= net= mount=
   entrypoint= hostname= memory= cpus= platform= pull= restart= add-host= cap-add= cap-drop= device= dns= gpus= ipc= log-driver= pid= security-opt= shm-size=
   tmpfs= ulimit= userns= volumes-from= detach-keys= expose= group-add= link= cidfile= no-deps service-ports index= no-TTY build remove-orphans stop-signal= memory-swap=
   cgroupns= runtime= sysctl= storage-opt= stop-timeout= attach= label-file= kernel-memory= blkio-weight= cpu-shares= cpuset-cpus= oom-kill-disable pids-limit=`.replaceAll(
    /\s+/g,
    " ",
  ),
  stops: true,
};

/** `exec` and `run` of containers: the first operand says where, the rest is the command there. */
export const inContainer: OneSpelling = (args, name) => {
  const read = readOptions(DOCKER, args);
  if (!read.ok) return guessed(`${name}: ${read.why}`, args, null, "program");
  const entry = read.given.find(([option]) => option === "--entrypoint")?.[1];
  const [place, ...rest] = read.rest;
  const command = entry === undefined ? rest : [entry, ...rest];
  const why = `${name}: it starts programs elsewhere`;
  if (place === null || place === undefined || command.length === 0) return guessed(why, args, null, "program");
  return command[0] === null ? guessed(why, args) : lead("name", command);
};

/** `kubectl exec POD -- COMMAND`: all that counts stands behind the dashes. */
export const behindDashes: OneSpelling = (args, name) => {
  const end = args.indexOf("--");
  const command = end < 0 ? [] : args.slice(end + 1);
  const isKnown = command.length > 0 && command[0] !== null && !args.slice(0, Math.max(end, 0)).includes(null);
  return isKnown
    ? lead("name", command)
    : guessed(`${name}: it starts programs on another machine`, args, null, "program");
};

export const PLACES: Readonly<Record<string, Tool>> = {
  sudo,
  doas: launcher({ short: "nsLa:C:u:" }, 0, "rule"),
  su,
  runuser: su,
  chroot: launcher({ long: "userspec= groups= skip-chdir help version" }, 1, "rule"),
  unshare: launcher(UNSHARE, 0, "rule"),
  script,
  npx: fromPackage,
  bunx: fromPackage,
  pnpx: fromPackage,
  uvx: fromPackage,
  pipx: (args, name) =>
    args[0] === "run"
      ? fromPackage(args.slice(1), name)
      : guessed(`${name}: it may download a program and run it`, args, null, "program"),
};
