"""The model's endpoint: answers every request, and judges what it is shown.

A request may hold marks of one channel only, of the persona that asks, about the person who speaks, nothing
that was forgotten before the turn began, and no more than fits into the window.
"""

import http.server
import json
import random
import re
import sys
import threading
import time

LONGEST_HOLD = 15.0  # seconds
WORDS = "the crane stands at the pier and the ferry comes at noon with the mail for the lighthouse".split()


def text_of(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


class Judge:
    """Looks at one request."""

    def __init__(self, ledger, report, windows):
        self.ledger, self.report, self.windows = ledger, report, windows
        # as they are shown: a file without `display_name` shows its name with a capital letter
        self.others = tuple(f"{name.title()}: " for name in ledger.personas)

    def look(self, body):
        """Gives the marks of the request and the one that is to be answered."""
        persona = body["model"].split("-", 1)[1] if "-" in body["model"] else None
        small = body["model"].startswith("small-")
        whole = json.dumps(body["messages"], ensure_ascii=False)
        marks = self.ledger.marks_in(whole)
        said = [text_of(m.get("content")) for m in body["messages"] if m["role"] == "user"]
        # what other personas replied meanwhile stands behind the message that is answered
        spoken = [text for text in said if not text.startswith(self.others)]
        last = [m for m in self.ledger.marks_in(spoken[-1] if spoken else "") if m.kind in "cps"]
        asked = last[-1] if last else None
        self.channels(marks, asked, persona, small, body)
        self.forgotten(marks, body)
        self.window(body)
        return marks, asked

    def channels(self, marks, asked, persona, small, body):
        places = {mark.place for mark in marks if mark.kind == "c"}
        stateless = asked is not None and asked.kind == "s"
        if len(places) > 1 or (stateless and places):
            named = [self.ledger.channels[place] for place in sorted(places)]
            self.bad("a model was shown texts of several channels", f"{body['model']}: {named}", marks, body)
        channel = self.ledger.channels[asked.place] if asked and asked.kind in "cp" else None
        person = self.ledger.people[asked.person] if asked and not small and asked.kind in "cp" else None
        for mark in marks:
            if mark.kind == "s" and stateless:
                continue
            why = self.ledger.foreign(mark, channel, persona, person)
            if why:
                self.bad("a model was shown what it may not see", f"{body['model']}, asked {asked}: {mark}, {why}",
                         [m for m in (asked, mark) if m], body)

    def forgotten(self, marks, body):
        """The newest mark tells when the turn began at the earliest."""
        began = max((mark.sent_at for mark in marks if mark.forgotten_at is None), default=0.0)
        for mark in marks:
            if mark.forgotten_at is not None and began > mark.forgotten_at:
                late = round(began - mark.forgotten_at, 2)
                what = f"{body['model']}: {mark}, asked {late} s after it was forgotten"
                self.bad("a model was shown what was forgotten", what, [mark], body)

    def window(self, body):
        room = self.windows.get(body["model"])
        if room is None:
            return
        tokens = sum(len(text_of(m.get("content"))) for m in body["messages"]) // 4
        tokens += len(json.dumps(body.get("tools", []))) // 4 if body.get("tools") else 0
        wanted = body.get("max_completion_tokens") or body.get("max_tokens") or 0
        if tokens + wanted > room:
            what = f"{body['model']}: {tokens} tokens and {wanted} for the answer, window {room}"
            self.bad("a request does not fit the window", what, [], body)

    def bad(self, kind, what, marks, body):
        excerpts = []
        for message in body["messages"]:
            text = text_of(message.get("content"))
            for mark in marks[:4]:
                at = text.find(str(mark))
                if at >= 0:
                    excerpts.append(f"{message['role']}: …{text[max(0, at - 60):at + 60]!r}…")
        self.report.violation(kind, what, "; ".join(excerpts[:4]))


class Endpoint:
    """Serves on a port of its own until it is closed."""

    def __init__(self, ledger, report, windows, models, seed):
        self.judge = Judge(ledger, report, windows)
        self.report, self.models = report, models
        self.random = random.Random(f"{seed}/endpoint")
        self.faults = 0.02
        self.asked = 0
        self.held = {}  # (model, mark) -> (it was asked, it may answer)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.endpoint = self
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def hold(self, model, mark):
        """Holds the answer to a mark back until it may go: gives what tells that it was asked, and what lets
        it go."""
        held = self.held[model, mark] = (threading.Event(), threading.Event())
        return held

    def wait(self, body, mark):
        held = self.held.pop((body["model"], mark), None)
        if held:
            held[0].set()
            held[1].wait(LONGEST_HOLD)

    def reply(self, body):
        """What the model says: the text, or the call of a tool, and how slowly."""
        marks, asked = self.judge.look(body)
        self.asked += 1
        system = text_of(body["messages"][0].get("content")) if body["messages"] else ""
        # no two replies share a run of words, so that none passes for a quotation of another
        filler = " ".join(f"{self.random.choice(WORDS)}{self.random.randrange(10**6)}"
                          for _ in range(self.random.randint(3, 20)))
        own = [mark for mark in marks if mark.kind == "c" and mark.owner is None]
        if body["model"].startswith("small-"):
            newest = max(own, key=lambda mark: mark.serial, default=None)
            self.wait(body, newest)
            if "memories" in system and own:
                fact = {"text": f"the box {newest} is red", "kind": "fact", "action": "add"}
                said = json.dumps({"memories": [fact], "summary": f"They spoke of {newest}."})
            else:
                said = "They spoke of " + ", ".join(str(mark) for mark in own[:4]) + "."
            return said, None, self.random.random() * 0.6
        last = text_of(body["messages"][-1].get("content"))
        self.wait(body, asked)
        slow = 0.7 if "slowly" in last else self.random.random() * 0.03
        offered = {tool["function"]["name"] for tool in body.get("tools") or []}
        if asked and "Remember" in last and "remember" in offered and self.random.random() < 0.2:
            call = {"name": "remember", "arguments": json.dumps({"content": f"the lid of {asked} is blue"})}
            return None, call, slow
        if "quote everybody" in last:
            return "They said: " + "; ".join(quoted(mark, body) for mark in own) + f" {filler}.", None, slow
        return f"You said {asked}. {filler}.", None, slow


def quoted(mark, body):
    """The words around a mark, as they were said."""
    for message in body["messages"]:
        found = re.search(rf"(?:\w+ ){{0,3}}{mark}(?: \w+){{0,3}}", text_of(message.get("content")))
        if found:
            return found.group()
    return str(mark)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def handle_error(self, request, client_address):
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # that is a caller that was killed
            self.endpoint.report.violation("the judge of the model's requests failed", repr(error))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def document(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        models = [{"id": name, "object": "model"} for name in self.server.endpoint.models]
        self.document(200, {"object": "list", "data": models})

    def do_POST(self):
        endpoint = self.server.endpoint
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.path.endswith("/chat/completions"):
            return self.document(404, {"error": {"message": "no such route"}})
        said, call, slow = endpoint.reply(body)
        fault = None
        if endpoint.random.random() < endpoint.faults:
            fault = endpoint.random.choice(["429", "500", "reset", "broken"])
            endpoint.report.count(f"fault of the endpoint: {fault}")
        time.sleep(slow / 2)
        if fault in ("429", "500"):
            return self.document(int(fault), {"error": {"message": "not now", "type": "fault"}})
        if fault == "reset":
            self.close_connection = True
            return self.connection.close()
        if body.get("stream"):
            return self.stream(body, said, call, slow, fault == "broken")
        message = {"role": "assistant", "content": said}
        if call:
            message["tool_calls"] = [{"id": f"call{endpoint.asked}", "type": "function", "function": call}]
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        self.document(200, {**self.head(body, ""), "choices": [choice], "usage": usage})

    def head(self, body, chunk):
        number = self.server.endpoint.asked
        return {"id": f"c{number}", "object": f"chat.completion{chunk}", "created": 1, "model": body["model"]}

    def stream(self, body, said, call, slow, broken):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

        def send(text):
            data = text.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

        def chunk(delta, finish=None):
            choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
            send(f"data: {json.dumps({**self.head(body, '.chunk'), 'choices': choices})}\n\n")

        if call:
            chunk({"role": "assistant", "tool_calls": [
                {"index": 0, "id": f"call{self.server.endpoint.asked}", "type": "function", "function": call}
            ]})
        else:
            half = len(said) // 2
            chunk({"role": "assistant", "content": said[:half]})
            time.sleep(slow / 2)
            if broken:
                self.close_connection = True
                return self.connection.close()
            chunk({"content": said[half:]})
        chunk({}, "tool_calls" if call else "stop")
        if (body.get("stream_options") or {}).get("include_usage"):
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            send(f"data: {json.dumps({**self.head(body, '.chunk'), 'choices': [], 'usage': usage})}\n\n")
        send("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")
