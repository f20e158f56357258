/** Something that is made with its first use and then kept. */
export interface SharedAttempt<T> {
  /** Callers that come together share one attempt. A failed attempt is not kept: the next caller begins another. */
  get(): Promise<T>;
  /** What was made, or is being made; null: nothing, and nothing is made now. */
  kept(): Promise<T | null>;
  /** The next caller makes it again, if it is still this one that is kept. */
  drop(made: T): void;
}

export function sharedAttempt<T>(make: () => Promise<T>): SharedAttempt<T> {
  let attempt: Promise<T> | null = null;
  let made: { readonly of: T } | null = null;

  async function begin(): Promise<T> {
    try {
      const result = await make();
      made = { of: result };
      return result;
    } catch (error) {
      attempt = null;
      throw error;
    }
  }

  return {
    get() {
      attempt ??= begin();
      return attempt;
    },
    async kept() {
      return attempt?.catch(() => null) ?? null;
    },
    drop(stale) {
      if (made?.of !== stale) return;
      made = null;
      attempt = null;
    },
  };
}
