/** What vendors really said, from public threads. */
import { CLAUDE } from "./claude-messages.ts";
import { claude, codex, copilot, credit, gemini, github, overloaded, quota, rate, type Said } from "./said.ts";

const CODEX: readonly Said[] = [
  {
    source: codex(3899),
    at: "2025-09-19T12:00:00Z",
    text: "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
    ...{ kind: quota, until: "2025-09-25T10:11:00Z" },
  },
  {
    source: codex(3124),
    at: "2025-09-03T08:00:00Z",
    text: "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 17 hours 14 minutes.",
    ...{ kind: quota, until: "2025-09-06T01:14:00Z" },
  },
  {
    source: codex(3031),
    at: "2025-09-01T10:00:00Z",
    text: "🖐  You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 3 hours 2 minutes.",
    ...{ kind: quota, until: "2025-09-01T13:02:00Z" },
  },
  {
    source: codex(3257),
    at: "2025-09-07T00:00:00Z",
    text: "You've hit your usage limit. Try again in 4 days 20 hours 9 minutes.",
    ...{ kind: quota, until: "2025-09-11T20:09:00Z" },
  },
  {
    source: codex(21047),
    at: "2026-05-04T11:36:00Z",
    zone: "Europe/Madrid",
    text: "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at May 11th, 2026 1:36 PM.",
    ...{ kind: quota, until: "2026-05-11T11:36:00Z" },
  },
  {
    source: codex(26668),
    at: "2026-06-05T18:19:00Z",
    zone: "Europe/Amsterdam",
    text: "You've hit your usage limit. Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again at Jul 5th, 2026 8:19 PM.",
    ...{ kind: quota, until: "2026-07-05T18:19:00Z" },
  },
  {
    source: codex(41689),
    at: "2026-08-30T10:00:00Z",
    zone: "Asia/Shanghai",
    text: "You have reached the usage limit. Upgrade or add credits to continue, or try again after September 6, 2026, 11:15.",
    ...{ kind: quota, until: "2026-09-06T03:15:00Z" },
  },
  {
    // A date in another language is not understood, and not guessed.
    source: codex(28089),
    at: "2026-06-13T15:07:00Z",
    zone: "America/Sao_Paulo",
    text: "You've hit your usage limit. Upgrade your plan to continue, or try again at 10 de jul. de 2026, 11:52.",
    ...{ kind: quota, until: null },
  },
  {
    source: codex(2669),
    at: "2025-08-25T09:00:00Z",
    text: "🖐 You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing), or wait for limits to reset (every 5h and every week.).",
    ...{ kind: quota, until: null },
  },
  {
    source: github("earendil-works/pi/issues/4172"),
    at: "2026-05-04T19:24:56Z",
    text: 'Error: Codex error: {"type":"error","error":{"type":"usage_limit_reached","message":"The usage limit has been\n reached","plan_type":"plus","resets_at":1777936568,"eligible_promo":null,"resets_in_seconds":13872},"status_code":429',
    ...{ kind: quota, until: "2026-05-04T23:16:08Z" },
  },
  {
    source: github("james-6-23/codex2api/issues/9"),
    at: "2026-03-28T16:20:26Z",
    status: 429,
    text: '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"free","resets_at":1775317531,"resets_in_seconds":602705}}',
    ...{ kind: quota, until: "2026-04-04T15:45:31Z" },
  },
  {
    source: github("icebear0828/codex-proxy/issues/65"),
    at: "2026-03-13T08:09:32Z",
    status: 429,
    headers: {
      "x-codex-primary-used-percent": "100",
      "x-codex-secondary-used-percent": "0",
      "x-codex-primary-reset-after-seconds": "471285",
      "x-codex-secondary-reset-after-seconds": "0",
      "x-codex-primary-reset-at": "1773860656",
      "x-codex-secondary-reset-at": "",
    },
    ...{ kind: quota, until: "2026-03-18T19:04:16Z" },
  },
  {
    source: codex(23304),
    at: "2026-05-18T12:00:00Z",
    text: "exceeded retry limit, last status: 429 Too Many Requests",
    ...{ kind: rate, until: null },
  },
  {
    source: github("FoundationAgents/MetaGPT/issues/523"),
    at: "2023-12-04T00:00:00Z",
    text: "openai.error.RateLimitError: Rate limit reached for gpt-4 in organization org-x on tokens per min (TPM): Limit 10000, Used 8554, Requested 3082. Please try again in 9.816s. Visit https://platform.openai.com/account/rate-limits to learn more.",
    ...{ kind: rate, until: "2023-12-04T00:00:09.816Z" },
  },
  {
    source: codex(88),
    at: "2025-04-16T00:00:00Z",
    text: "[Error]: Rate limit reached for o4-mini in organization org-x on tokens per min (TPM): Limit 200000, Used 162960, Requested 42288. Please try again in 1.574s.",
    ...{ kind: rate, until: "2025-04-16T00:00:01.574Z" },
  },
  {
    source: github("BuilderIO/micro-agent/issues/86"),
    at: "2025-07-09T00:00:00Z",
    text: "429 Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms.",
    ...{ kind: rate, until: "2025-07-09T00:00:00.644Z" },
  },
  {
    source: github("daveshap/Medical_Intake/issues/9"),
    at: "2023-09-30T00:00:00Z",
    text: 'Error communicating with OpenAI: "Rate limit reached for 10KTPM-200RPM in organization org-x on tokens per min. Limit: 10000 / min. Please try again in 6ms. Contact us',
    ...{ kind: rate, until: "2023-09-30T00:00:00.006Z" },
  },
];

