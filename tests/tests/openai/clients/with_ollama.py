"""Ollama's own client with its default settings, but for the host."""
import json, sys
from ollama import Client, ResponseError

base = sys.argv[1]
client = Client(host=base)


def out(**said):
    print(json.dumps(said))


def user(text):
    return [{"role": "user", "content": text}]


out(models=[model.model for model in client.list().models])
out(shown=client.show("ada").capabilities, running=len(client.ps().models))
answer = client.chat(model="ada", messages=user("hi"))
out(chat=answer.message.content, done=answer.done_reason)
pieces = list(client.chat(model="ada:latest", messages=user("hi"), stream=True, options={"num_predict": 9}))
out(chat_streamed="".join(piece.message.content for piece in pieces), last=pieces[-1].done)
out(generated=client.generate(model="ada", prompt="hi", system="Be brief.").response)
out(generate_streamed="".join(piece.response for piece in client.generate(model="ada", prompt="hi", stream=True)))
out(loaded=client.generate(model="ada").done_reason)


def weather(place: str) -> str:
    """Tells the weather."""
    return "rain in " + place


said = user("How is the weather in Oslo?")
first = client.chat(model="ada", messages=said, tools=[weather])
call = first.message.tool_calls[0].function
out(call=[call.name, dict(call.arguments)])
said += [first.message, {"role": "tool", "tool_name": call.name, "content": weather(**call.arguments)}]
out(after_call=client.chat(model="ada", messages=said, tools=[weather]).message.content)

vectors = client.embed(model="any", input=["the build takes six minutes", "hi"]).embeddings
out(vectors=len(vectors), dimension=len(vectors[0]), older=len(client.embeddings(model="any", prompt="hi").embedding))

client.chat(model="ada@den", messages=user("Remember that the key is under the mat"))
bound = Client(host=base + "/v1/c/den")
out(bound=bound.chat(model="ada", messages=user("Where is the key?")).message.content)


def refused(call):
    try:
        call()
    except ResponseError as error:
        return [error.status_code, error.error[:30]]


out(refused=[
    refused(lambda: client.chat(model="eve", messages=user("x"))),
    refused(lambda: client.chat(model="ada@a b", messages=user("x"))),
    refused(lambda: client.chat(model="ada", messages=[{"role": "user", "content": "x", "images": [b"AA"]}])),
])
