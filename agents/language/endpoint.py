"""A language model as an agent (`llm:URL,model=NAME`), at an OpenAI-style endpoint (`POST URL/chat/completions`).

Ollama, vLLM, llama.cpp and most services have one. Only the prompt, the model's name, the token limit and, if given,
the temperature are sent. The key comes from the environment variable that `key` names, and appears in no file, log or
error.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from queue import Empty, Queue
from typing import Any, TypeVar
from urllib.parse import urlsplit

from casino_env.agents.language.text_agent import Answer, Forfeit, HowAsked, Message, TextAgent
from casino_env.agents.registry import AgentError
from casino_env.validate import float_in, int_in, of_kind, one_line, parse_json, short_repr

_LONGEST = 1 << 20  # most bytes of an answer
_PART = 1 << 16
_MOST_SECONDS, _MOST_TOKENS, _MOST_MONEY = 86_400.0, 10_000_000, 1e9
_PAUSE, _MOST_PAUSE = 1.0, 60.0  # seconds before the first retry, then doubled; most that a server may ask for
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}  # HTTP statuses worth a retry
_LIMITS = "max_tokens", "max_completion_tokens"  # its name at older and newer endpoints
_SPENT = "spent.txt"  # in the folder of transcripts: the cost of each answer
_T = TypeVar("_T")


class _TroubleError(Exception):
    """The endpoint has failed in a way that is worth a retry."""

    def __init__(self, why: str, pause: float = 0.0) -> None:
        super().__init__(why)
        self.pause = pause


def make_llm(
    url: str,
    model: str,
    key: str = "",
    seconds: float = 60.0,
    tokens: int = 2000,
    temperature: float | None = None,
    retries: int = 3,
    price_in: float = 0.0,
    price_out: float = 0.0,
    money: float | None = None,
    transcripts: str = "",
    tries: int = 2,
    forfeit: Forfeit = "plays",
    listed: bool = False,
    words: int | None = None,
) -> TextAgent:
    """Make the agent. seconds, tokens: limits per reply. retries: after a failure of the endpoint. price_in, price_out:
    per million tokens. money: limit for all games whose transcripts are in one folder. The rest: see HowAsked."""
    how = HowAsked(tries, forfeit, listed, words, transcripts)
    if money is not None and not (transcripts and (price_in or price_out)):
        raise ValueError("money needs price_in or price_out, and transcripts, which count what was spent")
    purse = None if money is None else _Purse(Path(transcripts), float_in(money, "money", 0.0, _MOST_MONEY))
    prices = [float_in(price_in, "price_in", 0.0, _MOST_MONEY), float_in(price_out, "price_out", 0.0, _MOST_MONEY)]
    return TextAgent(Endpoint(url, model, key, seconds, tokens, temperature, retries, prices, purse), how)


class Endpoint:
    """A model at an endpoint."""

    def __init__(
        self, url: str, model: str, key: str, seconds: float, tokens: int, temperature: float | None, retries: int,
        prices: list[float], purse: _Purse | None,
    ) -> None:  # fmt: skip
        self._url, self.name = _address(url), of_kind(model, "model", str)
        self._key = _key_of(key)
        self._seconds = float_in(seconds, "seconds", 0.0, _MOST_SECONDS, above=True)
        self._asked: dict[str, Any] = {"model": model}
        if temperature is not None:
            self._asked["temperature"] = float_in(temperature, "temperature", 0.0, 10.0)
        self._tokens, self._limit = int_in(tokens, "tokens", 1, _MOST_TOKENS), _LIMITS[0]
        self._retries = int_in(retries, "retries", 0, 100)
        self._prices, self._purse = prices, purse

    def answer(self, messages: list[Message]) -> Answer:
        if self._purse:
            self._purse.check()
        pause = _PAUSE
        for left in range(self._retries, -1, -1):
            began = time.monotonic()
            try:
                return self._read(self._fetch(messages), time.monotonic() - began)
            except TimeoutError:
                return Answer("", f"no answer within {self._seconds:g} s", {"seconds": self._seconds})
            except _TroubleError as trouble:
                if not left:
                    raise AgentError(f"{self._place}: {self._hidden(str(trouble))}") from None
                time.sleep(max(pause, trouble.pause))
                pause *= 2
        raise AssertionError

    @property
    def _place(self) -> str:
        return f"the endpoint {urlsplit(self._url).netloc}"

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    # --- asking ---

    def _fetch(self, messages: list[Message]) -> bytes:
        try:
            return self._post(messages)
        except urllib.error.HTTPError as error:
            said = self._hidden(_said(error))
            if error.code == 400 and self._limit == _LIMITS[0] and _LIMITS[1] in said:
                self._limit = _LIMITS[1]
                return self._fetch(messages)
            what = f"HTTP {error.code} {said}"
            if error.code in _PASSING:
                raise _TroubleError(what, _asked_pause(error)) from None
            raise AgentError(f"{self._place}: {what}") from None
        except TimeoutError:
            raise
        except (OSError, HTTPException) as error:
            cause = getattr(error, "reason", None)  # urllib puts its own error around that of the system
            if isinstance(cause, TimeoutError):
                raise TimeoutError from None
            raise _TroubleError(one_line(cause if isinstance(cause, OSError) else error)) from None

    def _post(self, messages: list[Message]) -> bytes:
        body = json.dumps(self._asked | {"messages": messages, self._limit: self._tokens}).encode()
        headers = {"Content-Type": "application/json", "User-Agent": "casino-env"}
        request = urllib.request.Request(self._url, body, headers)
        if self._key:
            request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        until = time.monotonic() + self._seconds

        def work() -> bytes:
            with _OPENER.open(request, timeout=self._seconds) as response:
                found = bytearray()
                while len(found) <= _LONGEST and time.monotonic() < until and (part := response.read1(_PART)):
                    found += part
                return bytes(found)

        return _within(self._seconds, work)

    # --- reading ---

    def _read(self, body: bytes, seconds: float) -> Answer:
        if len(body) > _LONGEST:
            return Answer("", f"its answer is longer than {_LONGEST:,} bytes", {"seconds": round(seconds, 3)})
        try:
            data = parse_json(body, "its answer")
            choice = data["choices"][0]
            text = _text(choice["message"]["content"])
        except (ValueError, KeyError, IndexError, TypeError):
            raise _TroubleError(f"not a chat completion: {short_repr(body[:200].decode(errors='replace'))}") from None
        about = self._cost(data.get("usage")) | {"seconds": round(seconds, 3)}
        if choice.get("finish_reason") == "length":
            return Answer(text, f"the reply was cut off after {self._tokens} tokens; be brief", about)
        return Answer(text, "" if text.strip() else "the reply is empty", about)

    def _cost(self, usage: Any) -> dict[str, Any]:
        """Tokens and cost of an answer, if known; charge the purse."""
        found = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")] if isinstance(usage, dict) else []
        counts = [each for each in found if isinstance(each, int) and each >= 0]
        if len(counts) != 2:
            if self._purse:
                raise AgentError(f"{self._place} does not report its tokens, so the money limit cannot be kept")
            return {}
        cost = sum(price * many for price, many in zip(self._prices, counts, strict=True)) / 1e6
        if self._purse:
            self._purse.spend(cost)
        return {"tokens_in": counts[0], "tokens_out": counts[1], "cost": cost}


class _Purse:
    """A spending limit. Costs are lines of a file, shared by all processes and later runs."""

    def __init__(self, folder: Path, most: float) -> None:
        self._file, self._most = folder / _SPENT, most

    def check(self) -> None:
        spent = sum(map(float, self._file.read_text("utf-8").split())) if self._file.exists() else 0.0
        if spent >= self._most:
            raise AgentError(f"money limit reached: {spent:.4f} of {self._most:g} spent ({self._file})")

    def spend(self, cost: float) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{cost:.9f}\n")


# --- parts -----------------------------------------------------------------------------------------------------------


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects, which could lead to someone else's server."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


def _address(url: Any) -> str:
    address = str(of_kind(url, "url", str))
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("url: must be like http://127.0.0.1:8000/v1")
    if "@" in parts.netloc:
        raise ValueError("url: must not contain a key; name an environment variable with key=NAME")
    return address if parts.path.endswith("/chat/completions") else address.rstrip("/") + "/chat/completions"


def _key_of(name: Any) -> str:
    """Read the key. Errors do not repeat the name, which may be the key itself."""
    if not of_kind(name, "key", str):
        return ""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or not os.environ.get(name):
        raise ValueError("key: must be the name of an environment variable that holds the key")
    return os.environ[name].strip()


def _within(seconds: float, work: Callable[[], _T]) -> _T:
    """Run work() in a thread with a timeout, whatever the server does; a late thread is left to end by itself."""
    box: Queue[tuple[_T | None, BaseException | None]] = Queue(1)

    def run() -> None:
        try:
            box.put((work(), None))
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            box.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        found, error = box.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if error:
        raise error
    return found  # type: ignore[return-value]


def _said(error: urllib.error.HTTPError) -> str:
    """The message in the body of an HTTP error, as one line."""
    try:
        body = error.read(_PART).decode(errors="replace")
    except (OSError, HTTPException):
        body = ""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        found = json.loads(body)["error"]
        body = found["message"] if isinstance(found, dict) else found
    return " ".join(f"{body}".split())[:200] or str(error.reason)


def _asked_pause(error: urllib.error.HTTPError) -> float:
    try:
        return min(max(float(error.headers.get("Retry-After", 0)), 0.0), _MOST_PAUSE)
    except ValueError:
        return 0.0


def _text(content: Any) -> str:
    """The text of a message, which is a string or a list of parts."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part, dict) and type(part.get("text")) is str)
    return str(of_kind("" if content is None else content, "content", str))
