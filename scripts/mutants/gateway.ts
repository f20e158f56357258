/** Guards of the model gateway: who may call, what may be spent, what is told to whom. */
import type { Mutant } from "./mutant.ts";

const GUARDS = ["test/integration/gateway-guards.test.ts"];
const METERING = ["test/integration/gateway-metering.test.ts"];
const UPSTREAM = ["test/integration/gateway-upstream.test.ts"];
const REPLAY = ["test/integration/gateway-replay.test.ts"];

export const GATEWAY_MUTANTS: readonly Mutant[] = [
  {
    name: "a call without a token passes",
    file: "src/gateway/server.ts",
    find: "if (open === null) return refuse(",
    replace: "if (open === undefined) return refuse(",
    tests: GUARDS,
  },
  {
    name: "any token is good",
    file: "src/gateway/grants.ts",
    find: "if (given.some((each) => timingSafeEqual(each, digest))) return open;",
    replace: "if (given.length >= 0 || timingSafeEqual(digest, digest)) return open;",
    tests: GUARDS,
  },
  {
    name: "the token of a closed grant is good",
    file: "src/gateway/grants.ts",
    find: "      digests.delete(open);\n",
    replace: "",
    tests: GUARDS,
  },
  {
    name: "a call that the ledger refuses is sent",
    file: "src/gateway/call.ts",
    find: "if (!answer.granted) {",
    replace: "if (!answer.granted && open.asked < 0) {",
    tests: GUARDS,
  },
  {
    name: "a budget of calls is not kept",
    file: "src/gateway/call.ts",
    find: "grant.calls !== null && open.calls >= grant.calls",
    replace: "grant.calls !== null && open.calls < 0",
    tests: GUARDS,
  },
  {
    name: "a provider that is not listed is asked",
    file: "src/gateway/call.ts",
    find: "grant.providers?.includes(provider) ?? true",
    replace: "grant.providers?.includes(provider) || true",
    tests: GUARDS,
  },
  {
    name: "credentials of a client are passed on",
    file: "src/gateway/http/headers.ts",
    find: "const TO_PROVIDER =\n  /^(?:accept|",
    replace: "const TO_PROVIDER =\n  /^(?:accept|cookie|openai-organization|",
    tests: GUARDS,
  },
  {
    name: "the token of a client is passed on in the query",
    file: "src/gateway/server.ts",
    find: '  query.delete("key");\n',
    replace: "",
    tests: GUARDS,
  },
  {
    name: "an error that repeats the key is passed on as it is",
    file: "src/gateway/call.ts",
    find: 'isGood ? whole : Buffer.from(parts.redact(whole.toString("utf8")))',
    replace: "isGood ? whole : Buffer.from(whole)",
    tests: GUARDS,
  },
  {
    name: "a header that repeats the key is passed on as it is",
    file: "src/gateway/http/headers.ts",
    find: "[name, clean(value)]",
    replace: "[name, value]",
    tests: GUARDS,
  },
  {
    name: "a page in a browser may call under another name",
    file: "src/gateway/server.ts",
    find: "if (!isOwnHost(host))",
    replace: "if (!isOwnHost(host) && host === undefined)",
    tests: GUARDS,
  },
  {
    name: "a request of any size is read",
    file: "src/gateway/http/body.ts",
    find: "if (bytes > mostBytes) return null;",
    replace: "if (bytes < 0) return null;",
    tests: ["src/gateway/http/body.test.ts"],
  },
  {
    name: "a cut stream costs only what was said",
    file: "src/gateway/charge.ts",
    find: "isWhole ? tokens : { ...tokens, output: Math.max(tokens.output, worst.output) }",
    replace: "isWhole ? tokens : { ...tokens }",
    tests: METERING,
  },
  {
    name: "an answer that does not say what it took is free",
    file: "src/gateway/charge.ts",
    find: "if (tokens === null) return reserved(",
    replace: "if (tokens === null && worst.tokens > 0) return FREE;\n  if (tokens === null) return reserved(",
    tests: METERING,
  },
  {
    name: "a model without a price is free",
    file: "src/gateway/charge.ts",
    find: "const usage = { tokens: total, microUsd: worst.microUsd };",
    replace: "const usage = { tokens: total, microUsd: 0 };",
    tests: METERING,
  },
  {
    name: "the end of an answer is seen before it is settled",
    file: "src/gateway/call.ts",
    find: "  await settle(passage, {\n    candidate,\n    status,\n",
    replace: "  void settle(passage, {\n    candidate,\n    status,\n",
    tests: [...GUARDS, ...METERING],
  },
  {
    name: "a replay that has no answer makes one up",
    file: "src/gateway/record/player.ts",
    find: "if (found === undefined || found.response === null) throw new ReplayMiss(candidate.model, order);\n    return { ...found, response: found.response };",
    replace:
      "const any = found ?? calls[0];\n    if (any === undefined || any.response === null) throw new ReplayMiss(candidate.model, order);\n    return { ...any, response: any.response };",
    tests: REPLAY,
  },
  {
    name: "a record keeps secrets",
    file: "src/gateway/record/recorder.ts",
    find: "response: response === null ? null : redact(response),",
    replace: "response,",
    tests: REPLAY,
  },
  {
    name: "a file of keys that others can read is used",
    file: "src/gateway/keys.ts",
    find: "if ((bits & OTHERS) !== 0 || !isOurs)",
    replace: "if (!isOurs)",
    tests: ["src/gateway/keys.test.ts"],
  },
  {
    name: "a stage gets a door that stays open",
    file: "src/kernel/models.ts",
    find: "  } finally {\n    await door.close();\n  }",
    replace: "  } finally {\n    await null;\n  }",
    tests: ["src/kernel/models.test.ts"],
  },
  {
    name: "a replay that missed a call is a success",
    file: "src/kernel/models.ts",
    find: "if (missed === 0)",
    replace: "if (missed >= 0)",
    tests: ["src/kernel/models.test.ts"],
  },
  {
    name: "a provider is heard however slowly the client reads",
    file: "src/gateway/http/send-request.ts",
    find: "if (!stream.push(bytes)) controller.pause();",
    replace: "stream.push(bytes);",
    tests: UPSTREAM,
  },
  {
    name: "an answer that breaks off unread ends the process",
    file: "src/gateway/http/send-request.ts",
    find: '  stream.on("error", () => undefined);\n',
    replace: "",
    tests: UPSTREAM,
  },
  {
    name: "a call that was left before it was sent is sent",
    file: "src/gateway/http/send-request.ts",
    find: "if (signal.aborted) return controller.abort(signal.reason as Error);",
    replace: "",
    tests: UPSTREAM,
  },
];
