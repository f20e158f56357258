/**
 * Secrets that are known by their shape. Every expression is linear: it begins at the edge of a word of its own
 * characters, or its length is bounded, so hostile text cannot make it slow.
 */

interface Shape {
  readonly kind: string;
  /** Group `keep`, where there is one, is what stands before the secret and stays. */
  readonly find: RegExp;
}

const shape = (kind: string, source: string, flags = "g"): Shape => ({ kind, find: new RegExp(source, flags) });
const word = (kind: string, source: string): Shape => shape(kind, `(?<![A-Za-z0-9_-])${source}(?![A-Za-z0-9])`);

const SHAPES: readonly Shape[] = [
  word("aws", "(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}"),
  word("github", "gh[pousr]_[A-Za-z0-9]{36,255}"),
  word("github", "github_pat_[A-Za-z0-9_]{22,255}"),
  word("gitlab", "gl(?:pat|ptt|dt|rt|cbt|oas|ft|soat)-[A-Za-z0-9_-]{20,}"),
  word("slack", "(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,}"),
  shape("slack", "(?<keep>hooks\\.slack\\.com/services/)[A-Za-z0-9/]{20,200}"),
  word("anthropic", "sk-ant-[A-Za-z0-9_-]{20,}"),
  word("openai", "sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}"),
  word("openai", "sk-[A-Za-z0-9]{32,}"),
  word("google", "AIza[A-Za-z0-9_-]{35}"),
  word("google", "(?:ya29\\.|GOCSPX-)[A-Za-z0-9_-]{20,}"),
  word("stripe", "(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
  word("npm", "npm_[A-Za-z0-9]{36}"),
  word("pypi", "pypi-AgEI[A-Za-z0-9_-]{40,}"),
  word("huggingface", "hf_[A-Za-z0-9]{30,}"),
  word("sendgrid", "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}"),
  word("docker", "dckr_pat_[A-Za-z0-9_-]{20,}"),
  word("age", "AGE-SECRET-KEY-1[0-9A-Z]{40,}"),
  shape("azure", "(?<keep>AccountKey=)[A-Za-z0-9+/]{40,200}={0,2}"),
  word("jwt", "eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*"),
  shape(
    "authorization",
    "(?<keep>authorization[\"']?\\s{0,3}[:=]\\s{0,3}[\"']?(?:basic|bearer|token)\\s{1,3})[^\\s\"'\\\\[]{6,4096}",
    "gi",
  ),
  shape("bearer", "(?<keep>(?<![a-z])bearer\\s{1,3})[a-z0-9._~+/-]{20,4096}={0,2}", "gi"),
  shape("url", "(?<keep>:\\/\\/[^\\s/:@\"'<>[]{0,128}:)[^\\s/@\"'<>[]{1,512}(?=@)"),
  shape("url", "(?<keep>:\\/\\/)[A-Za-z0-9_.~%-]{20,512}(?=@)"),
];

/** Text without any of these cannot hold a secret of a known shape. Matched without regard to case. */
export const TOKEN_SIGNS: readonly string[] = [
  "a(?:kia|sia|roa|ida|bia|cca)[a-z0-9]",
  "gh[pousr]_",
  "github_pat",
  "gl[a-z]{2,4}-",
  "xox[a-z]-",
  "xapp-",
  "slack\\.com",
  "sk-",
  "aiza",
  "ya29",
  "gocspx",
  "[sr]k_",
  "whsec",
  "npm_",
  "pypi-",
  "hf_",
  "sg\\.",
  "dckr_",
  "age-secret",
  "accountkey",
  "eyj",
  "authoriz",
  "bearer",
  ":\\/\\/[^\\s/]{0,700}@",
];

export function maskTokens(text: string): string {
  let masked = text;
  for (const { kind, find } of SHAPES) {
    masked = masked.replace(find, (...match: unknown[]) => {
      const groups = match.at(-1);
      const keep = typeof groups === "object" ? (groups as { keep: string }).keep : "";
      return `${keep}[redacted:${kind}]`;
    });
  }
  return masked;
}
