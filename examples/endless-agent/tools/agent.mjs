/** Asks the model again and again, as long as it gets an answer. It has a token of the gateway and no key. */
const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = process.env;

for (let call = 1; ; call += 1) {
  const response = await fetch(`${ANTHROPIC_BASE_URL}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": ANTHROPIC_API_KEY, "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "claude-haiku-4-5",
      max_tokens: 500,
      messages: [{ role: "user", content: "Are you done?" }],
    }),
  });
  const body = await response.json();
  if (!response.ok) {
    console.error(`call ${call}: ${response.status} ${body.error.message}`);
    process.exit(1);
  }
  console.log(`call ${call}: ${body.content[0].text}`);
}
