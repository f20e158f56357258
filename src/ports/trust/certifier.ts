/** Certifier: makes the certificate of a run, signed and stored; see `gates/certificate`. */
import type { RunId } from "../../base/ids.ts";
import type { CertificateRef } from "../../run/events.ts";
import type { Moment } from "../../run/record/certified.ts";

export interface Certified {
  readonly ref: CertificateRef;
  /** A line that names it, for the message of a commit. */
  readonly trailer: string;
  /** Markdown, for the body of a pull request. */
  readonly summary: string;
}

export interface Certifier {
  /**
   * The certificate over what is stored of the run up to the moment; the same each time. null: no tree was verified then.
   * Rejects with SIGNER_*, ARTIFACT_*, WORKSPACE_*: then there is none.
   */
  certify(run: RunId, moment: Moment): Promise<Certified | null>;
}
