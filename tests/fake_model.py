"""A local server with an OpenAI-compatible endpoint, whose answers the function `say` makes from the messages.

`python -m tests.fake_model PORT` answers with a random one of the turns listed in the last message."""

import json
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from examples.llm.one_seat import any_listed

Say = Callable[[list[dict[str, Any]]], Any]


def server(say: Say, port: int = 0) -> ThreadingHTTPServer:
    """Make the server. say: returns the answer to the messages of a request: the text, bytes to send unchanged, an
    HTTP status, or a dict with an error, or with the message's content and its finish_reason."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.server.asked.append((asked, dict(self.headers)))  # type: ignore[attr-defined]
            answer = say(asked["messages"])
            if isinstance(answer, int):
                self.send_error(answer)
                return
            if isinstance(answer, dict) and "error" in answer:
                self.send_response(answer["status"])
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())
                return
            streamed = bool(asked.get("stream"))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if streamed else "application/json")
            self.end_headers()
            self.wfile.write(answer if isinstance(answer, bytes) else b"".join(_told(asked["model"], answer, streamed)))

        def log_message(self, *_: Any) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    made.asked = []  # type: ignore[attr-defined]
    made.handle_error = lambda *_: None  # type: ignore[method-assign]  # the client has hung up
    return made


def _told(model: str, answer: Any, streamed: bool) -> Iterator[bytes]:
    said = answer if isinstance(answer, dict) else {"content": answer}
    message, ended = {"role": "assistant", "content": said["content"]}, said.get("finish_reason", "stop")
    same = {"id": "1", "created": 0, "model": model}
    usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    if not streamed:
        choice = {"index": 0, "message": message, "finish_reason": ended}
        yield json.dumps(same | {"object": "chat.completion", "choices": [choice], "usage": usage}).encode()
        return
    for delta, reason in ((message, None), ({}, ended)):
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        chunk = same | {"object": "chat.completion.chunk", "choices": choices} | ({"usage": usage} if reason else {})
        yield f"data: {json.dumps(chunk)}\n\n".encode()
    yield b"data: [DONE]\n\n"


@contextmanager
def answering(say: Say, port: int = 0) -> Iterator[Any]:
    """Run the server and yield it; `server_port` is its port, `asked` the list of requests and their headers."""
    made = server(say, port)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()


def any_turn() -> Say:
    """Return a `say` that names a random one of the turns that the last message lists, the same for the same message:
    requests come in any order."""

    def say(messages: list[dict[str, Any]]) -> str:
        listed = str(messages[-1]["content"])
        return any_listed(listed, random.Random(listed))

    return say


if __name__ == "__main__":
    server(any_turn(), int(sys.argv[1])).serve_forever()
