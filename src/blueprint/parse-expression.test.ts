import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import { resolve } from "../base/expression.ts";
import { parseExpression } from "./parse-expression.ts";

const OPEN = "$" + "{";

describe("parseExpression", () => {
  it.each([
    ["", { lit: "" }],
    ["plain $x $ {a} }", { lit: "plain $x $ {a} }" }],
    ["$${params.x}", { lit: "${params.x}" }],
    ["a$${b}c$${", { lit: "a${b}c${" }],
    ["${params.x}", { ref: ["params", "x"] }],
    ["${stages.a-b.output.0.x_y}", { ref: ["stages", "a-b", "output", "0", "x_y"] }],
    ["a ${item} b", { text: ["a ", { ref: ["item"] }, " b"] }],
    ["${run.id}${index}", { text: [{ ref: ["run", "id"] }, { ref: ["index"] }] }],
    ["$${a}${item}", { text: ["${a}", { ref: ["item"] }] }],
    ["${item}$${b}", { text: [{ ref: ["item"] }, "${b}"] }],
  ])("reads %j", (text, expression) => {
    expect(parseExpression(text)).toMatchObject({ expression, problems: [] });
  });

  it("says where each reference stands", () => {
    expect(parseExpression("ab${item}c${run.id}").references).toEqual([
      { path: ["item"], offset: 2, length: 7 },
      { path: ["run", "id"], offset: 10, length: 9 },
    ]);
  });

  it.each([
    ["x${", 1, 2],
    ["x${}", 1, 3],
    ["${params..x}", 9, 1],
    ["${params.x.}", 11, 1],
    ["${.x}", 2, 1],
    ["${params.a b}", 9, 3],
    ["${ params.a}", 2, 7],
    ["${params.constructor}", 9, 11],
    ["ok ${item} bad ${HOME}", 17, 4],
  ])("points into %j", (text, offset, length) => {
    expect(parseExpression(text).problems).toMatchObject([{ offset, length }]);
  });

  it("gives back any text whose dollars before a brace were doubled", () => {
    assertProperty(
      fc.property(fc.array(fc.constantFrom("a", "}", ".", " ", OPEN)), (parts) => {
        const written = parts.map((part) => (part === OPEN ? `$${OPEN}` : part)).join("");
        const { expression, problems } = parseExpression(`${OPEN}item}${written}`);
        expect(problems).toEqual([]);
        expect(resolve(expression, () => "<>")).toEqual({ ok: true, value: `<>${parts.join("")}` });
      }),
    );
  });
});
