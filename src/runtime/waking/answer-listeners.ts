/** Who wants to hear of answers that this process records. */

export interface AnswerListeners {
  /** An answer was recorded here, or what was due of questions. */
  tell(): void;
  /** Returns what ends it. */
  add(listener: () => void): () => void;
}

export function createAnswerListeners(): AnswerListeners {
  const listeners = new Set<() => void>();
  return {
    tell() {
      for (const listener of [...listeners]) listener();
    },
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
