"""LlamaIndex' default, `OpenAI` of llama-index-llms-openai.

It looks the window of a model up by its name and refuses names that OpenAI does not have, before it sends
anything. The name of a tuned model passes: `ft:BASE:PERSONA`. `ada` alone passes, too, since OpenAI once had a
model of that name; then LlamaIndex asks `/v1/completions` and fetches a table of tokens first, which no test may.
"""
import json, sys
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai import OpenAI, OpenAIResponses

base = sys.argv[1]
common = {"api_base": base + "/v1", "api_key": "none"}


def out(**said):
    print(json.dumps(said))


said = [ChatMessage(role="system", content="Be brief."), ChatMessage(role="user", content="hi")]
llm = OpenAI(model="ft:gpt-4o-mini:ada", **common)
out(text=llm.complete("hi").text)
out(chat=llm.chat(said).message.content)
out(streamed="".join(piece.delta for piece in llm.stream_chat(said)))
out(channel=OpenAI(model="ft:gpt-4o-mini:ada@den", **common).complete("hi").text)
out(responses=OpenAIResponses(model="ada", context_window=8192, **common).chat(said).message.content)
