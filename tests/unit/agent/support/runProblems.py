"""Runs the tests of problems. Reads lines of [{"file", "entry", "test"}] and prints a list of failures for each line."""
import contextlib
import io
import json
import signal
import sys

MOST_SECONDS = 30


def failure(file, entry, test):
    """Returns the error of a file's tests; None if they pass."""
    scope = {"__name__": "problem"}
    try:
        with open(file, encoding="utf-8", newline="") as source:
            exec(compile(source.read(), file, "exec"), scope)
        exec(compile(test, "tests", "exec"), scope)
        scope["check"](scope[entry])
    except BaseException as error:  # A solution may raise anything, including SystemExit.
        return f"{entry}: {type(error).__name__}: {error}"
    return None


def end(*_):
    raise TimeoutError(f"more than {MOST_SECONDS} s")


def limited(problem):
    can_limit = hasattr(signal, "SIGALRM")
    if can_limit:
        signal.signal(signal.SIGALRM, end)
        signal.alarm(MOST_SECONDS)
    with contextlib.redirect_stdout(io.StringIO()):
        found = failure(**problem)
    if can_limit:
        signal.alarm(0)
    return found


for line in sys.stdin:
    print(json.dumps([found for found in map(limited, json.loads(line)) if found is not None]), flush=True)
