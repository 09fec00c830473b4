# SPDX-License-Identifier: LGPL-2.1-or-later
"""What somebody may write who has access to a queue: addresses that are waited for, jobs, results and videos that are
none. Workers, gatherers and `tandem jobs` neither hang nor crash, tell of each, and do the rest.
usage: hostile_queue_test.py FOLDER-OF-TANDEM"""
import http.server
import json
import os
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parent))
from farm import FAST, Farm, KEYS, PATIENCE_SECONDS, job_text, listen, needs_server

DEEP = "[" * 100_000


class Lists(http.server.BaseHTTPRequestHandler):
    """Playlists and redirections to what is no business of a worker."""
    fifo = ""

    def do_GET(self):
        inner = {"/fd.m3u8": "fd://0", "/fifo.m3u8": "file://" + self.fifo, "/push.m3u8": "pushfile://" + self.fifo}
        if self.path in inner:
            self.send_response(200)
            self.send_header("Content-Type", "application/vnd.apple.mpegurl")
            self.end_headers()
            text = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n" + inner[self.path] + "\n#EXT-X-ENDLIST\n"
            self.wfile.write(text.encode())
            return
        self.send_response(302)
        self.send_header("Location", "file://" + self.fifo)
        self.end_headers()

    def log_message(self, *_):
        pass


def hostile_addresses(test, folder):
    fifo, link, sock = folder / "fifo", folder / "link.avi", folder / "sock"
    os.mkfifo(fifo)
    link.symlink_to(fifo)
    one = socket.socket(socket.AF_UNIX)
    one.bind(str(sock))
    one.close()
    (folder / "empty.avi").touch()
    (folder / "text.avi").write_text("no video")
    (folder / "secret.mp4").write_bytes(b"\0" * 4096)
    (folder / "secret.mp4").chmod(0)
    (folder / "list.m3u8").write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile://{fifo}\n#EXT-X-ENDLIST\n")
    silent = listen(test, lambda _: None)
    closing = listen(test, lambda connection: connection.close())
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    Lists.fifo = str(fifo)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    test.addCleanup(web.server_close)
    test.addCleanup(web.shutdown)
    page = f"http://127.0.0.1:{web.server_port}"
    files = [fifo, link, sock, folder, folder / "nothing.avi", folder / "empty.avi", folder / "text.avi",
             folder / "secret.mp4", folder / "list.m3u8", "/dev/zero", "/dev/tty", "/dev/stdin", "/dev/full",
             "/proc/self/fd/0", "/proc/self/mem", "/proc/kmsg", "/proc/self/environ", "/dev/random"]
    return [
        *(f"file://{name}" for name in files),
        f"FILE://{fifo}", f"file://localhost{fifo}", f"file://elsewhere{fifo}", f"file:{fifo}", "file:relative.avi",
        f"file://{fifo}?x=1", f"file://{folder}/%00.avi", f"file://{folder}/%zz.avi", "file://", "file:",
        *(f"fd://{number}" for number in (0, 1, 5, 6, 99)), f"pushfile://{fifo}", f"splitmux://{fifo}",
        f"splitmux://{folder}/*", f"multifile://{folder}/%d", "testbin://video,pattern=snow", "videotestsrc://",
        "udp://127.0.0.1:5004", "tcp://127.0.0.1:1", f"srt://127.0.0.1:{silent}", f"rtmp://127.0.0.1:{silent}/x",
        "v4l2:///dev/video0", "ximagesrc://", "appsrc://", "dvb://x", "cdda://1", "resource:///x", "data:,x", "smb://h/x",
        f"http://127.0.0.1:{silent}/x.mp4", f"http://127.0.0.1:{closing}/x.mp4", "http://127.0.0.1:1/x.mp4", "http://",
        f"{page}/redirect", f"{page}/fd.m3u8", f"{page}/fifo.m3u8", f"{page}/push.m3u8",
        f"rtsp://127.0.0.1:{silent}/x", f"rtsp://127.0.0.1:{closing}/x", "", ":", "no scheme", "\u001b[2J\u0007://x",
        "http\n://x", "x" * 10_000 + "://x", "--help", "../../etc/passwd"]


