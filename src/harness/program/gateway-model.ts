/** A model behind the gateway, in the words of the wire that its provider speaks. Only that provider of the SDK is loaded. */
import type { ProgramTask } from "../../ports/agents/model-program.ts";
import type { ModelChoice } from "../agent.ts";

export async function openGatewayModel({
  model,
  wire,
  gateway: { url, token: apiKey },
}: Pick<ProgramTask, "model" | "wire" | "gateway">): Promise<Exclude<ModelChoice, string>> {
  switch (wire) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model);
    }
    case "responses": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses(model);
    }
    case "gemini": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model);
    }
    case "chat": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ name: "gateway", baseURL: `${url}/v1`, apiKey }).chatModel(model);
    }
  }
}
