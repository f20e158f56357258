/** One MCP server as pawl.yaml declares it. */
export interface McpServerSpec {
  readonly name: string;
  /** What to start. */
  readonly argv: readonly string[];
  /** Sorted by name. */
  readonly env: readonly (readonly [name: string, value: string])[];
  /** Hosts it may reach, sorted; none: no network at all. */
  readonly network: readonly string[];
  /** Names of the tools that are used, with `*`; null: all. */
  readonly tools: readonly string[] | null;
  /** Of one call. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
}