def hostile_jobs(good):
    """Texts of jobs, of which none is one."""
    part = json.loads(job_text(good))["part"]

    def changed(**changes):
        return job_text(good, **{"number": 950, **changes})

    return [
        "", " ", "{}", "[]", "null", "1", "no JSON", "{", DEEP, '{"a":' * 100_000, '{"schema":' + DEEP, "\0", "\u001b[2J",
        b"\xff\xfe", "9" * 100_000, '{"schema":"tandem-job"}', changed(schema="tandem-video"), changed(schema_version=2),
        changed(schema_version=-1), changed(schema_version="1"), changed(id=7), changed(id="7.0"), changed(id="../x"),
        changed(id="7.0@" + "z" * 32), changed(id="x" * 100_000), changed(video=None), changed(video=["x"]),
        changed(video="x" * 200_000), changed(application="x" * 1000), changed(application={}), changed(properties=[]),
        changed(properties={"size": 7}), changed(properties={"size\0": "1x1"}), changed(properties={"size": "1" * 10_000}),
        changed(properties={str(i): "x" for i in range(1000)}), changed(part=None), changed(part={}),
        changed(part={**part, "frames": -1}), changed(part={**part, "frames": 1e300}),
        changed(part={**part, "first_frame": 2**64 - 1}), changed(part={**part, "seek_ns": 2**63}),
        changed(part={**part, "start_ns": "x"}), changed(part={**part, "frames": 0}), "x" * 5_000_000]


def hostile_settings(good):
    """Jobs that can be read, of settings that no application takes or that would take the machine's memory."""
    settings = [{"size": "16384x16384"}, {"size": "16384x2100"}, {"size": "0x0"}, {"size": "-1x5"}, {"size": "x"},
                {"iterations": "1000000000"}, {"iterations": "nan"}, {"threshold": "1e400"}, {"scales": "999999"},
                {"first-scale": "1e-300"}, {"first-scale": "inf"}, {"model": "/dev/zero"}, {"model": "/nowhere"},
                {"model": "."}, {"other": "1"}, {"": ""}]
    texts = [job_text(good, 960, i, "vivid", one) for i, one in enumerate(settings)]
    texts.append(job_text(good, 960, 90, "vivid", {"size": "7680x4320", "first-scale": "0.25"}))
    texts.append(job_text(good, 960, 91, "\u001b[31mred"))
    texts.append(job_text(good, 960, 92, "srad", {"size": "4096x4096", "iterations": "2147483648"}))
    return texts


def line(frame, **changes):
    return json.dumps({"frame": frame, "time": "x", "detections": [{"id": 1}], **changes}) + "\n"


def hostile_results(job, first):
    """Entries of results of frames that a job has from `first` on: (job, first, frames, lines) or pairs of fields."""
    identity = job.split("@")[1]
    texts = [
        DEEP + "\n", '{"frame":%d,"detections":' % first + DEEP + "\n", "\n", "x\n", "{}\n", "[]\n", "null\n", "1\n",
        "\u001b[2J\n", "\0\n", line(first)[:-1], line(first) * 2, line(first + 1), line(-1), line("0"), line(None),
        line(first + 0.5), line(1e300), line(2**64), line(first, detections=None), line(first, detections={}),
        line(first, detections=[1]), line(first, detections=[{}]), line(first, detections=[[]]),
        '{"frame":%d}\n' % first, '{"frame":%d,"frame":7,"detections":[]}\n' % first, line(first).replace("}", ""),
        '{"frame":%d,"detections":[{"id":1e999}]}\n' % first, "x" * 17_000_000 + "\n", '"' + "x" * 100_000 + '"\n',
        line(first) + "\n", b"\xff\xfe\n", line(first)[:20] + "\n"]
    found = [(job, first, 1, text) for text in texts]
    found += [(job, first, frames, line(first)) for frames in (2, 0, 10**6, 2**64 - 1)]
    found += [(job, number, 1, line(first)) for number in ("x", "", "-1", "1e3", 2**64, "0x0")]
    found += [(job, first, number, line(first)) for number in ("x", "", "-1", "1.5", 2**70)]
    found += [(name, first, 1, line(first)) for name in (
        "", ".", "@", "1", "1.0", "1.0@", "x.0@" + identity, "1.x@" + identity, "1.99@" + identity,
        "7.0@" + identity, "1.18446744073709551616@" + identity, "1.0@" + "f" * 32, "1.0@../../../etc", "\u001b[2J" * 50,
        "x" * 100_000)]
    return found


