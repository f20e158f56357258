/**
 * JSON Schema, as far as tools and answers need it. A keyword that is not known here is refused when the schema is read: nothing is
 * checked by half. Patterns take linear time.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { readPattern } from "../match/pattern.ts";
import { createCoercion } from "./coerce.ts";
import { VALUE_KEYWORDS } from "./keywords.ts";

export interface Schema {
  /** Every way in which the value does not fit, as far as anybody reads; none: it fits. */
  problems(value: JsonValue): readonly string[];
  /** The value with what a model wrote in a wrong form put right, where the schema leaves no doubt. It may still not fit. */
  coerce(value: JsonValue): JsonValue;
}

export type SchemaReading =
  | { readonly ok: true; readonly schema: Schema }
  | { readonly ok: false; readonly problem: string };

interface Walk {
  report(at: string, problem: string): void;
  /** How many references were followed to get here. */
  depth: number;
}

type Test = (value: JsonValue, at: string, walk: Walk) => void;
/** A keyword whose argument is made of schemas; a text says what is wrong with the argument. */
type Keyword = (argument: JsonValue, reading: Reading, at: string, schema: JsonObject) => Test | string;

interface Reading {
  readonly root: JsonValue;
  readonly problems: string[];
  readonly references: Map<string, Test>;
  read(schema: JsonValue | undefined, at: string): Test;
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  ..."title description default examples format deprecated readOnly writeOnly contentEncoding contentMediaType".split(
    " ",
  ),
  ..."$schema $id $comment $defs definitions".split(" "),
]);
const ANYTHING: Test = () => undefined;
const DEEPEST_SCHEMA = 64;
const DEEPEST_REFERENCE = 64;
const MOST_PROBLEMS = 20;

export function readSchema(source: JsonValue): SchemaReading {
  const problems: string[] = [];
  const reading: Reading = { root: source, problems, references: new Map(), read: (schema, at) => read(schema, at) };
  const read = (schema: JsonValue | undefined, at: string): Test => compile(schema, at, reading);
  const test = read(source, "#");
  const [problem] = problems;
  if (problem !== undefined) return { ok: false, problem };
  const problemsOf = (value: JsonValue, by: Test): readonly string[] => {
    const found: string[] = [];
    const report = (at: string, text: string): void => void found.push(at === "" ? `it ${text}` : `${at} ${text}`);
    by(value, "", { report, depth: 0 });
    return found.slice(0, MOST_PROBLEMS);
  };
  const fits = (value: JsonValue, schema: JsonValue): boolean => problemsOf(value, read(schema, "#")).length === 0;
  const coerce = createCoercion({ lookUp: (pointer) => lookUp(source, pointer), fits });
  return {
    ok: true,
    schema: { problems: (value) => problemsOf(value, test), coerce: (value) => coerce(source, value) },
  };
}

function compile(schema: JsonValue | undefined, at: string, reading: Reading): Test {
  if (schema === true) return ANYTHING;
  if (schema === false) return (_value, place, walk) => walk.report(place, "must not be there");
  if (!isJsonObject(schema)) return refuse(reading, `${at} is no schema`);
  if (at.split("/").length > DEEPEST_SCHEMA) return refuse(reading, `${at} is too deep inside the schema`);
  const tests = Object.entries(schema).flatMap(([keyword, argument]): readonly Test[] => {
    if (ANNOTATIONS.has(keyword) || keyword.startsWith("x-")) return [];
    const test = compileKeyword(keyword, argument as JsonValue, reading, at, schema);
    return [typeof test === "string" ? refuse(reading, `${at}: ${keyword} ${test}`) : test];
  });
  return (value, place, walk) => {
    for (const test of tests) test(value, place, walk);
  };
}

function compileKeyword(
  keyword: string,
  argument: JsonValue,
  reading: Reading,
  at: string,
  schema: JsonObject,
): Test | string {
  if (Object.hasOwn(KEYWORDS, keyword))
    return (KEYWORDS[keyword] as Keyword)(argument, reading, `${at}/${keyword}`, schema);
  if (!Object.hasOwn(VALUE_KEYWORDS, keyword)) return "is a keyword that is not known";
  const test = VALUE_KEYWORDS[keyword]?.(argument);
  if (typeof test !== "function") return String(test);
  return (value, place, walk) => {
    const problem = test(value);
    if (problem !== undefined) walk.report(place, problem);
  };
}

