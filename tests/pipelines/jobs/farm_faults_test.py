# SPDX-License-Identifier: LGPL-2.1-or-later
"""Workers, gatherers and the server are killed, stopped and ended at random: results equal those of one run, exit
statuses are true, and a signal ends whoever gets it. With a number of rounds behind the folder, these many rounds of
faults; the seed is printed. usage: farm_faults_test.py FOLDER-OF-TANDEM [TEST...], TANDEM_ROUNDS=N, TANDEM_SEED=N"""
import json
import os
import pathlib
import random
import signal
import sys
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parent))
from farm import END_SECONDS, Farm, PATIENCE_SECONDS, job_text, needs_server

ROUNDS = int(os.environ.get("TANDEM_ROUNDS", "2"))
SEED = int(os.environ.get("TANDEM_SEED", time.time_ns() % 10**9))
INTERRUPTED = 130
# A stop that is longer than a claim (2 s), and shorter.
STOPS_SECONDS = (0.5, 4)


@needs_server
class Faults(unittest.TestCase):
    def setUp(self):
        print(f"TANDEM_SEED={SEED}", flush=True)
        self.random = random.Random(SEED)
        self.farm = Farm(self)
        self.redis = self.farm.start_server()
        self.addCleanup(lambda: self.redis.close())

    def ended(self, process, what):
        """Signals a process and returns its status."""
        begin = time.monotonic()
        process.send_signal(self.random.choice((signal.SIGTERM, signal.SIGINT)))
        status = process.wait(timeout=END_SECONDS)
        self.longest = max(getattr(self, "longest", (0, "")), (time.monotonic() - begin, what))
        return status

    def test_signals(self):
        """At any moment, with a server that answers, that stands still, and that is gone."""
        for part in range(200):
            self.redis.ask("XADD", "people:jobs", "*", "job", job_text("file:///nowhere/x.avi", 900, part))
        long = self.farm.video("long.avi", 6000)
        self.farm.submit(long, "0")
        for state in ("answers", "stands still", "is gone"):
            for _ in range(2 * ROUNDS):
                workers = [self.farm.worker("worker"), self.farm.gather("gather")]
                time.sleep(self.random.uniform(0, 2.5))
                if state == "stands still":
                    self.farm.server.send_signal(signal.SIGSTOP)
                elif state == "is gone":
                    self.farm.kill_server()
                time.sleep(self.random.uniform(0, 1))
                for process, what in zip(workers, ("worker", "gather")):
                    status = self.ended(process, f"{what}, server {state}")
                    # Before its first line of code a process ends by the signal itself.
                    self.assertIn(status, (0, INTERRUPTED, -signal.SIGTERM, -signal.SIGINT, 1), self.farm.log(what))
                if state == "stands still":
                    self.farm.server.send_signal(signal.SIGCONT)
                elif state == "is gone":
                    self.redis.close()
                    self.redis = self.farm.start_server()
        print(f"longest end: {self.longest[0]:.1f} s ({self.longest[1]})")

    def test_one_gather_a_folder(self):
        video = self.farm.video("gate.avi", 75)
        self.farm.submit(video)
        first = self.farm.gather("first")
        end = time.monotonic() + PATIENCE_SECONDS
        while not any((self.farm.folder / "results").iterdir()):
            self.assertLess(time.monotonic(), end, self.farm.log("first"))
            time.sleep(0.05)
        first.send_signal(signal.SIGSTOP)
        self.farm.worker("worker", "--until-empty").wait(timeout=PATIENCE_SECONDS)
        second = self.farm.gather("second")
        self.assertEqual(second.wait(timeout=PATIENCE_SECONDS), 1)
        self.assertIn("another process holds it", self.farm.log("second"))
        # Into another folder it goes on where the first one was, which notices when it wakes up.
        (self.farm.folder / "other").mkdir()
        third = self.farm.gather("third", "other")
        self.assertEqual(third.wait(timeout=PATIENCE_SECONDS), 0, self.farm.log("third"))
        self.assertEqual(self.farm.gathered("1-gate.avi.jsonl", "other"), self.farm.expected(video))
        first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(timeout=PATIENCE_SECONDS), 1, self.farm.log("first"))
        self.assertIn("not in the queue any more", self.farm.log("first"))
        self.assertFalse((self.farm.folder / "results/1-gate.avi.jsonl").exists())

    def disturb(self, farm, processes):
        """Kills or stops one of the processes by name, or the server."""
        name = self.random.choice([*processes, "server"])
        kills = self.random.random() < 0.5
        if name == "server":
            if kills:
                farm.kill_server()
                time.sleep(self.random.uniform(0, 1))
                farm.start_server().close()
            else:
                farm.server.send_signal(signal.SIGSTOP)
                time.sleep(self.random.choice(STOPS_SECONDS))
                farm.server.send_signal(signal.SIGCONT)
            return
        process = processes[name]
        if process.poll() is not None:
            return
        if kills:
            process.send_signal(self.random.choice((signal.SIGKILL, signal.SIGTERM)))
            process.wait(timeout=END_SECONDS)
        else:
            process.send_signal(signal.SIGSTOP)
            time.sleep(self.random.choice(STOPS_SECONDS))
            process.send_signal(signal.SIGCONT)

    def round(self, farm, videos, number):
        folder = f"results{number}"
        (farm.folder / folder).mkdir()
        farm.environment["TANDEM_QUEUE"] = f"redis://127.0.0.1:{farm.port}/people{number}"
        for video in videos:
            farm.submit(video)
        start = {"gather": lambda: farm.gather(f"gather{number}", folder),
                 **{f"worker{i}": lambda i=i: farm.worker(f"worker{number}-{i}", "--attempts", "100")
                    for i in range(3)}}
        processes = {name: begin() for name, begin in start.items()}
        faults = self.random.randint(2, 6)
        end = time.monotonic() + PATIENCE_SECONDS
        while processes["gather"].poll() != 0:
            self.assertLess(time.monotonic(), end, farm.log(f"gather{number}"))
            if faults > 0:
                faults -= 1
                time.sleep(self.random.uniform(0, 2))
                self.disturb(farm, processes)
            for name, process in processes.items():
                if process.poll() is not None and (name != "gather" or process.poll() != 0):
                    # Whoever is killed comes again; nobody crashes.
                    self.assertIn(process.poll(), (0, INTERRUPTED, -signal.SIGKILL, -signal.SIGTERM),
                                  farm.log(f"gather{number}"))
                    processes[name] = start[name]()
            time.sleep(0.1)
        # It said that all is there.
        for i, video in enumerate(videos):
            self.assertEqual(farm.gathered(f"{i + 1}-{video.name}.jsonl", folder), farm.expected(video))
        for name, process in processes.items():
            if name != "gather":
                process.kill()
                process.wait()
        # A worker that was overtaken may have published a line since, which the next gather passes over.
        self.assertEqual(farm.gather(f"gather{number}", folder).wait(timeout=PATIENCE_SECONDS), 0)
        self.assertEqual(farm.state()["results_waiting"], 0)

    def test_rounds(self):
        videos = [self.farm.video("gate.avi", 200), self.farm.video("yard.avi", 60)]
        for number in range(ROUNDS):
            self.round(self.farm, videos, number)
            print(f"round {number + 1} of {ROUNDS}", flush=True)

    def test_good_among_bad(self):
        """Many good jobs among bad ones: all are done, nothing twice."""
        good, bad = (1000, 100) if ROUNDS > 2 else (100, 10)
        video = self.farm.video("gate.avi", 4 * good)
        bad_texts = [job_text(uri, 900, part) for part, uri in enumerate(
            ["fd://6", "file:///nowhere.avi", "x", "splitmux:///x", f"file://{self.farm.folder}"] * (bad // 5))]
        self.farm.submit(video, str(4 / 25))
        entries = self.redis.ask("XRANGE", "people:jobs", "-", "+")
        self.assertEqual(len(entries), good)
        self.redis.ask("DEL", "people:jobs")
        texts = [entry[1][1] for entry in entries] + bad_texts
        self.random.shuffle(texts)
        for text in texts:
            self.redis.ask("XADD", "people:jobs", "*", "job", text)
        begin = time.monotonic()
        workers = [self.farm.worker(f"worker{i}", "--until-empty", "--attempts", "1") for i in range(3)]
        gather = self.farm.gather()
        for process in [*workers, gather]:
            self.assertEqual(process.wait(timeout=3 * PATIENCE_SECONDS), 0, self.farm.log("gather"))
        print(f"{good} good jobs, {bad} bad ones: {time.monotonic() - begin:.0f} s")
        self.assertEqual(len(self.farm.failed()), bad)
        self.assertEqual(self.farm.gathered("1-gate.avi.jsonl"), self.farm.expected(video))
        self.assertEqual(json.loads(self.farm.run("jobs", "--json"))["results_waiting"], 0)


if __name__ == "__main__":
    os.environ["PATH"] = f"{sys.argv.pop(1)}:{os.environ['PATH']}"
    unittest.main(verbosity=2)
