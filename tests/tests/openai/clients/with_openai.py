"""OpenAI's SDK with its default settings: chats, responses, completions, vectors, whole and streamed."""
import json, sys
from openai import OpenAI

base = sys.argv[1]
client = OpenAI(base_url=base + "/v1", api_key="none")


def out(**said):
    print(json.dumps(said))


def user(text):
    return [{"role": "user", "content": text}]


out(models=[model.id for model in client.models.list()])
out(chat=client.chat.completions.create(model="ada", messages=user("hi")).choices[0].message.content)
stream = client.chat.completions.create(model="ada", messages=user("hi"), stream=True)
out(chat_streamed="".join(chunk.choices[0].delta.content or "" for chunk in stream))

response = client.responses.create(model="ada", input="hi", instructions="Be brief.")
out(response=response.output_text, status=response.status, id=response.id[:5])
events = list(client.responses.create(model="ada", input=user("hi"), stream=True))
out(events=[event.type for event in events], numbers=[event.sequence_number for event in events])
with client.responses.stream(model="ada", input="hi") as stream:
    text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
    out(response_streamed=text, final=stream.get_final_response().output_text)

out(completion=client.completions.create(model="ada", prompt="hi").choices[0].text)
stream = client.completions.create(model="ada", prompt="hi", stream=True)
out(completion_streamed="".join(chunk.choices[0].text for chunk in stream))

# the SDK asks for base64 unless it is told otherwise
one = client.embeddings.create(model="any", input="the build takes six minutes").data[0].embedding
floats = client.embeddings.create(model="any", input=["the build takes six minutes", "hi"], encoding_format="float")
same = max(abs(a - b) for a, b in zip(one, floats.data[0].embedding))
out(dimension=len(one), length=round(sum(x * x for x in one), 3), same=same < 1e-6, vectors=len(floats.data))

# a function, its call, its result
weather = {"type": "function", "name": "weather", "description": "Tells the weather", "strict": True,
           "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"],
                          "additionalProperties": False}}
said = user("How is the weather in Oslo?")
first = client.responses.create(model="ada", input=said, tools=[weather])
call = first.output[0]
out(call=[call.type, call.name, json.loads(call.arguments)])
said += first.output + [{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}]
out(after_call=client.responses.create(model="ada", input=said, tools=[weather]).output_text)

# a channel by the model's name, and by the base URL
client.chat.completions.create(model="ada@den", messages=user("Remember that the key is under the mat"))
first = client.responses.create(model="ada@den", input="Where is the key?")
second = client.responses.create(model="ada@den", input="And the cat?", previous_response_id=first.id)
out(store=second.store, previous=second.previous_response_id == first.id)
bound = OpenAI(base_url=base + "/v1/c/den", api_key="none")
out(models_below=[model.id for model in bound.models.list()])
out(bound=bound.responses.create(model="ada", input="And the dog?").output_text)


def refused(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, error.status_code, error.body.get("param"), error.body["message"]]


out(refused=[
    refused(lambda: client.responses.create(model="ada", input="x", previous_response_id=first.id)),
    refused(lambda: client.responses.create(model="ada@attic", input="x", previous_response_id=first.id)),
    refused(lambda: client.responses.create(model="ada", input="x", tools=[{"type": "web_search"}])),
    refused(lambda: client.responses.create(model="eve@den", input="x")),
    refused(lambda: client.responses.create(model="ada@a b", input="x")),
    refused(lambda: client.embeddings.create(model="any", input=[1, 2, 3])),
    refused(lambda: client.embeddings.create(model="any", input="x", dimensions=3)),
    refused(lambda: client.completions.create(model="ada", prompt=[1, 2, 3])),
])
