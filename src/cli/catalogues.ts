/** Every error code there is, for `pawl explain`. A catalogue that is missing here fails a test. */
import type { Catalogue, ProblemSpec } from "../base/diagnostic.ts";
import { DIALECT_ERRORS } from "../blueprint/dialects/errors.ts";
import { OPENLOOP_ERRORS } from "../blueprint/dialects/openloop/errors.ts";
import { BLUEPRINT_ERRORS } from "../blueprint/errors.ts";
import { PLAN_ERRORS } from "../plan/errors.ts";
import { EXECUTION_ERRORS } from "../ports/agents/execution-errors.ts";
import { MCP_ERRORS } from "../ports/agents/mcp-errors.ts";
import { SKILL_ERRORS } from "../ports/agents/skill-errors.ts";
import { ACTION_ERRORS } from "../ports/errors/action-errors.ts";
import { ARTIFACT_ERRORS } from "../ports/errors/artifact-errors.ts";
import { EGRESS_ERRORS } from "../ports/errors/egress-errors.ts";
import { FILE_ERRORS } from "../ports/errors/file-errors.ts";
import { GATEWAY_ERRORS } from "../ports/errors/gateway-errors.ts";
import { GIT_ERRORS } from "../ports/errors/git-errors.ts";
import { HARNESS_ERRORS } from "../ports/errors/harness-errors.ts";
import { JOURNAL_ERRORS } from "../ports/errors/journal-errors.ts";
import { LEDGER_ERRORS } from "../ports/errors/ledger-errors.ts";
import { SANDBOX_ERRORS } from "../ports/errors/sandbox-errors.ts";
import { SIGNER_ERRORS } from "../ports/errors/signer-errors.ts";
import { TOOL_ERRORS } from "../ports/errors/tool-errors.ts";
import { WORKSPACE_ERRORS } from "../ports/errors/workspace-errors.ts";
import { LANE_ERRORS } from "../ports/loops/lane-errors.ts";
import { RUN_ERRORS } from "../run/errors.ts";
import { RUNTIME_ERRORS } from "../runtime/errors.ts";
import { SERVE_ERRORS } from "../runtime/serve/errors.ts";
import { CLI_ERRORS } from "./errors.ts";

export const CATALOGUES: readonly Catalogue[] = [
  BLUEPRINT_ERRORS,
  DIALECT_ERRORS,
  OPENLOOP_ERRORS,
  PLAN_ERRORS,
  RUN_ERRORS,
  JOURNAL_ERRORS,
  LEDGER_ERRORS,
  LANE_ERRORS,
  ARTIFACT_ERRORS,
  FILE_ERRORS,
  ACTION_ERRORS,
  SANDBOX_ERRORS,
  EGRESS_ERRORS,
  GATEWAY_ERRORS,
  GIT_ERRORS,
  SIGNER_ERRORS,
  TOOL_ERRORS,
  HARNESS_ERRORS,
  WORKSPACE_ERRORS,
  SKILL_ERRORS,
  EXECUTION_ERRORS,
  MCP_ERRORS,
  RUNTIME_ERRORS,
  SERVE_ERRORS,
  CLI_ERRORS,
];

export interface Explanation {
  readonly code: string;
  /** `{name}` stands for a fact of the moment. */
  readonly what: string;
  readonly why: string;
  readonly hint: string;
  readonly retry: ProblemSpec["retry"];
  readonly exit: ProblemSpec["exit"];
}

/** Sorted by code. */
export function explainAll(): readonly Explanation[] {
  return CATALOGUES.flatMap((catalogue) => Object.entries(catalogue))
    .map(([code, spec]) => ({
      code,
      what: inGeneral(spec.what),
      why: spec.why,
      hint: inGeneral(spec.hint),
      retry: spec.retry,
      exit: spec.exit,
    }))
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

function inGeneral(part: string | ((facts: never) => string)): string {
  return typeof part === "string" ? part : String(part(ANY_FACTS));
}

/** Stands for a fact nobody has yet: prints as `{name}` whatever a sentence does with it. */
function anyFact(name: string): unknown {
  const text = `{${name}}`;
  return new Proxy(() => text, {
    apply: () => anyFact(name),
    get: (_target, key) => {
      if (key === Symbol.toPrimitive || key === "toString" || key === "toJSON") return () => text;
      if (key === Symbol.iterator) return () => [text][Symbol.iterator]();
      return anyFact(name);
    },
  });
}

const ANY_FACTS = new Proxy({}, { get: (_target, key) => anyFact(String(key)) }) as never;
