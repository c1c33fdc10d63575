// emulate as Slack, with one person and one bot in a channel: prints where it is, then takes what the person says, a line
// each. emulate has no route by which an app names its Request URL, so the subscription is made in its dispatcher.
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , modules, requestUrl] = process.argv;
const dist = `${modules}/emulate/dist`;
let subscriptions;
for (const name of readdirSync(dist)) {
  const file = `${dist}/${name}`;
  if (!name.endsWith(".js") || !readFileSync(file, "utf8").includes("slackPlugin")) continue;
  const { slackPlugin } = await import(file);
  if (!slackPlugin) continue;
  const register = slackPlugin.register;
  slackPlugin.register = (app, store, webhooks, ...rest) => {
    subscriptions = webhooks;
    return register(app, store, webhooks, ...rest);
  };
}
const { createEmulator } = await import(`${dist}/api.js`);
const [token, person, secret] = ["xoxb-emulate-bot", "xoxp-emulate-jo", "emulate-signing-secret"];
const emulator = await createEmulator({
  service: "slack",
  port: 0,
  seed: {
    slack: {
      signing_secret: secret,
      users: [
        { name: "jo", real_name: "Jo" },
        { name: "troupe", real_name: "Troupe" },
      ],
      channels: [{ name: "stage" }],
      tokens: [
        { token, type: "bot", user: "troupe" },
        { token: person, type: "user", user: "jo" },
      ],
    },
  },
});
subscriptions.register({ url: requestUrl, events: ["*"], active: true, owner: "slack" });
const call = async (method, bearer, body) => {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const answer = await fetch(`${emulator.url}/api/${method}`, { method: "POST", headers, body: JSON.stringify(body) });
  const told = await answer.json();
  if (!told.ok) throw new Error(`${method}: ${JSON.stringify(told)}`);
  return told;
};
const { channels } = await call("conversations.list", person, {});
const channel = channels.find(({ name }) => name === "stage").id;
for (const bearer of [person, token]) await call("conversations.join", bearer, { channel }).catch(() => {});
console.log(JSON.stringify({ url: emulator.url, token, secret, channel }));
for await (const line of createInterface({ input: process.stdin })) {
  await call("chat.postMessage", person, { channel, text: JSON.parse(line) });
}
