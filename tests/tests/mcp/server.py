"""An MCP server that does as a test says: server.py STATE

STATE is a file with {"tools": [{"name", "description", "says"}]}, read anew for every request. Beside
them there are `tell`, which says that the tools changed, and `die`. STATE.started gets the
id of the process. With {"deep": N} every schema nests N objects, with {"hangs": true} nothing is answered.
"""

import json
import os
import sys
import time

state = sys.argv[1]
with open(state + ".started", "w") as file:
    file.write(str(os.getpid()))
with open(state) as file:
    if json.load(file).get("hangs"):
        time.sleep(600)


def send(message):
    text = json.dumps({"jsonrpc": "2.0", **message})
    with open(state) as file:
        deep = json.load(file).get("deep", 0)
    print(text.replace('"properties": {}', '"properties": ' + '{"a":' * deep + "{}" + "}" * deep), flush=True)


def tools():
    with open(state) as file:
        return json.load(file)["tools"]


def listed(name, description):
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {}}}


def answer(method, params):
    if method == "initialize":
        version = params["protocolVersion"]
        about = {"name": "test", "version": "1"}
        capabilities = {"tools": {"listChanged": True}}
        return {"protocolVersion": version, "serverInfo": about, "capabilities": capabilities}
    if method == "tools/list":
        own = [listed("tell", "Tells."), listed("die", "Dies.")]
        return {"tools": [listed(t["name"], t["description"]) for t in tools()] + own}
    if method == "tools/call":
        if params["name"] == "die":
            sys.exit(1)
        if params["name"] == "tell":
            send({"method": "notifications/tools/list_changed"})
            return {"content": [{"type": "text", "text": "told"}]}
        said = next(t["says"] for t in tools() if t["name"] == params["name"])
        return {"content": [{"type": "text", "text": said}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        send({"id": request["id"], "result": answer(request["method"], request.get("params", {}))})
