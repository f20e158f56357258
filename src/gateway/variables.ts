/** The variables that lead the usual clients to the gateway. Every one of them takes the token for the key of its provider. */

export function gatewayVariables(url: string, token: string): Readonly<Record<string, string>> {
  return {
    PAWL_GATEWAY_URL: url,
    PAWL_GATEWAY_TOKEN: token,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: token,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: token,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: token,
  };
}
