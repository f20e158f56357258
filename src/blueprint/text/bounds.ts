/** How much text is read: what is longer was not written by a person, and reading it could stall everything else. */
export interface TextBounds {
  readonly bytes: number;
  readonly tokens: number;
}

export const USUAL_BOUNDS: TextBounds = { bytes: 256 * 1024, tokens: 250_000 };
/** `pawl.yaml` has every loop of a project: 10,000 of them, with room for what each says. */
export const PROJECT_BOUNDS: TextBounds = { bytes: 2 * 1024 * 1024, tokens: 1_000_000 };
