/** Secrets of which each is nowhere else: planted wherever a person keeps such things, and known again in every disguise. */
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Canary {
  readonly name: string;
  readonly value: string;
}

export interface Trove {
  readonly canaries: readonly Canary[];
  /** Variables for the environment of the host. */
  readonly env: Readonly<Record<string, string>>;
  /** Every file that holds one, absolute. */
  readonly places: readonly string[];
}

export interface TroveFolders {
  readonly home: string;
  /** The project: a repository with a commit. */
  readonly root: string;
  /** Another project of the same person. */
  readonly neighbour: string;
  /** A folder that everybody on the machine may read. */
  readonly temp: string;
}

const VARIABLES = ["FOO", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "DATABASE_URL", "THEME", "PAWL_NOTE", "MY_NOTE"];
const AT_HOME: Readonly<Record<string, (value: string) => string>> = {
  ".aws/credentials": (value) => `[default]\naws_secret_access_key = ${value}\n`,
  ".ssh/id_rsa": (value) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${value}\n-----END OPENSSH PRIVATE KEY-----\n`,
  ".netrc": (value) => `machine example.org login ann password ${value}\n`,
  ".npmrc": (value) => `//registry.npmjs.org/:_authToken=${value}\n`,
  ".git-credentials": (value) => `https://ann:${value}@example.org\n`,
  ".gitconfig": (value) => `[user]\n\tname = Ann\n\temail = ann@example.org\n[github]\n\ttoken = ${value}\n`,
  ".config/gh/hosts.yml": (value) => `github.com:\n    oauth_token: ${value}\n`,
  ".docker/config.json": (value) => `{"auths":{"example.org":{"auth":"${value}"}}}\n`,
  ".bash_history": (value) => `mysql -p${value}\n`,
};
const IN_PROJECT: Readonly<Record<string, (value: string) => string>> = {
  ".env": (value) => `STRIPE_KEY=${value}\n`,
  "pawl.yaml": (value) => `# ${value}\n`,
  "notes.txt": (value) => `not committed: ${value}\n`,
  ".git/pawl-canary": (value) => `${value}\n`,
  ".pawl/tmp/of-another-run/0-key": (value) => `${value}\n`,
};

export function makeCanary(name: string): Canary {
  return { name, value: `cnry+${randomBytes(10).toString("hex")}=${randomBytes(10).toString("hex")}` };
}

export function plantTrove({ home, root, neighbour, temp }: TroveFolders): Trove {
  const canaries: Canary[] = [];
  const places: string[] = [];
  const make = (name: string): string => {
    const canary = makeCanary(name);
    canaries.push(canary);
    return canary.value;
  };
  const plant = (folder: string, path: string, write: (value: string) => string, flag = "w"): void => {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, write(make(place)), { flag });
    places.push(place);
  };
  const env = Object.fromEntries(VARIABLES.map((name) => [name, make(`$${name}`)]));
  for (const [path, write] of Object.entries(AT_HOME)) plant(home, path, write);
  for (const [path, write] of Object.entries(IN_PROJECT)) plant(root, path, write);
  const remote = (value: string): string => `[remote "origin"]\n\turl = https://ann:${value}@example.org/a.git\n`;
  const header = (value: string): string => `[http]\n\textraheader = Authorization: Basic ${value}\n`;
  plant(root, ".git/config", remote, "a");
  plant(root, ".git/config", header, "a");
  plant(neighbour, ".env", (value) => `KEY=${value}\n`);
  plant(temp, "session", (value) => `${value}\n`);
  return { canaries, env, places: [...new Set(places)] };
}

/** The names of those that the bytes hold, each with its disguise. */
export function canariesIn(bytes: Buffer, { canaries }: Pick<Trove, "canaries">): readonly string[] {
  const text = bytes.toString("latin1");
  // Hexadecimal digits and escapes may be written either way.
  const lower = text.toLowerCase();
  return canaries.flatMap(({ name, value }) =>
    [...disguises(value)].flatMap(([disguise, forms]) => {
      const where = disguise === "base64" ? text : lower;
      return forms.some((form) => where.includes(form)) ? [`${name} (${disguise})`] : [];
    }),
  );
}

function disguises(value: string): ReadonlyMap<string, readonly string[]> {
  const percent = (pattern: RegExp): string =>
    value.replace(pattern, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return new Map([
    ["raw", [value]],
    ["base64", [0, 1, 2].map((shift) => base64Core(value, shift))],
    ["hex", [Buffer.from(value).toString("hex")]],
    ["reversed", [[...value].reverse().join("")]],
    ["url-encoded", [percent(/[^a-z0-9]/g), percent(/[\s\S]/g)]],
  ]);
}

/** What is in base64 the same whatever stands before and after; `shift` is how many bytes stand before it. */
function base64Core(value: string, shift: number): string {
  const text = Buffer.from(`${"\0".repeat(shift)}${value}`)
    .toString("base64")
    .replace(/=+$/, "");
  return text.slice(shift === 0 ? 0 : shift + 1, -1);
}
