# SPDX-License-Identifier: LGPL-2.1-or-later
"""Servers that are no Redis servers, or none that can be believed. usage: nonsense_server_test.py FOLDER-OF-TANDEM"""
import os
import pathlib
import signal
import sys
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parent))
from farm import END_SECONDS, Farm, listen


def forever(text):
    def handle(connection):
        try:
            while True:
                connection.sendall(text)
        except OSError:
            pass
    return handle


def once(text):
    def handle(connection):
        try:
            connection.sendall(text)
        except OSError:
            pass
    return handle


def slowly(connection):
    try:
        connection.sendall(b"$1000000\r\n")
        while True:
            connection.sendall(b"x")
            time.sleep(1)
    except OSError:
        pass


NONSENSE = {
    "silent": lambda _: None, "closing": lambda connection: connection.close(), "slow": slowly, "ok": forever(b"+OK\r\n"),
    "pong": forever(b"+PONG\r\n"), "number": forever(b":1\r\n"), "nothing": forever(b"$-1\r\n"), "empty": forever(b"*0\r\n"),
    "error": forever(b"-ERR \x1b[2J\r\n"), "moved": forever(b"-MOVED 1 h:1\r\n"), "large": once(b"*1000000000\r\n"),
    "long": once(b"$1000000000\r\n"), "deep": once(b"*1\r\n" * 10000), "web": once(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "bytes": forever(bytes(range(256))), "endless": forever(b"*4000000\r\n" + b"$1\r\nx\r\n" * 1000),
}


class NonsenseServer(unittest.TestCase):
    """What answers is no Redis server: `jobs` ends with an error, and whoever tries again ends by a signal."""

    def check(self, name):
        farm = Farm(self)
        port = listen(self, NONSENSE[name])
        farm.environment["TANDEM_QUEUE"] = f"redis://127.0.0.1:{port}/people"
        others = [farm.worker(f"worker-{name}", "--until-empty"), farm.gather(f"gather-{name}")]
        self.assertNotIn("\x1b", farm.run("jobs", status=1, patience=60))
        for process in others:
            if process.poll() is None:
                process.terminate()
            # Before its first line of code a process ends by the signal itself.
            self.assertIn(process.wait(timeout=END_SECONDS), (1, 130, -signal.SIGTERM), name)


for one in NONSENSE:
    setattr(NonsenseServer, f"test_{one}", lambda self, name=one: self.check(name))


if __name__ == "__main__":
    os.environ["PATH"] = f"{sys.argv.pop(1)}:{os.environ['PATH']}"
    unittest.main(verbosity=2)
