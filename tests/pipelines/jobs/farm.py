# SPDX-License-Identifier: LGPL-2.1-or-later
"""A farm of a test's own: a Redis server, which the test also writes to as somebody hostile would, and commands of
tandem as processes."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import free_port

SERVER = shutil.which("redis-server", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
PATIENCE_SECONDS = 300  # machines may be busy: only what hangs needs so long
# What is promised are 3 s; the rest is for a machine that others keep busy.
END_SECONDS = 12
FAST = ["--device", "cpu", "--adapt", "off", "--knowledge", "off", "--threads", "1"]
IDENTITY = "00112233445566778899aabbccddeeff"
KEYS = "people:"


class Redis:
    """A client that waits for each answer; lists of bytes, numbers or None."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def ask(self, *words):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
        return self.reply()

    def reply(self):
        line = self.file.readline().rstrip(b"\r\n")
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"+":
            return rest
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.reply() for _ in range(int(rest))]
        raise RuntimeError(f"no reply: {line!r}")


class Farm:
    """Everything of a test: a folder, a server, processes. `tandem` is the first in the path."""

    def __init__(self, test):
        kept = tempfile.TemporaryDirectory(prefix="tandem-farm-")
        test.addCleanup(kept.cleanup)
        self.test, self.folder, self.port = test, pathlib.Path(kept.name), free_port()
        self.processes = []
        self.server = None
        test.addCleanup(self.end)
        self.environment = {**os.environ, "TANDEM_QUEUE": f"redis://127.0.0.1:{self.port}/people",
                            "TANDEM_CACHE_DIR": str(self.folder / "cache")}
        (self.folder / "results").mkdir()

    def start_server(self):
        self.server = subprocess.Popen(
            [SERVER, "--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "yes", "--save", "",
             "--proto-max-bulk-len", "1gb"], cwd=self.folder, stdout=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            redis = None
            try:
                redis = Redis(self.port)
                if redis.ask("PING") == b"PONG":
                    return redis
            except (OSError, RuntimeError):  # it does not listen, or reads its file
                pass
            if redis:
                redis.close()
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.05)

    def kill_server(self):
        self.server.kill()
        self.server.wait()

    def end(self):
        for process in [*self.processes, *([self.server] if self.server else [])]:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()

    def video(self, name, frames, width=64, height=48):
        """An AVI, each of whose frames is a key frame, 25 a second."""
        path = self.folder / name
        subprocess.run(
            ["gst-launch-1.0", "-q", "videotestsrc", "pattern=ball", f"num-buffers={frames}", "!",
             f"video/x-raw,format=I420,framerate=25/1,width={width},height={height}", "!", "jpegenc", "!", "avimux",
             "!", "filesink", f"location={path}"], check=True, timeout=PATIENCE_SECONDS,
            env={name: value for name, value in os.environ.items() if name != "GST_PLUGIN_PATH"})
        return path

    def start(self, name, *words):
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(["tandem", *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       cwd=self.folder, env=self.environment)
        self.processes.append(process)
        return process

    def worker(self, name, *words):
        return self.start(name, "worker", "--claim", "2", *FAST, *words)

    def gather(self, name="gather", folder="results", *words):
        return self.start(name, "gather", "--output", folder, *words)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def run(self, *words, status=0, patience=PATIENCE_SECONDS):
        done = subprocess.run(["tandem", *words], cwd=self.folder, env=self.environment, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=patience, check=False)
        said = (done.stdout + done.stderr).decode(errors="replace")
        if status is not None:
            self.test.assertEqual(done.returncode, status, said)
        return said

    def submit(self, video, part="1"):
        return self.run("submit", "--application", "scene", "--part", part, str(video))

    def state(self):
        return json.loads(self.run("jobs", "--json"))

    def failed(self):
        return {one["job"]: one["reason"] for one in self.state()["failed"]}

    def expected(self, video):
        """Lines of one run of the command, without what differs from run to run."""
        path = self.folder / f"{pathlib.Path(video).name}.expected"
        if not path.exists():
            self.run("run", "scene", "--input", str(video), "--metadata", str(path), *FAST)
        return comparable(path)

    def gathered(self, name, folder="results"):
        return comparable(self.folder / folder / name)


def listen(test, handle):
    """A server whose connections `handle` gets; returns its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    test.addCleanup(listener.close)
    kept = []
    test.addCleanup(lambda: [one.close() for one in kept])

    def serve():
        while True:
            try:
                one = listener.accept()[0]
            except OSError:
                return
            kept.append(one)
            threading.Thread(target=handle, args=(one,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def comparable(path):
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        frame = json.loads(line)
        del frame["time"]
        for detection in frame["detections"]:
            del detection["id"]
        lines.append(frame)
    return lines


def job_text(uri, number=900, index=0, application="scene", properties=None, identity=IDENTITY, **changes):
    """A job as `tandem submit` writes it."""
    return json.dumps({"schema": "tandem-job", "schema_version": 1, "id": f"{number}.{index}@{identity}", "video": uri,
                       "application": application, "properties": {} if properties is None else properties,
                       "part": {"first_frame": 0, "frames": None, "start_ns": None, "end_ns": None, "seek_ns": 0},
                       **changes})


needs_server = unittest.skipUnless(SERVER, "needs redis-server")
