// Vercel's AI SDK with its default provider for OpenAI, which speaks the responses API.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [base, tools] = process.argv.slice(2)
const require = createRequire(pathToFileURL(tools + '/package.json'))
const load = async (name) => import(pathToFileURL(require.resolve(name)))
const { createOpenAI } = await load('@ai-sdk/openai')
const { embed, generateText, jsonSchema, stepCountIs, streamText, tool } = await load('ai')

const out = (said) => console.log(JSON.stringify(said))
const openai = createOpenAI({ baseURL: base + '/v1', apiKey: 'none' })
const model = openai('ada')

out({ text: (await generateText({ model, prompt: 'hi', system: 'Be brief.' })).text })
const streamed = streamText({ model, prompt: 'hi' })
let text = ''
for await (const piece of streamed.textStream) text += piece
out({ streamed: text, finish: await streamed.finishReason })

// a conversation that goes on: the SDK refers to the reply before by its item's id
const messages = [{ role: 'user', content: 'hi' }]
const first = await generateText({ model, messages })
messages.push(...first.response.messages, { role: 'user', content: 'and again?' })
out({ later: (await generateText({ model, messages })).text })

const weather = tool({
  description: 'Tells the weather',
  inputSchema: jsonSchema({ type: 'object', properties: { place: { type: 'string' } }, required: ['place'], additionalProperties: false }),
  execute: async ({ place }) => 'rain in ' + place,
})
const rounds = await generateText({ model, prompt: 'How is the weather in Oslo?', tools: { weather }, stopWhen: stepCountIs(3) })
out({ rounds: rounds.steps.length, text: rounds.text })
const again = streamText({ model, prompt: 'How is the weather in Rome?', tools: { weather }, stopWhen: stepCountIs(3) })
out({ streamedRounds: await again.text, calls: (await again.steps)[0].toolCalls.map((call) => call.input) })

out({ channel: (await generateText({ model: openai('ada@den'), prompt: 'hi' })).text })
const below = createOpenAI({ baseURL: base + '/v1/c/den', apiKey: 'none' })
out({ below: (await generateText({ model: below('ada'), prompt: 'hello' })).text })
out({ dimension: (await embed({ model: openai.embedding('any'), value: 'hi' })).embedding.length })
