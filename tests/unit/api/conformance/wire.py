"""Client for the local API that uses only the standard library: HTTP and WebSocket. The programs with checks import it."""

import base64
import http.client
import json
import os
import socket
import struct
import sys
import time
from urllib.parse import urlparse

URL, TOKEN, KEY, SESSION, WORKSPACE = (os.environ[name] for name in ("URL", "TOKEN", "KEY", "SESSION", "WORKSPACE"))
HOST, PORT = urlparse(URL).hostname, urlparse(URL).port
HEADERS = {"Authorization": f"Bearer {TOKEN}", "X-Client": "python", "X-Client-Key": KEY}


def call(method, path, body=None):
    connection = http.client.HTTPConnection(HOST, PORT)
    data = None if body is None else json.dumps(body)
    connection.request(method, path, data, {**HEADERS, **({"Content-Type": "application/json"} if data else {})})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


class WebSocket:
    def __init__(self):
        self.socket = socket.create_connection((HOST, PORT))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /ws HTTP/1.1", f"Host: {HOST}:{PORT}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *(f"{k}: {v}" for k, v in HEADERS.items())]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass
        self.count = 0

    def ask(self, name, **params):
        self.count += 1
        payload = json.dumps({"id": self.count, "type": f"code:{name}", "params": params}).encode()
        mask = os.urandom(4)
        size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack("!H", len(payload))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(b"\x81" + size + mask + masked)
        answer = json.loads(self.frame())
        assert answer["id"] == self.count
        if "error" in answer:
            raise Refused(answer["error"]["code"])
        return answer["result"]

    def frame(self):
        data = b""
        while True:
            first, second = self.file.read(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self.file.read(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self.file.read(8))
            data += self.file.read(length)
            if first & 0x80:
                return data


class Refused(Exception):
    pass


def code_of(work):
    try:
        work()
    except Refused as refused:
        return str(refused)
    return None


def run(dialog, content):
    """Sends a message and waits until its run ends. Approves every request."""
    at = f"/api/dialogs/{dialog}"
    before = sum(event["type"] == "done" for event in events_of(dialog))
    assert call("POST", f"{at}/messages", {"content": content, "mode": "agent"})[0] == 200
    answered = set()
    while True:
        events = events_of(dialog)
        if sum(event["type"] == "done" for event in events) > before:
            return events
        decided = {event["approval"] for event in events if event["type"] == "approval" and event["phase"] == "decided"}
        for event in events:
            if event["type"] == "approval" and event["approval"] not in decided | answered:
                answered.add(event["approval"])
                call("POST", f"{at}/approvals/{event['approval']}", {"approve": True})
        time.sleep(0.05)


def events_of(dialog):
    return call("GET", f"/api/dialogs/{dialog}/history?limit=500")[1]["events"]


checks = []


def check(function):
    checks.append(function)
    return function


def run_checks():
    failed = 0
    for function in checks:
        try:
            function()
            print("ok", function.__name__)
        except Exception as error:
            failed += 1
            print("not ok", function.__name__, repr(error))
    sys.exit(1 if failed else 0)
