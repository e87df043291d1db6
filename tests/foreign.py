"""A program that speaks the protocol of examples/foreign_bot.py, correctly or with one of several faults."""

import json
import os
import sys
import time

HOW, *STATE = sys.argv[1:]


def answer(request, number):
    """Return the first legal action, or fail as HOW says; number: count of requests so far, from 1."""
    if HOW == "crashes":
        raise ZeroDivisionError("lost my notes")
    if HOW == "dies" and number == 2:
        os._exit(3)
    if HOW == "hangs" and number == 2:
        time.sleep(100)
    if HOW == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    if HOW == "once" and not os.path.exists(STATE[0]):
        open(STATE[0], "w").close()
        os._exit(1)
    sys.stderr.write("thinking\n" * 1000)  # allowed
    return {
        "garbage": "{",
        "list": "[]",
        "cheats": '{"action": "capture AS of the stock"}',
        "twice": '{"action": 1}\n{"action": 2}',
        "refuses": '{"ok": false, "message": "no such variant"}',
    }.get(HOW) or json.dumps({"action": request["legal"][0]})


for asked, line in enumerate(sys.stdin, 1):
    sys.stdout.write(f"{answer(json.loads(line), asked)}\n")
    sys.stdout.flush()
