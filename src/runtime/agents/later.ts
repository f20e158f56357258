type Method = (...call: readonly unknown[]) => unknown;

/** A part that is loaded with its first use: many programs that embed Pawl, and most commands, start no process. */
export function later<T extends object>(methods: readonly (keyof T & string)[], load: () => Promise<T>): T {
  let loaded: Promise<T> | null = null;
  const call = (method: keyof T): Method => {
    return async (...args) => {
      loaded ??= load();
      const part = await loaded;
      return (part[method] as Method)(...args);
    };
  };
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as T;
}
