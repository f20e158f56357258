/** What is known of the calls that are under way. An agent that never ends its calls, or never stops talking, must not fill this process. */

export interface Recent<T> {
  get(id: string): T | undefined;
  set(id: string, value: T): void;
  /** It is over. */
  forget(id: string): void;
}

const MOST = 64;

/** The oldest makes room for the newest: what is asked about a call that nobody knows is denied. */
export function createRecent<T>(most = MOST): Recent<T> {
  const known = new Map<string, T>();
  return {
    get: (id) => known.get(id),
    set: (id, value) => {
      known.delete(id);
      known.set(id, value);
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
    },
    forget: (id) => void known.delete(id),
  };
}

const MOST_TEXT = 1 << 20;

/** The end of what was said: answers stand there. */
export function lastOf(text: string, most = MOST_TEXT): string {
  return text.length <= 2 * most ? text : text.slice(-most);
}