function refuse(reading: Reading, problem: string): Test {
  reading.problems.push(problem);
  return ANYTHING;
}

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: (argument, reading) => {
    if (typeof argument !== "string" || !argument.startsWith("#")) return "leads out of the schema";
    const target = lookUp(reading.root, argument);
    if (target === undefined) return `leads nowhere: ${argument}`;
    if (!reading.references.has(argument)) {
      // Known before it is read, because it may lead back to itself.
      reading.references.set(argument, ANYTHING);
      reading.references.set(argument, reading.read(target, argument));
    }
    return (value, place, walk) => {
      if (walk.depth >= DEEPEST_REFERENCE) return walk.report(place, "is nested too deeply");
      reading.references.get(argument)?.(value, place, { report: walk.report, depth: walk.depth + 1 });
    };
  },
  properties: (argument, reading, at) => {
    if (!isJsonObject(argument)) return "is no object";
    const tests = Object.entries(argument).map(
      ([name, schema]) => [name, reading.read(schema, `${at}/${name}`)] as const,
    );
    return (value, place, walk) => {
      if (!isJsonObject(value)) return;
      for (const [name, test] of tests) {
        const member = memberOf(value, name);
        if (member !== undefined) test(member, join(place, name), walk);
      }
    };
  },
  required: (argument) => {
    if (!isTexts(argument)) return "is no list of names";
    return (value, place, walk) => {
      if (!isJsonObject(value)) return;
      for (const name of argument)
        if (memberOf(value, name) === undefined) walk.report(join(place, name), "is missing");
    };
  },
  additionalProperties: (argument, reading, at, schema) => {
    const named = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const patterns = Object.keys(isJsonObject(schema["patternProperties"]) ? schema["patternProperties"] : {}).map(
      (source) => readPattern(source),
    );
    const isNamed = (name: string): boolean =>
      Object.hasOwn(named, name) || patterns.some((reading) => reading.ok && reading.pattern.test(name));
    const test = argument === false ? undefined : reading.read(argument, at);
    return eachMember((member, name, place, walk) => {
      if (isNamed(name)) return;
      if (test === undefined) walk.report(place, "is not known");
      else test(member, place, walk);
    });
  },
  patternProperties: (argument, reading, at) => {
    if (!isJsonObject(argument)) return "is no object";
    const tests: { readonly covers: (name: string) => boolean; readonly test: Test }[] = [];
    for (const [source, schema] of Object.entries(argument)) {
      const pattern = readPattern(source);
      if (!pattern.ok) return `has a pattern that cannot be used: ${pattern.problem}`;
      tests.push({ covers: pattern.pattern.test, test: reading.read(schema, `${at}/${source}`) });
    }
    return eachMember((member, name, place, walk) => {
      for (const { covers, test } of tests) if (covers(name)) test(member, place, walk);
    });
  },
  propertyNames: (argument, reading, at) => {
    const test = reading.read(argument, at);
    return eachMember((_member, name, place, walk) => test(name, place, walk));
  },
  items: (argument, reading, at, schema) => {
    const test = reading.read(argument, at);
    const from = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"].length : 0;
    return (value, place, walk) => {
      if (!Array.isArray(value)) return;
      for (const [index, entry] of (value as readonly JsonValue[]).entries())
        if (index >= from) test(entry, `${place}[${index}]`, walk);
    };
  },
  prefixItems: (argument, reading, at) => {
    const tests = readAll(argument, reading, at);
    if (typeof tests === "string") return tests;
    return (value, place, walk) => {
      if (!Array.isArray(value)) return;
      for (const [index, entry] of (value as readonly JsonValue[]).entries())
        tests[index]?.(entry, `${place}[${index}]`, walk);
    };
  },
  allOf: (argument, reading, at) => {
    const tests = readAll(argument, reading, at);
    if (typeof tests === "string") return tests;
    return (value, place, walk) => {
      for (const test of tests) test(value, place, walk);
    };
  },
  anyOf: counting("must fit one of the forms it may have", (fitting) => fitting > 0),
  oneOf: counting("must fit exactly one of the forms it may have", (fitting) => fitting === 1),
  not: (argument, reading, at) => {
    const test = reading.read(argument, at);
    return (value, place, walk) => {
      if (isFit(test, value, place, walk)) walk.report(place, "has a form that it must not have");
    };
  },
};

function counting(problem: string, holds: (fitting: number) => boolean): Keyword {
  return (argument, reading, at) => {
    const tests = readAll(argument, reading, at);
    if (typeof tests === "string") return tests;
    return (value, place, walk) => {
      const fitting = tests.filter((test) => isFit(test, value, place, walk));
      if (!holds(fitting.length)) walk.report(place, problem);
    };
  };
}

function isFit(test: Test, value: JsonValue, place: string, { depth }: Walk): boolean {
  let fits = true;
  const report = (): void => {
    fits = false;
  };
  test(value, place, { report, depth });
  return fits;
}

function readAll(argument: JsonValue, reading: Reading, at: string): readonly Test[] | string {
  if (!Array.isArray(argument) || argument.length === 0) return "is no list of schemas";
  return (argument as readonly JsonValue[]).map((schema, index) => reading.read(schema, `${at}/${index}`));
}

function eachMember(look: (member: JsonValue, name: string, place: string, walk: Walk) => void): Test {
  return (value, place, walk) => {
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) look(member as JsonValue, name, join(place, name), walk);
  };
}

function memberOf(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function isTexts(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function join(place: string, name: string): string {
  return place === "" ? name : `${place}.${name}`;
}

/** What a pointer such as `#/$defs/name` leads to. */
function lookUp(root: JsonValue, pointer: string): JsonValue | undefined {
  const names = pointer.split("/").slice(1);
  let found: JsonValue | undefined = root;
  for (const name of names) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isJsonObject(found) ? memberOf(found, key) : undefined;
  }
  return found;
}
