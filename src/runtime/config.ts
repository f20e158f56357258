/** Config: the only reader of the environment. Every value knows where it came from. */
import { existsSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";

export type Origin = "flag" | "env" | "found" | "default";

export interface Setting<T> {
  readonly value: T;
  readonly origin: Origin;
}

export interface Config {
  /** The project root. */
  readonly root: Setting<string>;
  /** Whether output may be coloured when it goes to a terminal. */
  readonly color: Setting<boolean>;
  /** What every process of a stage finds in its environment, besides what Pawl and the stage set. */
  readonly processEnv: Readonly<Record<string, string>>;
  /** Program that builds sandboxes; null: where the system has it. */
  readonly bubblewrap: Setting<string | null>;
  /** Folders outside the system that every sandbox shows, read-only. */
  readonly readable: Setting<readonly string[]>;
  /** PATH of this process; what of it a sandbox shows is the sandbox's affair. */
  readonly path: string;
  /** The whole environment, for programs of the host that need credentials of the user; no stage ever gets it. */
  readonly hostEnv: Readonly<Record<string, string>>;
  /** Where pull requests are made, and with which token. */
  readonly github: { readonly host: string; readonly apiUrl: string; readonly token: string | null };
  /** A folder with a short path, for sockets of this user. */
  readonly socketDir: string;
  /** What this user keeps of the machine, whatever the project. */
  readonly machineDir: string;
  /** Values of the environment that look like secrets by their name: masked wherever they appear. */
  readonly secrets: readonly string[];
  /** Where keys and prices of models are, and addresses of providers other than the usual ones. */
  readonly models: {
    readonly keysFile: string;
    readonly pricesFile: string;
    readonly routesFile: string;
    readonly upstreams: Readonly<Record<string, string>>;
  };
  readonly user: string;
  /** Whose budget and rates count besides; null: nobody's. */
  readonly tenant: string | null;
  /** IANA name of the time zone that programs of this machine tell times in. */
  zone(): string;
  /** This process was started by a stage of a run, and so by no person. */
  readonly isInStage: boolean;
  /** The budget of the user. */
  readonly budgetFile: Setting<string>;
  /** Skills of the user. */
  readonly skillsDir: string;
  /** Policies from outside any project. */
  readonly policyFiles: { readonly organisation: Setting<string>; readonly user: Setting<string> };
}

export interface ConfigSources {
  readonly flags?: { readonly root?: string; readonly color?: boolean };
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** A file or folder that marks a project root, nearest first. */
const MARKS = [".pawl", "pawl.yaml", ".git"];
const LOCALE =
  "LANG|TZ|LC_(?:ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER|TELEPHONE|TIME)";
const PASSED_ON = new RegExp(`^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TEMP|TMP|SYSTEMROOT|${LOCALE})$`);
const SECRET_NAME = /(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)$/i;
const SHORTEST_SECRET = 8;
const UPSTREAMS = [
  ["PAWL_ANTHROPIC_URL", "anthropic"],
  ["PAWL_OPENAI_URL", "openai"],
  ["PAWL_GOOGLE_URL", "google"],
] as const;

export function readConfig(sources: ConfigSources = {}): Config {
  const env = sources.env ?? process.env;
  const cwd = sources.cwd ?? process.cwd();
  const entries = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    root: findRoot(sources.flags?.root, env["PAWL_ROOT"], cwd),
    color: colorOf(sources.flags?.color, env["NO_COLOR"]),
    processEnv: Object.fromEntries(entries.filter(([name]) => PASSED_ON.test(name))),
    bubblewrap: settingOf(env["PAWL_BWRAP"], null, (path) => resolve(cwd, path)),
    readable: settingOf(env["PAWL_READABLE"], [], (paths) => paths.split(delimiter).filter(isAbsolute)),
    path: env["PATH"] ?? "",
    hostEnv: Object.fromEntries(entries),
    github: {
      host: hostOf(env["GITHUB_SERVER_URL"]) ?? "github.com",
      apiUrl: env["GITHUB_API_URL"] ?? "https://api.github.com",
      token: env["GH_TOKEN"] ?? env["GITHUB_TOKEN"] ?? null,
    },
    socketDir: join(tmpdir(), `pawl-${process.getuid?.() ?? 0}`),
    machineDir: join(stateHome(env), "pawl"),
    secrets: entries
      .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET)
      .map(([, value]) => value),
    budgetFile: { value: join(configHome(env), "pawl", "budget.yaml"), origin: "default" },
    skillsDir: join(configHome(env), "pawl", "skills"),
    policyFiles: {
      organisation: settingOf(env["PAWL_ORG_POLICY"], "/etc/pawl/policy.yaml", (path) => resolve(cwd, path)),
      user: { value: join(configHome(env), "pawl", "policy.yaml"), origin: "default" },
    },
    // Finding it takes longer than all the rest of a start, and most runs never ask.
    zone: () => env["TZ"] ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    isInStage: env["PAWL_KEY"] !== undefined,
    models: {
      keysFile: join(configHome(env), "pawl", "keys.json"),
      pricesFile: join(configHome(env), "pawl", "prices.yaml"),
      routesFile: join(configHome(env), "pawl", "models.yaml"),
      upstreams: Object.fromEntries(UPSTREAMS.flatMap(([name, key]) => (env[name] ? [[key, env[name]]] : []))),
    },
    tenant: env["PAWL_TENANT"] || null,
    user: env["USER"] ?? env["LOGNAME"] ?? systemUser(),
  };
}

/** A relative path in XDG_CONFIG_HOME is to be ignored. */
function configHome(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["XDG_CONFIG_HOME"];
  return given !== undefined && isAbsolute(given) ? given : join(env["HOME"] ?? homedir(), ".config");
}

function stateHome(env: Readonly<Record<string, string | undefined>>): string {
  const given = env["XDG_STATE_HOME"];
  return given !== undefined && isAbsolute(given) ? given : join(env["HOME"] ?? homedir(), ".local", "state");
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;
}

function settingOf<T>(fromEnv: string | undefined, otherwise: T, read: (text: string) => T): Setting<T> {
  if (fromEnv === undefined || fromEnv === "") return { value: otherwise, origin: "default" };
  return { value: read(fromEnv), origin: "env" };
}

/** Containers often set no USER; a user id without a name has none at all. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

function findRoot(flag: string | undefined, fromEnv: string | undefined, cwd: string): Setting<string> {
  if (flag !== undefined) return { value: resolve(cwd, flag), origin: "flag" };
  if (fromEnv !== undefined && fromEnv !== "") return { value: resolve(cwd, fromEnv), origin: "env" };
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    if (MARKS.some((mark) => existsSync(join(dir, mark)))) return { value: dir, origin: "found" };
    if (dirname(dir) === dir) return { value: resolve(cwd), origin: "default" };
  }
}

function colorOf(flag: boolean | undefined, noColor: string | undefined): Setting<boolean> {
  if (flag !== undefined) return { value: flag, origin: "flag" };
  return noColor === undefined || noColor === "" ? { value: true, origin: "default" } : { value: false, origin: "env" };
}