const GEMINI: readonly Said[] = [
  {
    source: gemini(25103),
    at: "2026-04-10T00:00:00Z",
    text: "[Backend Error] You have exhausted your capacity on this model. Your quota will reset after 4h28m20s. (HTTP 429)",
    ...{ kind: quota, until: "2026-04-10T04:28:20Z" },
  },
  {
    source: github("Wei-Shaw/claude-relay-service/issues/746"),
    at: "2025-12-03T01:45:41Z",
    text: '[API Error: {"error":{"message":"You have exhausted your capacity on this model. Your quota will reset after\n  5h59m59s.","type":"api_error","upstreamStatus":429',
    ...{ kind: quota, until: "2025-12-03T07:45:40Z" },
  },
  {
    source: github("Wei-Shaw/claude-relay-service/issues/746"),
    at: "2025-12-03T01:45:40Z",
    text: '"status":"RESOURCE_EXHAUSTED","details":[{"reason":"QUOTA_EXHAUSTED","metadata":{"model":"gemini-3-pro-preview","quotaResetDelay":"5h59m59.960323804s","quotaResetTimeStamp":"2025-12-03T07:45:40Z"}},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"21599.960323804s"}]',
    ...{ kind: quota, until: "2025-12-03T07:45:40Z" },
  },
  {
    source: gemini(13004),
    at: "2025-11-13T00:00:00Z",
    text: '✕ [API Error: [{ "error": { "code": 429, "message": "You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.", "errors": [',
    ...{ kind: quota, until: "2025-11-13T08:44:07Z" },
  },
  {
    source: gemini(22107),
    at: "2026-03-12T00:00:00Z",
    text: "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 5s.. Retrying after 6173ms...",
    ...{ kind: quota, until: "2026-03-12T00:00:05Z" },
  },
  {
    // It says that it is over already: that is now.
    source: github("Cars-10/get-shit-done-gemini/issues/2"),
    at: "2026-01-25T00:00:00Z",
    text: "gemini You have exhausted your capacity on this model. Your quota will reset after 0s",
    ...{ kind: quota, until: "2026-01-25T00:00:00Z" },
  },
  {
    source: gemini(22643),
    at: "2026-03-16T20:00:00Z",
    text: "Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.",
    ...{ kind: quota, until: "2026-03-17T01:57:00Z" },
  },
  {
    source: gemini(10513),
    at: "2025-10-03T18:00:00Z",
    text: "\"message\": \"Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per \n  tier' of service 'cloudcode-pa.googleapis.com' for consumer 'project_number:681255809395'.\",",
    ...{ kind: quota, until: "2025-10-04T07:00:00Z" },
  },
  {
    source: gemini(7709),
    at: "2025-12-04T18:00:00Z",
    text: "You've hit your daily limit of requests with Gemini 2.5 Pro.",
    ...{ kind: quota, until: "2025-12-05T08:00:00Z" },
  },
  {
    source: gemini(1841),
    at: "2025-06-26T00:00:00Z",
    text: '[API Error: {"error":{"message":"{\\n  \\"error\\": {\\n    \\"code\\": 429,\\n    \\"message\\": \\"Resource has been exhausted (e.g. check quota).\\",\\n    \\"status\\": \\"RESOURCE_EXHAUSTED\\"\\n',
    ...{ kind: rate, until: null },
  },
  {
    source: github("RooCodeInc/Roo-Code/issues/3883"),
    at: "2025-06-12T00:00:00Z",
    text: 'got status: 429 Too Many Requests. {"error":{"message":"{\\n  \\"error\\": {\\n    \\"code\\": 429,\\n    \\"message\\": \\"You exceeded your current quota, please check your plan and billing details.\\",\\n    \\"status\\": \\"RESOURCE_EXHAUSTED\\",\\n    \\"details\\": [\\n      {\\n        \\"@type\\": \\"type.googleapis.com/google.rpc.RetryInfo\\",\\n        \\"retryDelay\\": \\"26s\\"\\n      }',
    ...{ kind: quota, until: "2025-06-12T00:00:26Z" },
  },
  {
    source: github("voideditor/void/issues/557"),
    at: "2025-05-12T00:00:00Z",
    text: '\\"status\\": \\"RESOURCE_EXHAUSTED\\",\\n \\"details\\": [\\n {\\n \\"quotaId\\": \\"GenerateRequestsPerDayPerProjectPerModel-FreeTier\\" },\\n {\\n \\"@type\\": \\"type.googleapis.com/google.rpc.RetryInfo\\",\\n \\"retryDelay\\": \\"5s\\"\\n }',
    ...{ kind: rate, until: "2025-05-12T00:00:05Z" },
  },
  {
    source: github("diegosouzapw/OmniRoute/issues/9504"),
    at: "2026-08-01T06:14:23.628Z",
    status: 429,
    text: '"message": "You exceeded your current quota, please check your plan and billing details.\\nPlease retry in 36.429760048s.", "status": "RESOURCE_EXHAUSTED", "details": [ { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36s" } ]',
    ...{ kind: quota, until: "2026-08-01T06:15:00.058Z" },
  },
  {
    source: gemini(8437),
    at: "2025-09-14T13:10:00Z",
    text: "Generate error: 429 RESOURCE_EXHAUSTED. {'error': {'code': 429, 'message': 'You exceeded your current quota, please check your plan and billing details.', 'status': 'RESOURCE_EXHAUSTED', 'details': [{'violations': [{'quotaId': 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'",
    ...{ kind: quota, until: "2025-09-15T07:00:00Z" },
  },
  {
    source: github("ai-christianson/RA.Aid/issues/182"),
    at: "2025-04-08T00:00:00Z",
    text: '│ Encountered ResourceExhausted: 429 Gemini 2.5 Pro Preview doesn\'t have a free quota tier. │\n│ "https://ai.google.dev/gemini-api/docs/rate-limits" } , retry_delay { seconds: 33 } ]. Retrying in 8s...    │',
    ...{ kind: rate, until: "2025-04-08T00:00:33Z" },
  },
];

