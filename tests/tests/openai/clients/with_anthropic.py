"""Anthropic's SDK with its default settings, but for base URL and key."""
import json, sys
from anthropic import Anthropic, beta_tool

base, key = sys.argv[1:3]
client = Anthropic(base_url=base, api_key=key)


def out(**said):
    print(json.dumps(said))


def ask(text, client=client, model="ada", **more):
    return client.messages.create(model=model, max_tokens=64, messages=[{"role": "user", "content": text}], **more)


message = ask("hi", system="Be brief.")
out(text=message.content[0].text, stop=message.stop_reason, tokens=message.usage.input_tokens)
out(events=[event.type for event in ask("hi", stream=True)])
with client.messages.stream(model="ada", max_tokens=64, system=[{"type": "text", "text": "Be brief."}],
                            messages=[{"role": "user", "content": "hi"}]) as stream:
    text = "".join(stream.text_stream)
    out(streamed=text, streamed_tokens=stream.get_final_message().usage.output_tokens)
out(models=[model.id for model in client.models.list()])

weather = {"name": "weather", "description": "Tells the weather",
           "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}}}
said = [{"role": "user", "content": "How is the weather in Oslo?"}]
first = client.messages.create(model="ada", max_tokens=64, messages=said, tools=[weather])
call = first.content[0]
out(call=[call.type, call.name, call.input, first.stop_reason])
said += [{"role": "assistant", "content": first.content},
         {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call.id, "content": "rain"}]}]
out(after_call=client.messages.create(model="ada", max_tokens=64, messages=said, tools=[weather]).content[0].text)


@beta_tool
def weather_of(place: str) -> str:
    """Tells the weather.

    Args:
        place: Where
    """
    return f"rain in {place}"


runner = client.beta.messages.tool_runner(model="ada", max_tokens=64, tools=[weather_of], messages=said[:1])
out(runner=[message.content[-1].type for message in runner])
out(counted=client.messages.count_tokens(model="ada", messages=said[:1]).input_tokens)

ask("Remember that the key is under the mat", model="ada@den")
bound = Anthropic(base_url=base + "/v1/c/den", api_key=key)
out(bound=ask("Where is the key?", client=bound).content[0].text)


def refused(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, error.status_code, error.body["type"], error.body["error"]["type"]]


out(refused=[
    refused(lambda: ask("x", model="eve")),
    refused(lambda: ask("x", model="ada@a b")),
    refused(lambda: ask("x", stop_sequences=[""])),
    refused(lambda: ask("x", client=Anthropic(base_url=base, api_key="wrong", max_retries=0))),
])
