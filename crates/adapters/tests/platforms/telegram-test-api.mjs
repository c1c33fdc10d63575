// telegram-test-api with one person: prints its address, then every text of the bot; a line on stdin is what the person says.
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const [, , modules, token] = process.argv;
const TelegramServer = createRequire(`${modules}/telegram-test-api/`)("telegram-test-api");

const free = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
const tell = (what) => console.log(JSON.stringify(what));

const server = new TelegramServer({ port: await free(), host: "127.0.0.1" });
await server.start();
tell({ url: server.config.apiURL });
server.on("AddedBotMessage", () => tell(server.storage.botMessages.at(-1).message.text));
const jo = server.getClient(token, { userId: 7, chatId: 7, firstName: "Jo" });
for await (const line of createInterface({ input: process.stdin })) {
  await jo.sendMessage(jo.makeMessage(JSON.parse(line)));
}
