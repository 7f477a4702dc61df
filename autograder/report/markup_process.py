"""The process in which strangers' text is parsed: it turns texts into HTML until its caller is gone.

It holds nothing of value: no variable of the environment, no open file but its channel. Once its modules are
loaded it can open nothing more, neither a file nor a connection. A text that takes too much memory fails, and
one that takes too long ends the process; its caller then starts another.
"""

import json
import resource
import signal
import socket
from contextlib import suppress
from pathlib import Path

from autograder.report.markup import KINDS, RefusedError

MAX_MEMORY = 512 << 20  # bytes, beside what the modules take
_WORN = 128 << 10  # kilobytes: a process that has grown so much makes room for a fresh one
_SAMPLE = """# a
*b* `c` $d$ <b>e</b> &amp; [f](http://\u00fc.example) \u2014 ~~g~~

```python
h
```

|i|
|-|
|j|
"""


def main() -> None:
    """Answer requests on standard input, which is a socket, each with a line of JSON and the HTML."""
    for render in KINDS.values():
        render(_SAMPLE)  # so that everything is loaded before nothing more can be
    _limit()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with socket.socket(fileno=0) as channel, channel.makefile("rwb") as stream:
        stream.write(b"\n")
        stream.flush()
        while line := stream.readline():
            request = json.loads(line)
            text = stream.read(request["size"]).decode("utf-8", "surrogatepass")
            start = _seconds()
            html, whole = _render(request["kind"], text, request["seconds"])
            worn = not whole or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > _WORN
            content = (html or "").encode("utf-8", "replace")
            reply = {
                "failed": html is None,
                "size": len(content),
                "seconds": _seconds() - start,
                "worn": worn,
            }
            stream.write(json.dumps(reply).encode() + b"\n" + content)
            stream.flush()


def _render(kind: str, text: str, seconds: float) -> tuple[str | None, bool]:
    """Return the HTML, or None if it cannot be made, and whether this process is as good as before.

    Nothing returns if it takes too long.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends the process
    try:
        return KINDS[kind](text), True
    except RefusedError:
        return None, True
    except Exception:
        return None, False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _limit() -> None:
    bounds = {
        "CORE": 0,
        "FSIZE": 0,
        "NPROC": 0,
        "NOFILE": 3,
    }  # no file beside standard input, output and error
    with suppress(OSError):  # on macOS, which cannot bound memory either
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        bounds["AS"] = pages * resource.getpagesize() + MAX_MEMORY
    for name, bound in bounds.items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (bound, bound))


if __name__ == "__main__":
    main()
