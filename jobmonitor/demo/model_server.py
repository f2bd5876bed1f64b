"""A scripted model behind the OpenAI-compatible API on loopback: it costs nothing and can misbehave on order.

Answers come from the product's own rules, so a whole crawl runs against it offline. Every request is kept in a log,
written when it arrives: whoever is killed while waiting has sent it all the same. See docs/model.md.
"""

from __future__ import annotations

import argparse
import hmac
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import orjson

from jobmonitor.demo.loopback import LoopbackServer
from jobmonitor.demo.model_behaviours import BEHAVIOURS, CUT_OFF, SILENT, UNCOUNTED, WEB_PAGE, Denied, Said
from jobmonitor.demo.model_script import Script
from jobmonitor.domain.canonical import content_hash
from jobmonitor.extraction.prompting import document_of, is_repair

MODEL = "scripted"
#: Bytes per token of the pretended tokenizer.
BYTES_PER_TOKEN = 3
#: A shared prefix is found in the cache in steps of so many tokens.
CACHE_STEP = 128
_PAGE = b"<!doctype html><title>Maintenance</title><p>Back soon.</p>"
#: Nothing hangs longer, in seconds.
LONGEST = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as the server got it, and what it was going to answer."""

    number: int
    #: Seconds since the epoch.
    at: float
    #: Of the document between the fences; empty if there was none.
    content_hash: str
    #: extract | repair
    purpose: str
    behaviour: str
    status: int
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    model: str = ""
    #: How the JSON form was asked for: the `type` of response_format.
    response_format: str = ""


class ModelServer:
    """Answers until `stop`, in threads of its own.

    Args:
        script: what it does; may be replaced while it runs.
        log: file that gets a JSON line per request, beside the log in memory.
        key: the API key that clients must send; None = any.
        model: the one model there is.
        port: 0 = any free one.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        log: Path | None = None,
        key: str | None = None,
        model: str = MODEL,
        port: int = 0,
    ) -> None:
        self.script = script or Script()
        self.model = model
        self.stopping = threading.Event()
        self._key = key
        self._log_file = log
        self._calls: list[Call] = []
        self._prefixes: set[str] = set()
        self._lock = threading.Lock()
        self._server = LoopbackServer(("127.0.0.1", port), _handler(self))

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    @property
    def api_base(self) -> str:
        """What JOBMONITOR_LLM_API_BASE is set to."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def log(self) -> tuple[Call, ...]:
        """Every request so far, in the order of arrival."""
        return tuple(self._calls)

    def start(self) -> ModelServer:
        """Begin to answer."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        """Stop answering, let go of whoever waits, and close the port."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def decide(self, body: dict[str, Any], key: str) -> tuple[Call, Said | Denied]:
        """What a request will get; noted in the log."""
        texts = {message.get("role"): str(message.get("content") or "") for message in body.get("messages", ())}
        document = document_of(texts.get("user", ""))
        name = content_hash(document) if document is not None else ""
        behaviour = self._behaviour(body, key, name)
        answer = BEHAVIOURS[behaviour](document or "")
        call = Call(
            number=0,
            at=time.time(),
            content_hash=name,
            purpose="repair" if is_repair(texts.get("user", "")) else "extract",
            behaviour=behaviour,
            status=int(answer.status if isinstance(answer, Denied) else HTTPStatus.OK),
            model=str(body.get("model", "")),
            response_format=str((body.get("response_format") or {}).get("type", "")),
        )
        if isinstance(answer, Said):
            call = self._counted(call, texts, answer)
        return self._note(call), answer

    def _behaviour(self, body: dict[str, Any], key: str, name: str) -> str:
        if self._key is not None and not hmac.compare_digest(key.encode(), self._key.encode()):
            return "wrong_key"
        if body.get("model") != self.model:
            return "unknown_model"
        return self.script.choose(name)

    def _counted(self, call: Call, texts: dict[Any, str], answer: Said) -> Call:
        """With the tokens: a system prompt seen before comes from the cache."""
        system = texts.get("system", "")
        with self._lock:
            known = system in self._prefixes
            self._prefixes.add(system)
        return replace(
            call,
            input_tokens=sum(_tokens(text) for text in texts.values()),
            cached_tokens=_tokens(system) // CACHE_STEP * CACHE_STEP if known else 0,
            output_tokens=_tokens(answer.text or ""),
        )

    def _note(self, call: Call) -> Call:
        with self._lock:
            call = replace(call, number=len(self._calls) + 1)
            self._calls.append(call)
            if self._log_file is not None:
                with self._log_file.open("ab") as file:
                    file.write(orjson.dumps(asdict(call)) + b"\n")
        return call


