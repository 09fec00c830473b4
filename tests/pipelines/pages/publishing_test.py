# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of docs/publishing.md, on a video and with brokers of its own. A broker that is not
installed is left out. usage: publishing_test.py"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from page import FRAMES, blocks, free_port, make_clip

PAGE = "docs/publishing.md"
PATIENCE_SECONDS = 50


def broker(name):
    """Where a server is: Debian keeps some outside the path of users."""
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")


class Publishing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.folder = pathlib.Path(cls.kept.name)
        make_clip(cls.folder / ".cache/demo/vtest.avi")

    def setUp(self):
        self.port = str(free_port())

    def commands(self, heading):
        """Those of the page, with a port of ours."""
        found = [text for h, language, text in blocks(PAGE) if (h, language) == (heading, "sh")]
        return [re.sub(r"//localhost/", f"//127.0.0.1:{self.port}/",
                       text.replace("-h localhost", f"-h 127.0.0.1 -p {self.port}")
                       .replace("redis-cli", f"redis-cli -p {self.port}")) for text in found]

    def start(self, words):
        process = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(lambda: process.poll() is None and os.killpg(process.pid, signal.SIGKILL))
        return process

    def wait_for_port(self):
        wanted = f":{int(self.port):04X} 00000000:0000 0A"
        end = time.monotonic() + PATIENCE_SECONDS
        while wanted not in pathlib.Path("/proc/net/tcp").read_text(encoding="ascii"):
            self.assertLess(time.monotonic(), end, "the broker does not start")
            time.sleep(0.02)

    def publish(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("WARNING", done.stdout + done.stderr)

    def expect_frames(self, lines, first=0, last=FRAMES):
        self.assertEqual([json.loads(line)["frame"] for line in lines], list(range(first, last)))

    def test_mqtt(self):
        if not broker("mosquitto") or not broker("mosquitto_sub"):
            self.skipTest("needs mosquitto and mosquitto-clients")
        self.start([broker("mosquitto"), "-p", self.port])
        self.wait_for_port()
        read, publish = self.commands("MQTT")
        reader = self.start(["bash", "-c", "exec " + read])
        # Until somebody subscribes, lines go nowhere: a mark that comes back says that somebody has.
        marks = self.start(["bash", "-c", f"while mosquitto_pub -p {self.port} -h 127.0.0.1 "
                            "-t site/gate/people -q 1 -m mark; do sleep 0.1; done"])
        self.assertEqual(reader.stdout.readline(), "mark\n")
        os.killpg(marks.pid, signal.SIGKILL)
        self.publish(publish)
        lines = []
        while len(lines) < FRAMES:
            line = reader.stdout.readline()
            self.assertTrue(line, "the reader has ended")
            if line != "mark\n":
                lines.append(line)
        self.expect_frames(lines)

    @unittest.skipUnless(shutil.which("openssl"), "needs openssl")
    def test_tls(self):
        if not broker("mosquitto") or not broker("mosquitto_sub"):
            self.skipTest("needs mosquitto and mosquitto-clients")
        certify, publish = self.commands("TLS")
        self.publish(certify)
        (self.folder / "password").write_text("s3cret\n", encoding="utf-8")
        (self.folder / "password").chmod(0o600)
        subprocess.run([broker("mosquitto_passwd"), "-b", "-c", self.folder / "passwords", "tandem", "s3cret"],
                       check=True, timeout=PATIENCE_SECONDS)
        settings = next(text for h, language, text in blocks(PAGE) if (h, language) == ("TLS", "conf"))
        settings = re.sub("/etc/mosquitto/(certs/)?", f"{self.folder}/", settings)
        settings = settings.replace("8883", f"{self.port} 127.0.0.1") + "user root\n"
        (self.folder / "tls.conf").write_text(settings, encoding="utf-8")
        self.start([broker("mosquitto"), "-c", self.folder / "tls.conf"])
        self.wait_for_port()
        reader = [broker("mosquitto_sub"), "-h", "localhost", "-p", self.port, "--cafile", self.folder / "ca.crt",
                  "-u", "tandem", "-P", "s3cret", "-t", "site/gate/people", "-q", "1", "-c", "-i", "reader"]
        subprocess.run([*reader, "-E"], check=True, timeout=PATIENCE_SECONDS)
        self.publish(publish.replace("@localhost/", f"@localhost:{self.port}/"))
        done = subprocess.run([*reader, "-C", str(FRAMES)], capture_output=True, text=True, check=True,
                              timeout=PATIENCE_SECONDS)
        self.expect_frames(done.stdout.splitlines())

    def test_redis(self):
        if not broker("redis-server") or not broker("redis-cli"):
            self.skipTest("needs redis-server and redis-tools")
        self.start([broker("redis-server"), "--port", self.port, "--save", ""])
        self.wait_for_port()
        publish, read = self.commands("Redis")
        oldest, following = read.splitlines()
        self.publish(publish)
        done = subprocess.run(["bash", "-c", oldest], capture_output=True, text=True, check=True,
                              timeout=PATIENCE_SECONDS)
        self.expect_frames([line for line in done.stdout.splitlines() if line.startswith("{")])
        reader = self.start(["bash", "-c", following])
        while reader.poll() is None:  # it may not read yet; one entry ends it
            subprocess.run(["redis-cli", "-p", self.port, "XADD", "people", "*", "line", "mark"],
                           check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_SECONDS)
            time.sleep(0.1)
        self.assertIn("mark\n", reader.stdout.read())


if __name__ == "__main__":
    unittest.main(verbosity=2)