const OTHERS: readonly Said[] = [
  {
    source: copilot(2336),
    at: "2026-03-27T00:00:00Z",
    text: "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours. Please review our Terms of Service",
    ...{ kind: quota, until: "2026-03-27T02:00:00Z" },
  },
  {
    source: copilot(2696),
    at: "2026-04-14T00:00:00Z",
    text: "✗ Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time \n  period. Please try again in 58 hours. Please review our Terms of Service",
    ...{ kind: quota, until: "2026-04-16T10:00:00Z" },
  },
  {
    source: copilot(2740),
    at: "2026-04-15T00:00:00Z",
    text: "Sorry, you have been rate-limited. Please wait 2 minutes before trying again or consider switching to Auto.",
    ...{ kind: rate, until: "2026-04-15T00:02:00Z" },
  },
  {
    source: copilot(2828),
    at: "2026-04-18T20:00:00Z",
    zone: "America/Chicago",
    text: "You've reached your weekly rate limit. Please wait for your limit to reset on April 20, 2026 at 2:00 AM or switch to \nauto model to continue.",
    ...{ kind: quota, until: "2026-04-20T07:00:00Z" },
  },
  {
    source: github("jasonacox/TinyLLM/issues/17"),
    at: "2025-02-02T00:00:00Z",
    text: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2023-05-15 have exceeded token rate limit of your current AIServices S0 pricing tier. Please retry after 86400 seconds.",
    ...{ kind: quota, until: "2025-02-03T00:00:00Z" },
  },
  {
    source: github("microsoft/action-python/issues/12"),
    at: "2023-05-03T00:00:00Z",
    text: "have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 3 seconds. Please go here: https://aka.ms/oai/quotaincrease",
    ...{ kind: rate, until: "2023-05-03T00:00:03Z" },
  },
  {
    source: github("pollinations/pollinations/issues/6260"),
    at: "2025-12-21T01:27:42.111Z",
    text: "azure-openai error: The system is currently experiencing high demand and cannot process your request. Your request exceeds the maximum usage size allowed during peak load. Please retry after 20 seconds.",
    ...{ kind: overloaded, until: "2025-12-21T01:28:02.111Z" },
  },
  {
    source: github("Azure-Samples/azure-search-openai-demo/issues/177"),
    at: "2023-05-04T00:00:00Z",
    text: "Error: Rate limit is exceeded. Try again in 30 seconds.",
    ...{ kind: rate, until: "2023-05-04T00:00:30Z" },
  },
  {
    source: github("continuedev/continue/issues/10920"),
    at: "2026-02-28T00:00:00Z",
    text: "429 Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s. Need more tokens%3F",
    ...{ kind: rate, until: "2026-02-28T00:09:38.016Z" },
  },
  {
    source: github("danielmiessler/Fabric/issues/364"),
    at: "2024-04-24T00:00:00Z",
    text: "Error code: 429 - {'error': {'message': 'Rate limit reached for model `llama3-70b-8192` in organization `org_x` on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903. Please try again in 50.597142857s. Visit",
    ...{ kind: rate, until: "2024-04-24T00:00:50.598Z" },
  },
  {
    source: github("Pythagora-io/gpt-pilot/issues/862"),
    at: "2024-04-10T00:00:00Z",
    status: 429,
    headers: {
      "retry-after": "2",
      "x-ratelimit-remaining-requests": "14370",
      "x-ratelimit-remaining-tokens": "17997",
      "x-ratelimit-reset-requests": "2m59.56s",
      "x-ratelimit-reset-tokens": "7.66s",
    },
    ...{ kind: rate, until: "2024-04-10T00:00:02Z" },
  },
  {
    source: github("anomalyco/opencode/issues/49170"),
    at: "2026-09-15T00:00:00Z",
    text: "weekly usage limit reached. It will reset in 5 days 10 hours. To continue using this model now, enable usage from your available balance -",
    ...{ kind: quota, until: "2026-09-20T10:00:00Z" },
  },
  {
    source: github("anomalyco/opencode/issues/42686"),
    at: "2026-08-15T00:00:00Z",
    text: "“Monthly usage limit reached. It will reset in 10 days 19 hours.”",
    ...{ kind: quota, until: "2026-08-25T19:00:00Z" },
  },
  {
    source: github("anomalyco/opencode/issues/27492"),
    at: "2026-05-14T00:00:00Z",
    text: "Free usage exceeded, subscribe to Go",
    ...{ kind: quota, until: null },
  },
  {
    source: github("CodebuffAI/freebuff/issues/1050"),
    at: "2026-08-19T00:00:00Z",
    text: "⚠️ You have used all of today’s free usage on this account. Anything already running keeps going. Come back in 3h 47m — your free usage resets automatically at midnight Pacific.",
    ...{ kind: quota, until: "2026-08-19T03:47:00Z" },
  },
  {
    source: github("Gitlawb/openclaude/issues/936"),
    at: "2026-04-28T15:00:00Z",
    status: 429,
    text: '"message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day"',
    ...{ kind: quota, until: "2026-04-29T00:00:00Z" },
  },
  {
    source: github("LionSR/TeXRA/pull/9865"),
    at: "2026-08-07T00:00:00Z",
    text: "{ error: { code: '1310', message: 'Weekly/Monthly Limit Exhausted... reset at 2026-08-14T00:00:00Z' } }",
    ...{ kind: quota, until: "2026-08-14T00:00:00Z" },
  },
  {
    source: github("minorun365/agent-book/issues/29"),
    at: "2026-01-08T00:00:00Z",
    text: "botocore.errorfactory.ThrottlingException: An error occurred (ThrottlingException) when calling the Converse operation (reached max retries: 4): Too many tokens per day, please wait before trying again.",
    ...{ kind: quota, until: null },
  },
  {
    source: claude(236),
    at: "2025-02-28T00:00:00Z",
    text: "429 Too many tokens, please wait before trying again.",
    ...{ kind: rate, until: null },
  },
  {
    source: github("continuedev/continue/issues/10373"),
    at: "2026-02-09T00:00:00Z",
    text: '429 "Your team x has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."',
    ...{ kind: credit, until: null },
  },
  {
    source: github("astrio-labs/forall/issues/76"),
    at: "2025-11-23T00:00:00Z",
    text: '{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but\ncan only afford 2666.","code":402}}\nRetrying in 0.2 seconds...',
    ...{ kind: credit, until: null },
  },
];

export const SAID: readonly Said[] = [...CLAUDE, ...CODEX, ...GEMINI, ...OTHERS];
