/** What tools attach waits in memory until the answer is delivered, so there is only so much of it. */
import { diagnose } from "../../base/diagnostic.ts";
import { visibleLine } from "../../base/visible.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import type { ToolFile } from "../tools/tool.ts";
import { ToolProblem } from "../tools/tool-problem.ts";

export interface AttachmentBounds {
  readonly files: number;
  /** Of all of them together. */
  readonly bytes: number;
}

export const ATTACHMENT_BOUNDS: AttachmentBounds = { files: 20, bytes: 50 * 1024 * 1024 };

export interface Attachments {
  /** In the order in which they came. */
  readonly files: readonly ToolFile[];
  /** Throws a ToolProblem for one that is too much. */
  attach(file: ToolFile): void;
  /** What was said of the first that was too much, whether its tool has told the model or not; null: there was none. */
  refused(): string | null;
}

const LONGEST_NAME = 120;

export function createAttachments(bounds: AttachmentBounds): Attachments {
  const files: ToolFile[] = [];
  let held = 0;
  let refused: string | null = null;
  return {
    files,
    refused: () => refused,
    attach(file) {
      const bytes = held + file.bytes.byteLength;
      const problem = problemOf(bounds, files.length, bytes);
      if (problem === null) {
        held = bytes;
        files.push(file);
        return;
      }
      const name = visibleLine(file.name, LONGEST_NAME);
      const { what, why, hint } = diagnose(HARNESS_ERRORS, "HARNESS_ATTACHMENT_REFUSED", { name, problem });
      refused ??= what;
      throw new ToolProblem(`${what} ${why} ${hint}`);
    },
  };
}

function problemOf(most: AttachmentBounds, files: number, bytes: number): string | null {
  if (files >= most.files) return `${files} attachments are queued already, and no more than ${most.files} are allowed`;
  if (bytes <= most.bytes) return null;
  return `it would be ${bytes} bytes of attachments, and no more than ${most.bytes} are allowed`;
}
