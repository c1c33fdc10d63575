"""An MCP host, with the official SDK: host.py SERVER CALLS

SERVER is {"command": [...]} or {"url": ...}, with "mode" as the SDK's Client has it. CALLS is a list
of [tool, arguments]. Prints what the server said as one line of JSON.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(server, calls):
    if "url" in server:
        target = server["url"]
    else:
        program, *arguments = server["command"]
        target = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    async with Client(target, mode=server.get("mode", "auto")) as client:
        tools = (await client.list_tools()).tools
        results = []
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            text = "\n".join(part.text for part in result.content)
            results.append({"ok": not result.is_error, "text": text})
        said = {
            "server": client.server_info.name,
            "instructions": client.instructions,
            "tools": {tool.name: tool.input_schema for tool in tools},
            "results": results,
        }
    print(json.dumps(said))


asyncio.run(main(json.loads(sys.argv[1]), json.loads(sys.argv[2])))
