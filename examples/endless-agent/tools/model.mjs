/** A stand-in for a model: speaks the Messages wire on loopback and is always almost done. Prints its address, then each key it was given. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  console.log(request.headers["x-api-key"]);
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-haiku-4-5",
        content: [{ type: "text", text: "Almost done." }],
        stop_reason: "end_turn",
        usage: { input_tokens: 40, output_tokens: 400 },
      }),
    );
  });
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