def read_log(path: Path) -> list[Call]:
    """The requests in a log file, a torn last line left out."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [Call(**orjson.loads(line)) for line in lines]


@contextmanager
def serving_model(script: Script | None = None, **options: Any) -> Iterator[ModelServer]:
    """A running server for the length of a block."""
    server = ModelServer(script, **options).start()
    try:
        yield server
    finally:
        server.stop()


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _completion(call: Call, said: Said) -> dict[str, Any]:
    message = {"role": "assistant", "content": said.text}
    if said.refusal is not None:
        message["refusal"] = said.refusal
    usage = {
        "prompt_tokens": call.input_tokens,
        "completion_tokens": call.output_tokens,
        "total_tokens": call.input_tokens + call.output_tokens,
        "prompt_tokens_details": {"cached_tokens": call.cached_tokens},
    }
    return {
        "id": f"chatcmpl-{call.number}",
        "object": "chat.completion",
        "created": int(call.at),
        "model": call.model,
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish_reason}],
        **({} if call.behaviour == UNCOUNTED else {"usage": usage}),
    }


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # One request a connection: nobody is left holding one when the server stops.
        protocol_version = "HTTP/1.0"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            if self.path.rstrip("/") == "/v1/models":
                self._send(HTTPStatus.OK, {"object": "list", "data": [{"id": model.model, "object": "model"}]})
            else:
                self._send(HTTPStatus.NOT_FOUND, {"error": {"message": "Not found"}})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if self.path.rstrip("/") != "/v1/chat/completions":
                self._send(HTTPStatus.NOT_FOUND, {"error": {"message": "Not found"}})
                return
            call, answer = model.decide(
                orjson.loads(body), self.headers.get("Authorization", "").removeprefix("Bearer ")
            )
            if call.behaviour in SILENT:
                self._wait(dripping=call.behaviour == "dripping")
                return
            model.stopping.wait(model.script.seconds(call.behaviour))
            if call.behaviour == CUT_OFF:
                return
            if call.behaviour == WEB_PAGE:
                self._send(HTTPStatus.OK, None)
            elif isinstance(answer, Said):
                self._send(HTTPStatus.OK, _completion(call, answer))
            else:
                self._deny(answer)

        def _wait(self, *, dripping: bool) -> None:
            """Never finish. A drop now and then keeps time-outs between two reads from ending it."""
            end = time.monotonic() + LONGEST
            if dripping:
                self.send_response(HTTPStatus.OK)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000000")
                self.end_headers()
            while not model.stopping.wait(0.1) and time.monotonic() < end:
                try:
                    self.wfile.write(b" " if dripping else b"")
                except OSError:
                    return

        def _deny(self, denied: Denied) -> None:
            error = {"message": denied.message, "type": "error", "param": None, "code": denied.code}
            wait = {} if denied.code != "rate_limit_exceeded" else {"Retry-After": f"{model.script.retry_after:g}"}
            self._send(denied.status, {"error": error}, wait)

        def _send(self, status: HTTPStatus, value: object, headers: dict[str, str] | None = None) -> None:
            data = _PAGE if value is None else orjson.dumps(value)
            kind = "text/html" if value is None else "application/json"
            try:
                self.send_response(status)
                for name, text in {"Content-Type": kind, **(headers or {})}.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                # Whoever asked has gone; the call is in the log.
                return

        def log_message(self, format: str, *args: Any) -> None:
            """Requests are kept in the log, not printed."""

    return Handler


def main() -> None:
    """Serve until SIGTERM or SIGINT; the first line on stdout is JSON with the address."""
    parser = argparse.ArgumentParser(prog="python -m jobmonitor.demo.model_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 = any free one")
    parser.add_argument("--script", type=Path, help="JSON file with the fields of Script")
    parser.add_argument("--log", type=Path, help="file that gets a JSON line per request")
    parser.add_argument("--key", help="API key that clients must send")
    parser.add_argument("--model", default=MODEL)
    options = parser.parse_args()
    script = Script.read(options.script) if options.script else Script()
    server = ModelServer(script, log=options.log, key=options.key, model=options.model, port=options.port).start()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    sys.stdout.write(orjson.dumps({"api_base": server.api_base, "model": f"openai/{server.model}"}).decode() + "\n")
    sys.stdout.flush()
    ended.wait()
    server.stop()


if __name__ == "__main__":
    main()
