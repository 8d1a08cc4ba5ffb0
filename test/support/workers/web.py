"""A load-balanced worker that a test leads by the paths it asks for. It listens on PORT, and answers /ping there.

/echo        JSON of the request: method, path, headers, size and hash of the body, trailers
/wait?gate=F answers when the file F exists; `/work?ms=20` after so many milliseconds
/events?gate=F  server-sent events 0, 1, 2: event n when the file F-n exists
/slow-read?gate=F reads nothing of the body before the file F exists
/cut         half an answer, then the end of the process; `/die` ends it without an answer
/hang-up     closes the connection without an answer
/form?...    other forms of answers, see `forms`
/raw?base64=  these bytes, whatever they are
/socket      a WebSocket that echoes text; the text "close 4001 bye" closes it with that code and reason

The file PING_FILE, if that is set, holds the status of /ping; without the file it answers 200.
"""

import base64
import hashlib
import json
import os
import struct
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LOOK_EVERY_S = 0.005
WORKER = os.environ["RUNPOD_POD_ID"]


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(LOOK_EVERY_S)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __getattr__(self, name):  # any method, also those that nobody has thought of
        if name.startswith("do_"):
            return self.route
        raise AttributeError(name)

    def log_message(self, *_args):
        pass

    def route(self):
        url = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        name = url.path.strip("/").split("/")[0].replace("-", "_") or "echo"
        getattr(self, f"on_{name}", self.on_nothing)(query)

    def pieces(self):
        """The body piece by piece; trailers of a chunked one are kept."""
        self.trailers = {}
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline().split(b";")[0], 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            while line := self.rfile.readline().strip().decode():
                trailer, value = line.split(":", 1)
                self.trailers[trailer] = value.strip()
            return
        left = int(self.headers.get("Content-Length", 0))
        while left > 0:
            piece = self.rfile.read(min(left, 65536))
            if not piece:
                return
            left -= len(piece)
            yield piece

    def send(self, value, status=200, headers=()):
        body = json.dumps(value).encode()
        self.send_response(status)
        for header, text in [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *headers]:
            self.send_header(header, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def on_nothing(self, _query):
        for _ in self.pieces():
            pass
        self.send({"error": "no such route"}, 404)

    def on_ping(self, _query):
        try:
            with open(os.environ["PING_FILE"]) as file:
                status = int(file.read() or 200)
        except (KeyError, OSError):
            status = 200
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def on_echo(self, _query):
        size, digest = 0, hashlib.sha256()
        for piece in self.pieces():
            size += len(piece)
            digest.update(piece)
        headers = [[name, value] for name, value in self.headers.items()]
        body = {"size": size, "sha256": digest.hexdigest(), "trailers": self.trailers}
        facts = {"method": self.command, "path": self.path, "headers": headers, **body, "worker": WORKER, "pid": os.getpid(), "port": int(os.environ["PORT"])}
        self.send(facts, headers=[("X-Method", self.command)])

    def on_wait(self, query):
        for _ in self.pieces():
            pass
        wait_for(query["gate"])
        self.send({"worker": WORKER})

    def on_work(self, query):
        for _ in self.pieces():
            pass
        time.sleep(int(query["ms"]) / 1000)
        self.send({"worker": WORKER})

    def on_slow_read(self, query):
        wait_for(query["gate"])
        self.send({"size": sum(len(piece) for piece in self.pieces())})

    def on_events(self, query):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for n in range(3):
            wait_for(f"{query['gate']}-{n}")
            self.wfile.write(f"data: {n}\n\n".encode())

    def on_die(self, _query):
        os._exit(3)

    def on_cut(self, _query):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"half")
        self.wfile.flush()
        time.sleep(0.05)  # so that the half has left
        os._exit(3)

    def on_hang_up(self, _query):
        self.close_connection = True

    def on_form(self, query):
        for _ in self.pieces():
            pass
        self.wfile.write(FORMS[query["form"]])

    def on_raw(self, query):
        self.wfile.write(base64.b64decode(query["base64"]))

    def on_socket(self, _query):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade")]:
            self.send_header(name, value)
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while (frame := self.read_frame()) is not None:
            opcode, data = frame
            if opcode == 8:  # closing frames are answered with the same code
                print(f"closed {struct.unpack('>H', data[:2])[0]} {data[2:].decode()}", flush=True)
                self.write_frame(8, data)
                return
            words = data.decode().split(" ", 2)
            if words[0] == "close":
                self.write_frame(8, struct.pack(">H", int(words[1])) + words[2].encode())
                self.read_frame()
                return
            self.write_frame(opcode, data)

    def read_frame(self):
        head = self.rfile.read(2)
        if len(head) < 2:
            return None
        length = head[1] & 127
        if length == 126:
            length = struct.unpack(">H", self.rfile.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.rfile.read(8))[0]
        mask = self.rfile.read(4)
        data = self.rfile.read(length)
        return head[0] & 15, bytes(byte ^ mask[n % 4] for n, byte in enumerate(data))

    def write_frame(self, opcode, data):
        size = bytes([len(data)]) if len(data) < 126 else b"\x7e" + struct.pack(">H", len(data))
        self.wfile.write(bytes([128 | opcode]) + size + data)
        self.wfile.flush()


# Answers byte by byte, by the names that `/form?form=` takes.
FORMS = {
    "204": b"HTTP/1.1 204 No Content\r\nX-Form: a\r\n\r\n",
    "304": b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 5\r\n\r\n',
    "cookies": b"HTTP/1.1 200 Fine\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2; Path=/\r\nset-cookie: c=3\r\nContent-Length: 0\r\n\r\n",
    "hop": b"HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: timeout=9\r\n"
    b"Proxy-Authenticate: Basic\r\nX-Other: 2\r\nContent-Length: 0\r\n\r\n",
    "trailers": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n",
    "hints": b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "no-http": b"this is no HTTP\r\n\r\n",
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


if __name__ == "__main__":
    server = Server((os.environ.get("LISTEN_HOST", "127.0.0.1"), int(os.environ["PORT"])), Handler)
    print("listens", flush=True)
    server.serve_forever()
