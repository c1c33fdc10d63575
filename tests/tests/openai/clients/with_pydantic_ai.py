"""pydantic-ai with `openai:`, as its manual begins."""
import json, os, sys

base = sys.argv[1]
os.environ |= {"OPENAI_BASE_URL": base + "/v1", "OPENAI_API_KEY": "none"}
from pydantic import BaseModel
from pydantic_ai import Agent


def out(**said):
    print(json.dumps(said))


class City(BaseModel):
    name: str


agent = Agent("openai:ada", instructions="Be brief.")
first = agent.run_sync("hi")
out(text=first.output)
out(later=agent.run_sync("and again?", message_history=first.all_messages()).output)
with agent.run_stream_sync("hi") as streamed:
    out(streamed="".join(streamed.stream_text(delta=True)))

agent = Agent("openai:ada")


@agent.tool_plain
def weather(place: str) -> str:
    """Tells the weather."""
    return "rain in " + place


out(with_tool=agent.run_sync("How is the weather in Oslo?").output)
out(typed=Agent("openai:ada", output_type=City).run_sync("Which city?").output.name)
out(channel=Agent("openai:ada@den").run_sync("hi").output)
out(chat=Agent("openai-chat:ada").run_sync("hi").output)
