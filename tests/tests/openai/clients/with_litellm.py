"""LiteLLM with its default settings, but for base URL and key."""
import json, os, sys

base = sys.argv[1]
# LiteLLM fetches its table of prices otherwise
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
import litellm

common = {"api_base": base + "/v1", "api_key": "none"}
said = [{"role": "user", "content": "hi"}]


def out(**said):
    print(json.dumps(said))


def text(answer):
    return answer.choices[0].message.content


out(chat=text(litellm.completion(model="openai/ada", messages=said, **common)))
stream = litellm.completion(model="openai/ada", messages=said, stream=True, **common)
out(streamed="".join(chunk.choices[0].delta.content or "" for chunk in stream))
out(channel=text(litellm.completion(model="openai/ada@den", messages=said, **common)))
response = litellm.responses(model="openai/ada", input="hi", **common)
out(response=response.output[0].content[0].text)
out(anthropic=text(litellm.completion(model="anthropic/ada", messages=said, api_base=base, api_key="none")))
out(ollama=text(litellm.completion(model="ollama_chat/ada", messages=said, api_base=base)))
vectors = litellm.embedding(model="openai/any", input=["hi"], **common)
out(dimension=len(vectors.data[0]["embedding"]))
