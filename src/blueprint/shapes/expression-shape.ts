/** Shapes of values that may hold references, and of values that may look like it but must not. */
import type { Expression } from "../../base/expression.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Program } from "../blueprint.ts";
import { parseExpression, REFERENCE_ROOTS } from "../parse-expression.ts";
import type { Problems } from "../problems.ts";
import { lastAtMost, type Range } from "../text/source.ts";
import type { ScalarNode, Tree } from "../text/tree.ts";
import { either, list, mapped, type Reading, reportType, type Shape } from "./shape.ts";

const MOST_ARGUMENTS = 1000;
const ONE_REFERENCE = "^\\$\\{[^}]+\\}$";

/** Any value; every text in it may hold references. */
export function expression(): Shape<Expression> {
  return { schema: {}, read: (node, reading) => readExpression(node, reading) };
}

/** A map whose values may hold references. */
export function expressionMap(): Shape<Expression> {
  return {
    schema: { type: "object" },
    read: (node, reading, field) =>
      node.kind === "map" ? readExpression(node, reading) : reportType(node, reading, field, "a map"),
  };
}

/** Any value without references. */
export function literal(): Shape<JsonValue> {
  return {
    schema: {},
    read(node, reading, field) {
      const references: Reading["references"] = [];
      const value = readExpression(node, { ...reading, references });
      for (const reference of references)
        reading.problems.report("BLUEPRINT_REFERENCE_MISPLACED", { field }, reference);
      return "lit" in value ? value.lit : undefined;
    },
  };
}

/** One text as a process gets it. A plain number is passed on with the digits as written. */
export function argument(): Shape<Expression> {
  return {
    schema: { type: ["string", "number", "boolean"] },
    read(node, reading, field) {
      if (node.kind !== "scalar" || node.value === null) return reportType(node, reading, field, "text");
      return typeof node.value === "string" ? readText(node, node.value, reading) : { lit: node.written };
    },
  };
}

/** A list starts a program, a text is read by a shell, a reference alone stands for a list. */
export function program(): Shape<Program> {
  const items = list(argument(), { min: 1, max: MOST_ARGUMENTS });
  return either<Program>({
    scalar: shellText(),
    list: mapped(items, (found) => ({ argv: listOf(found.map(({ value }) => value)) })),
  });
}

function shellText(): Shape<Program> {
  const expected = "a list of arguments or text for a shell";
  return {
    schema: { type: "string", minLength: 1 },
    read(node, reading, field) {
      if (node.kind !== "scalar" || typeof node.value !== "string") return reportType(node, reading, field, expected);
      if (node.value.trim() === "") {
        reading.problems.report("BLUEPRINT_VALUE_INVALID", { field, expected, found: "empty text" }, node);
        return undefined;
      }
      const script = readText(node, node.value, reading);
      return "ref" in script ? { argv: script } : { shell: script };
    },
  };
}

/** A list written out, or one reference to a list. */
export function listOrReference(max: number): Shape<Expression> {
  const written = mapped(list(expression(), { min: 1, max }), (found) => listOf(found.map(({ value }) => value)));
  const reference: Shape<Expression> = {
    schema: { type: "string", pattern: ONE_REFERENCE },
    read(node, reading, field) {
      const value = node.kind === "scalar" ? readExpression(node, reading) : undefined;
      if (value !== undefined && "ref" in value) return value;
      return reportType(node, reading, field, "a list, or one reference to a list");
    },
  };
  return either({ scalar: reference, list: written });
}

function readExpression(node: Tree, reading: Reading): Expression {
  switch (node.kind) {
    case "scalar":
      return typeof node.value === "string" ? readText(node, node.value, reading) : { lit: node.value };
    case "list":
      return listOf(node.items.map((item) => readExpression(item, reading)));
    case "map":
      return mapOf(node.entries.map(({ key, value }) => [key, readExpression(value, reading)] as const));
    case "broken":
      return { lit: null };
  }
}

function listOf(items: readonly Expression[]): Expression {
  const values = literals(items);
  return values === undefined ? { list: items } : { lit: values };
}

function mapOf(entries: readonly (readonly [string, Expression])[]): Expression {
  const values = literals(entries.map(([, value]) => value));
  if (values === undefined) return { map: entries };
  return { lit: Object.fromEntries(entries.map(([key], index) => [key, values[index]])) };
}

/** The values when none of them holds a reference. */
function literals(items: readonly Expression[]): JsonValue[] | undefined {
  const values = items.flatMap((item) => ("lit" in item ? [item.lit] : []));
  return values.length === items.length ? values : undefined;
}

function readText(node: ScalarNode, value: string, { problems, references }: Reading): Expression {
  const parsed = parseExpression(value);
  if (parsed.references.length + parsed.problems.length === 0) return parsed.expression;
  const locate = locator(node, value, problems);
  for (const { path, offset, length } of parsed.references) references.push({ path, ...locate(offset, length) });
  for (const problem of parsed.problems) {
    const at = locate(problem.offset, problem.length);
    if ("detail" in problem) problems.report("BLUEPRINT_REFERENCE_MALFORMED", { detail: problem.detail }, at);
    else {
      const data = { root: problem.root, ...problems.guess(problem.root, REFERENCE_ROOTS) };
      problems.report("BLUEPRINT_REFERENCE_ROOT_UNKNOWN", data, at);
    }
  }
  return parsed.expression;
}

/**
 * Finds a place of the value in the text. Quotes, escapes and folded lines shift characters, but the n-th `${` of the value
 * is the n-th of the text; where even that does not hold, the whole value is named.
 */
function locator(node: ScalarNode, value: string, { source }: Problems): (offset: number, length: number) => Range {
  const inValue = placesOf(value);
  const inText = placesOf(source.text.slice(node.start, node.end));
  if (inValue.length !== inText.length) return () => ({ start: node.start, end: node.end });
  return (offset, length) => {
    const nth = lastAtMost(inValue, offset);
    const start = node.start + (inText[nth] as number) + offset - (inValue[nth] as number);
    return { start, end: start + length };
  };
}

function placesOf(text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf("${"); at >= 0; at = text.indexOf("${", at + 2)) places.push(at);
  return places;
}
