/** Prices that people have written: those of the project win over those of the user. */
import { PawlError } from "../../base/errors.ts";
import type { Result } from "../../base/result.ts";
import { parsePrices, parseRepositoryPrices } from "../../blueprint/prices/parse-prices.ts";
import type { PriceTable } from "../../limits/prices/price.ts";
import { projectPlace, readPolicyText } from "../policy/read-policy-text.ts";

/** Throws every problem of both files. */
export async function loadPrices(root: string, userFile: string): Promise<PriceTable> {
  const user = { path: userFile, shown: userFile, isRequired: false, outside: root };
  const project = projectPlace(root);
  const tables = [await load(user, parsePrices), await load(project, parseRepositoryPrices)];
  const problems = tables.flatMap((table) => (table.ok ? [] : table.problems));
  if (problems.length > 0) throw new PawlError(problems);
  return Object.assign({}, ...tables.map((table) => (table.ok ? table.value : {})));
}

async function load(
  place: Parameters<typeof readPolicyText>[0],
  parse: (text: string, file: string) => Result<PriceTable>,
): Promise<Result<PriceTable>> {
  const text = await readPolicyText(place);
  if (!text.ok) return text;
  return text.value === null ? { ok: true, value: {} } : parse(text.value, place.shown);
}
