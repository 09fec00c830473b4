# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of docs/many-machines.md with a server of its own: in the clear, and with the page's
settings for TLS and a password. usage: many_machines_test.py FOLDER-OF-TANDEM"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import FRAMES, ROOT, blocks, free_port, make_clip

PAGE = "docs/many-machines.md"
PATIENCE_SECONDS = 60
SERVER = shutil.which("redis-server", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")


@unittest.skipUnless(SERVER, "needs redis-server")
class ManyMachines(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.port = str(free_port())
        make_clip(self.folder / ".cache/demo/vtest.avi")

    def block(self, heading, language):
        return next(text for h, l, text in blocks(PAGE) if (h, l) == (heading, language))

    def start(self, *words):
        server = subprocess.Popen([SERVER, *words], cwd=self.folder, stdout=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        wanted = f":{int(self.port):04X} 00000000:0000 0A"
        end = time.monotonic() + PATIENCE_SECONDS
        while wanted not in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii"):
            self.assertLess(time.monotonic(), end, "the server does not start")
            time.sleep(0.02)

    def shell(self, command, **variables):
        done = subprocess.run(["bash", "-ec", command], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, check=False, env={**os.environ, **variables})
        return done.returncode, done.stdout + done.stderr

    def expect_frames(self):
        lines = (self.folder / "results/1-vtest.avi.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertEqual([json.loads(line)["frame"] for line in lines], list(range(FRAMES)))

    def test_one_machine(self):
        self.start("--port", self.port, "--bind", "127.0.0.1", "--save", "")
        commands = self.block("On one machine", "sh").replace("//localhost/", f"//127.0.0.1:{self.port}/")
        status, said = self.shell(commands)
        self.assertEqual(status, 0, said)
        self.expect_frames()

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl")
    def test_password_and_tls(self):
        made = ("openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ours\n"
                "openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=127.0.0.1\n"
                "openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2"
                " -extfile <(echo subjectAltName=IP:127.0.0.1)")
        self.assertEqual(self.shell(made)[0], 0)
        settings = (self.block("The server", "conf").replace("/etc/redis/", f"{self.folder}/")
                    .replace("6379", self.port).replace("PASSWORD", "s3cret"))
        (self.folder / "redis.conf").write_text(settings + "\nbind 127.0.0.1\n", encoding="utf-8")
        self.start(str(self.folder / "redis.conf"))
        place = self.block("The place of the queue", "conf")
        place = (place.replace("PASSWORD", "s3cret").replace("/etc/tandem/", f"{self.folder}/")
                 .replace("server.example", f"127.0.0.1:{self.port}"))
        variables = dict(line.strip().split("=", 1) for line in place.splitlines())
        commands = self.block("On one machine", "sh").split("\n", 1)[1]
        status, said = self.shell(commands, **variables)
        self.assertEqual(status, 0, said)
        self.expect_frames()
        # Nobody vouches for the server; it is another one; it is spoken to in the clear.
        queue = variables["TANDEM_QUEUE"]
        for wrong in ({"TANDEM_QUEUE": queue}, {**variables, "TANDEM_QUEUE": queue.replace("127.0.0.1", "localhost")},
                      {"TANDEM_QUEUE": queue.replace("rediss", "redis")}):
            status, more = self.shell("tandem jobs", **wrong)
            self.assertEqual(status, 1, more)
            said += more
        self.assertNotIn("s3cret", said)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd")
    def test_unit(self):
        text = (ROOT / "pipelines/jobs/tandem-worker@.service").read_text(encoding="utf-8")
        self.assertIn("ExecStart=/usr/bin/tandem worker\n", text)
        unit = self.folder / "tandem-worker@1.service"
        unit.write_text(text.replace("/usr/bin/tandem", shutil.which("tandem")), encoding="utf-8")
        done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    os.environ["PATH"] = f"{sys.argv.pop(1)}:{os.environ['PATH']}"
    unittest.main(verbosity=2)