@needs_server
class HostileQueue(unittest.TestCase):
    def setUp(self):
        self.farm = Farm(self)
        self.redis = self.farm.start_server()
        self.addCleanup(self.redis.close)

    def submit_text(self, text):
        return self.redis.ask("XADD", KEYS + "jobs", "*", "job", text).decode()

    def work(self, *words):
        """Workers, one after the other, until no job is left: one that a job holds up leaves, and tells so."""
        end, workers = time.monotonic() + PATIENCE_SECONDS, 0
        while True:
            worker = self.farm.worker("worker", "--until-empty", "--attempts", "1", *words)
            status = worker.wait(timeout=max(1, end - time.monotonic()))
            workers += 1
            self.assertIn(status, (0, 1), self.farm.log("worker"))
            if status == 0:
                return workers
            self.assertIn("cannot be stopped", self.farm.log("worker"))

    def good_video(self):
        video = self.farm.video("good.avi", 75)
        self.farm.submit(video)
        return video

    def expect_good(self, video):
        self.farm.run("gather", "--output", "results")
        self.assertEqual(self.farm.gathered("1-good.avi.jsonl"), self.farm.expected(video))

    def test_addresses(self):
        uris = hostile_addresses(self, self.farm.folder)
        self.assertGreaterEqual(len(uris), 60)
        tiny = self.farm.video("tiny.avi", 2)
        for i, uri in enumerate(uris):
            self.submit_text(job_text(uri, 900, i))
            self.submit_text(job_text(tiny.as_uri(), 901, i))  # a worker that fails many times in a row pauses
        video = self.good_video()
        workers = self.work("--stall", "3")
        print(f"{len(uris)} addresses, {workers} workers")
        failed = self.farm.failed()
        self.assertEqual(set(failed), {f"900.{i}" for i in range(len(uris))})
        self.assertTrue(all(failed.values()))
        self.expect_good(video)

    def test_a_worker_that_is_stuck_leaves(self):
        fifo = self.farm.folder / "fifo"
        os.mkfifo(fifo)
        self.submit_text(job_text(f"pushfile://{fifo}"))
        video = self.good_video()
        workers = self.work("--stall", "2", "--allow-scheme", "pushfile")
        self.assertIn("no frame came for 2 s", self.farm.failed()["900.0"])
        self.assertIn("its worker could not stop it", self.farm.failed()["900.0"])
        self.assertEqual(workers, 2)
        self.expect_good(video)

    def test_jobs(self):
        good = self.farm.video("other.avi", 3)
        texts = hostile_jobs(good.as_uri())
        self.assertGreaterEqual(len(texts), 40)
        entries = [self.submit_text(text) for text in texts]
        self.redis.ask("XADD", KEYS + "jobs", "*", "x", "y")
        settings = hostile_settings(good.as_uri())
        for text in settings:
            self.submit_text(text)
        video = self.good_video()
        self.assertEqual(self.work("--stall", "20"), 1)
        said = self.farm.run("jobs")
        self.assertNotIn("\x1b", said + self.farm.log("worker"))
        failed = self.farm.failed()
        for entry, text in zip(entries, texts):
            self.assertIn(f"entry {entry}", failed, text[:200])
        for text in settings:
            self.assertIn(json.loads(text)["id"].split("@")[0], failed, text)
        self.assertEqual(len(failed), len(texts) + 1 + len(settings))
        self.assertIn("--largest-frame", failed["960.0"])
        self.expect_good(video)

    def test_results(self):
        video = self.good_video()
        state = json.loads(self.redis.ask("HGET", KEYS + "videos", "1"))
        jobs = [f"1.{part}@{state['identity']}" for part in range(len(state["parts"]))]
        self.assertGreater(len(jobs), 1)
        hostile = [(job, first, frames, text)
                   for job, part in zip(jobs[:2], state["parts"])
                   for job, first, frames, text in hostile_results(job, part["first_frame"])]
        self.assertGreaterEqual(len(hostile), 60)
        for job, first, frames, text in hostile:
            self.redis.ask("XADD", KEYS + "results", "*", "job", job, "first", first, "frames", frames, "lines", text)
        self.redis.ask("XADD", KEYS + "results", "*", "x", "y")
        self.assertEqual(self.work(), 1)
        self.expect_good(video)
        self.assertEqual(self.farm.state()["results_waiting"], 0)

    def test_entries_that_are_left_out_are_told(self):
        video = self.good_video()
        state = json.loads(self.redis.ask("HGET", KEYS + "videos", "1"))
        job = f"1.0@{state['identity']}"
        entry = self.redis.ask("XADD", KEYS + "results", "*", "job", job, "first", 0, "frames", 1, "lines",
                               "\u001b[2J" + DEEP + "\n").decode()
        self.assertEqual(self.work(), 1)
        said = self.farm.run("gather", "--output", "results")
        self.assertIn(f"entry {entry} of the results, of job 1.0 ({video.as_uri()})", said)
        self.assertNotIn("\x1b", said)

    def test_records(self):
        """A record of an end that cannot be read, or is not so, has its job done again; three times at most."""
        video = self.good_video()
        state = json.loads(self.redis.ask("HGET", KEYS + "videos", "1"))
        self.assertEqual(self.work(), 1)
        good = {"worker": "w", "frames": 25, "seconds": 1, "end_s": 1, "reason": ""}
        gather = self.farm.gather()
        for record in (DEEP, json.dumps({**good, "frames": 26}), json.dumps({**good, "frames": -1})):
            self.redis.ask("HSET", KEYS + "done", f"1.2@{state['identity']}", record)
        end = time.monotonic() + PATIENCE_SECONDS
        while gather.poll() is None:
            self.assertLess(time.monotonic(), end, self.farm.log("gather"))
            self.work()
        self.assertEqual(gather.wait(), 0, self.farm.log("gather"))
        self.assertEqual(self.farm.gathered("1-good.avi.jsonl"), self.farm.expected(video))

    def test_videos(self):
        video = self.good_video()
        good = json.loads(self.redis.ask("HGET", KEYS + "videos", "1"))
        texts = ["", "x", "{}", DEEP, json.dumps(good), json.dumps({**good, "number": 8, "identity": "../../x"}),
                 json.dumps({**good, "number": 9, "parts": []}), json.dumps({**good, "number": 10, "parts": [1]}),
                 "\u001b[2J", json.dumps({**good, "number": -1})]
        for i, text in enumerate(texts):
            self.redis.ask("HSET", KEYS + "videos", str(3 + i), text)
        self.redis.ask("HSET", KEYS + "videos", "\u001b[2J", "x")
        self.assertEqual(self.work(), 1)
        said = self.farm.run("gather", "--output", "results", status=1) + self.farm.run("jobs")
        self.assertEqual(self.farm.gathered("1-good.avi.jsonl"), self.farm.expected(video))
        for i in range(len(texts)):
            self.assertIn(f"entry {3 + i} of the videos", said)
        self.assertNotIn("\x1b", said)
        self.assertEqual(len(self.farm.state()["problems"]), len(texts) + 1)

    def test_keys_of_other_kinds(self):
        for key in ("jobs", "results", "videos", "done", "failed", "progress"):
            self.redis.ask("SET", KEYS + key, "x")
            said = [self.farm.run(*words, status=None)
                    for words in (("jobs",), ("gather", "--output", "results"), ("worker", "--until-empty", *FAST))]
            self.assertTrue(any("in use for other data" in one for one in said), (key, said))
            self.redis.ask("DEL", KEYS + key)

    def test_frames_have_a_bound(self):
        """Of the video itself, of the size that is asked for, and of what a scale makes of both."""
        wide = self.farm.video("wide.avi", 3, 400, 300)
        for i, (application, properties) in enumerate((
                ("scene", {}), ("scene", {"size": "400x300"}), ("vivid", {"size": "200x100", "first-scale": "0.5"}),
                ("scene", {"size": "200x100"}))):
            self.submit_text(job_text(wide.as_uri(), 900, i, application, properties))
        self.work("--largest-frame", "200x200")
        failed = self.farm.failed()
        self.assertEqual(set(failed), {"900.0", "900.1", "900.2"})
        for reason in failed.values():
            self.assertIn("more than 40000 pixels. Start workers with a larger --largest-frame", reason)

    def test_nothing_that_is_waited_for_is_submitted(self):
        fifo = self.farm.folder / "fifo.avi"
        os.mkfifo(fifo)
        said = self.farm.run("submit", "--application", "scene", str(fifo), status=1)
        self.assertIn("is not a regular file", said)

    def test_queues_keep_apart(self):
        """Two queues with a video of the same number into one folder: one of them is told to wait, or to move."""
        video = self.good_video()
        self.work()
        self.farm.run("gather", "--output", "results")
        other = self.farm.video("good.avi", 104)
        self.farm.environment["TANDEM_QUEUE"] += "2"
        self.farm.submit(other)
        self.farm.worker("worker2", "--until-empty").wait(timeout=PATIENCE_SECONDS)
        said = self.farm.run("gather", "--output", "results", status=1)
        self.assertIn("exists already: move it away", said)
        self.assertEqual(len(self.farm.gathered("1-good.avi.jsonl")), 75, str(video))
        (self.farm.folder / "results/1-good.avi.jsonl").rename(self.farm.folder / "moved")
        self.farm.run("gather", "--output", "results")
        self.assertEqual(len(self.farm.gathered("1-good.avi.jsonl")), 104)


if __name__ == "__main__":
    os.environ["PATH"] = f"{sys.argv.pop(1)}:{os.environ['PATH']}"
    unittest.main(verbosity=2)
