/** What a person says to an agent that works: heard before its next turn, once. */
import type { Steering } from "./ports.ts";

export function createSteering(): Steering & { say(text: string): void } {
  let said: string[] = [];
  return {
    say: (text) => void said.push(text),
    take() {
      const taken = said;
      said = [];
      return taken;
    },
  };
}
