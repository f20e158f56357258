/** The contract of the PolicyGate port. */
import { describe, expect, it } from "vitest";
import type { PolicyRequest } from "../../src/policy/request.ts";
import type { Effect, Rule } from "../../src/policy/rule.ts";
import type { PolicyGate } from "../../src/ports/policy-gate.ts";
import { slowness } from "../support/slowness.ts";

const BUILD: PolicyRequest = { kind: "run", argv: ["npm", "run", "build"] };
const SCRIPT: PolicyRequest = { kind: "shell", script: "npm run build" };
const WRITE: PolicyRequest = { kind: "action", action: "file.write" };

const rule = (effect: Effect, pattern: Rule["pattern"], id: string = effect): Rule => ({ id, effect, pattern });
const ANYTHING = [
  rule("allow", { run: ["**"] }, "run"),
  rule("allow", { shell: "**" }, "shell"),
  rule("allow", { action: "file.*" }, "action"),
];

/** What throws whatever is read from it, and cannot even be shown. */
const HOSTILE_ERROR = {
  toString() {
    throw new Error("not even this");
  },
};
const trap = (): never => {
  throw HOSTILE_ERROR;
};
const TRAP: object = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });

const HOSTILE_REQUESTS: Readonly<Record<string, unknown>> = {
  "nothing at all": undefined,
  null: null,
  "a text": "npm run build",
  "an empty object": {},
  "a kind that does not exist": { kind: "sudo", argv: ["npm"] },
  "a kind that every object has": { kind: "constructor" },
  "a kind that is an object": { kind: { toString: () => "run" }, argv: ["npm"] },
  "no arguments": { kind: "run" },
  "an empty list of arguments": { kind: "run", argv: [] },
  "an empty program": { kind: "run", argv: ["", "x"] },
  "arguments that are no list": { kind: "run", argv: "npm" },
  "an argument that is no text": { kind: "run", argv: ["npm", { toString: () => "test" }] },
  "a list with a hole": { kind: "run", argv: Object.assign(["npm"], { length: 3 }) },
  "a script that is no text": { kind: "shell", script: { startsWith: () => true, endsWith: () => true, length: 9 } },
  "an action that is no text": { kind: "action", action: { startsWith: () => true } },
  "an object that throws": TRAP,
};

const HOSTILE_RULES: Readonly<Record<string, unknown>> = {
  "nothing at all": undefined,
  null: null,
  "a text": "allow",
  "a list of nothing": [null],
  "an empty rule": [{}],
  "a pattern that is missing": [{ id: "x", effect: "allow" }],
  "a pattern that is no list": [{ id: "x", effect: "allow", pattern: { run: "npm" } }],
  "an effect that does not exist": [{ id: "x", effect: "ALLOW", pattern: { run: ["**"] } }],
  "a list that throws": TRAP,
  "a rule that throws": [TRAP],
};

/** A text is made of programs, so a rule that allows every program allows a text of them. */
const covered = (id: string): readonly string[] => (id === "run" ? ["run", "shell"] : [id]);

export function policyGateContract(name: string, create: () => PolicyGate): void {
  describe(`PolicyGate contract: ${name}`, () => {
    it.each([BUILD, SCRIPT, WRITE])("denies what no rule names: $kind", (request) => {
      const others = [
        rule("allow", { run: ["make"] }),
        rule("allow", { shell: "make*" }),
        rule("ask", { action: "web.*" }),
      ];
      for (const rules of [[], others]) {
        expect(create().decide(rules, request)).toEqual({ effect: "deny", rule: "default", why: expect.any(String) });
      }
    });

    it.each(ANYTHING)("allows only the kind that a rule names: $id", (only) => {
      const decisions = [BUILD, SCRIPT, WRITE].map((request) => [
        request.kind,
        create().decide([only], request).effect,
      ]);
      expect(decisions).toEqual(
        ["run", "shell", "action"].map((kind) => [kind, covered(only.id).includes(kind) ? "allow" : "deny"]),
      );
    });

    it("lets the strictest rule win, whatever the order", () => {
      const pattern = { run: ["npm", "**"] };
      const all = [rule("allow", pattern), rule("ask", pattern), rule("deny", pattern)];
      for (const shift of [0, 1, 2]) {
        const rules = [...all.slice(shift), ...all.slice(0, shift)];
        expect(create().decide(rules, BUILD)).toMatchObject({ effect: "deny", rule: "deny" });
        const milder = rules.filter(({ effect }) => effect !== "deny");
        expect(create().decide(milder, BUILD)).toMatchObject({ effect: "ask", rule: "ask" });
      }
    });

    it("names the rule and says why", () => {
      const because = "It cannot be undone.";
      const asked = { ...rule("ask", { run: ["npm", "**"] }, "blueprint.ask[0]"), because };
      expect(create().decide([asked], BUILD)).toEqual({ effect: "ask", rule: "blueprint.ask[0]", why: because });
      const allowed = create().decide([rule("allow", { action: "file.write" }, "blueprint.allow[0]")], WRITE);
      expect(allowed).toMatchObject({ effect: "allow", rule: "blueprint.allow[0]" });
      expect(allowed.why).toContain("blueprint.allow[0]");
    });

    it.each(Object.entries(HOSTILE_REQUESTS))("denies a request that is %s, and never throws", (_name, request) => {
      const ask = create().decide(ANYTHING, request as PolicyRequest);
      expect(ask).toEqual({ effect: "deny", rule: "default", why: expect.any(String) });
      const reasoned = ANYTHING.map((each) => ({ ...each, because: "anything goes" }));
      expect(create().decide(reasoned, request as PolicyRequest)).toMatchObject({ effect: "deny", rule: "default" });
    });

    it.each(Object.entries(HOSTILE_RULES))("denies by rules that are %s, and never throws", (_name, rules) => {
      for (const request of [BUILD, SCRIPT, WRITE]) {
        const decision = create().decide(rules as readonly Rule[], request);
        expect(decision).toEqual({ effect: "deny", rule: "default", why: expect.any(String) });
      }
    });

    it("denies when one of many rules cannot be evaluated", () => {
      expect(create().decide([...ANYTHING, null as never], BUILD)).toMatchObject({ effect: "deny", rule: "default" });
    });

    it("decides about long text and many stars without delay", () => {
      const script = `${"ab".repeat(100_000)}!`;
      const begun = performance.now();
      expect(
        create().decide([rule("allow", { shell: `*${"ab*".repeat(200)}?` })], { kind: "shell", script }).effect,
      ).toBe("deny");
      expect(performance.now() - begun).toBeLessThan(500 * slowness());
    });

    it("changes neither rules nor request", () => {
      const rules = Object.freeze(
        ANYTHING.map((each) => Object.freeze({ ...each, pattern: Object.freeze(each.pattern) })),
      );
      const request = Object.freeze({ kind: "run", argv: Object.freeze(["npm"]) }) as PolicyRequest;
      expect(create().decide(rules, request)).toEqual(create().decide(rules, request));
    });
  });
}
