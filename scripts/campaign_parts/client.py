"""Clients of every manner: whole answers, streams, bodies that trickle, and callers who vanish."""

import http.client
import json
import socket
import time


class Answer:
    """A status, headers and a body; status 0 where there was none."""

    def __init__(self, status, body="", headers=None):
        self.status, self.body, self.headers = status, body, headers or {}

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


LOST = (OSError, http.client.HTTPException)


class Client:
    """One caller with one key."""

    def __init__(self, port, key, timeout):
        self.port, self.timeout = port, timeout
        self.headers = {"authorization": f"Bearer {key}"} if key else {}

    def get(self, path):
        return self.request("GET", path)

    def post(self, path, body, headers=None):
        return self.request("POST", path, body, headers)

    def request(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {"content-type": "application/json", **self.headers, **(headers or {})})
            answer = connection.getresponse()
            # a stream is cut where the process dies, and what came by then is all there is
            return Answer(answer.status, answer.read().decode(errors="replace"), dict(answer.getheaders()))
        except LOST as error:
            return Answer(0, repr(error))
        finally:
            connection.close()

    def head(self, method, path, body, headers=None):
        lines = {
            "host": f"127.0.0.1:{self.port}", "content-type": "application/json",
            "content-length": str(len(body)), **self.headers, **(headers or {}),
        }
        fields = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode()

    def open(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=self.timeout)

    def trickled(self, path, body, headers, seconds):
        """Sends the body in pieces, slowly."""
        data = json.dumps(body).encode()
        try:
            with self.open() as line:
                line.sendall(self.head("POST", path, data, {**headers, "connection": "close"}))
                step = max(1, len(data) // 5)
                for at in range(0, len(data), step):
                    line.sendall(data[at:at + step])
                    time.sleep(seconds / 5)
                answer = http.client.HTTPResponse(line, method="POST")
                answer.begin()
                return Answer(answer.status, answer.read().decode(errors="replace"), dict(answer.getheaders()))
        except LOST as error:
            return Answer(0, repr(error))

    def vanishing(self, path, body, headers, sent, read):
        """Sends a share of the body, reads so many bytes, and is gone. Gives the status it saw, or 0."""
        data = json.dumps(body).encode()
        try:
            with self.open() as line:
                line.sendall(self.head("POST", path, data, headers) + data[:int(len(data) * sent)])
                got = b""
                while len(got) < read:
                    more = line.recv(min(512, read - len(got)))
                    if not more:
                        break
                    got += more
                return int(got[9:12]) if got.startswith(b"HTTP/1.1 ") else 0
        except LOST:
            return 0

    def listen(self, path, seconds, last=None):
        """What a stream of events tells within so many seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        headers = {"accept": "text/event-stream", **self.headers}
        if last is not None:
            headers["last-event-id"] = last
        status, got, end = 0, b"", time.monotonic() + seconds
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            status = answer.status
            while time.monotonic() < end:
                connection.sock.settimeout(max(0.05, end - time.monotonic()))
                more = answer.read1(65536)
                if not more:
                    break
                got += more
        except LOST:
            pass  # the time is over, or the server is
        finally:
            connection.close()
        return Answer(status, got.decode(errors="replace"))


def events(stream):
    """The events of a stream, as dictionaries."""
    found = []
    for line in stream.splitlines():
        if line.startswith("data: {"):
            try:
                found.append(json.loads(line[6:]))
            except ValueError:
                pass  # cut in the middle
    return found
