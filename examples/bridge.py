#!/usr/bin/env python3
"""A bridge between Greenroom and a chat of one's own: here the terminal. Replace `deliver` and `main` with calls of your
platform. Needs nothing but Python.

    BRIDGE_SECRET=… examples/bridge.py http://127.0.0.1:7420/api/bridge/mychat 8099

Reads lines from stdin, `ann: hello`, and prints what personas say. docs/platforms/bridge.md has the format.
"""

import hashlib
import hmac
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["BRIDGE_SECRET"].encode()
WINDOW = 300  # seconds
delivered = {}  # idempotency keys and the ids of their messages; a real bridge keeps them for a day, on the disk
lock = threading.Lock()


def signature(direction, timestamp, body):
    """`in` for what the bridge sends to Greenroom, `out` for what it gets."""
    signed = f"v1.{direction}.{timestamp}.".encode() + body
    return "v1=" + hmac.new(SECRET, signed, hashlib.sha256).hexdigest()


def tell(url, event):
    """Tells Greenroom an event, again and again until it has it. The event keeps its id, so nothing happens twice."""
    body = json.dumps(event).encode()
    pause = 1
    while True:
        timestamp = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "Greenroom-Timestamp": timestamp,
            "Greenroom-Signature": signature("in", timestamp, body),
        }
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
                return json.load(answer)["result"]
        except urllib.error.HTTPError as error:
            if error.code == 409:
                return "duplicate"
            if error.code == 400:
                raise
            print(f"Greenroom answers {error.code}; trying again", file=sys.stderr, flush=True)
        except OSError as error:
            print(f"{error}; trying again", file=sys.stderr, flush=True)
        time.sleep(pause)
        pause = min(2 * pause, 60)


def deliver(message):
    """Shows a message on the platform; returns the platform's id of it."""
    print(f"{message['persona']['display_name']}: {message['text']}", flush=True)
    return uuid.uuid4().hex


class FromGreenroom(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        timestamp = self.headers.get("Greenroom-Timestamp", "")
        expected = signature("out", timestamp, body)
        # the signature first: nothing of the body is read before it is proven
        if not hmac.compare_digest(expected, self.headers.get("Greenroom-Signature", "")):
            return self.answer(401, {})
        if abs(time.time() - int(timestamp)) > WINDOW:
            return self.answer(401, {})
        message, key = json.loads(body), self.headers["Idempotency-Key"]
        if message["type"] == "notice":
            print(f"(to {message['to']}) {message['text']}", flush=True)
        if message["type"] != "message":
            return self.answer(200, {})
        with lock:
            if key not in delivered:
                delivered[key] = deliver(message)
            return self.answer(200, {"event_id": delivered[key]})

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    url, port = sys.argv[1], int(sys.argv[2])
    server = ThreadingHTTPServer(("127.0.0.1", port), FromGreenroom)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"listening at http://127.0.0.1:{server.server_port}", file=sys.stderr, flush=True)
    for line in sys.stdin:
        name, _, text = line.strip().partition(": ")
        event = {
            "event_id": uuid.uuid4().hex,
            "channel": "lobby",
            "author": {"id": name, "name": name.capitalize()},
            "text": text,
        }
        tell(url, event)


if __name__ == "__main__":
    main()
