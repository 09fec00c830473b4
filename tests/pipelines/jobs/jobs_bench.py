# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many jobs, four workers, one killed, one stopped for longer than its claim, the server killed and started
again: prints whether the results equal one run, and the time that the queue takes of a job.
usage: jobs_bench.py FOLDER-OF-TANDEM [JOBS]"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).parents[1] / "pages"))
from page import free_port

FRAMES_PER_JOB = 4
CLAIM_SECONDS = 4
FAST = ["--device", "cpu", "--adapt", "off", "--knowledge", "off"]


def comparable(path):
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        frame = json.loads(line)
        del frame["time"]
        found.append(frame)
    return found


def main():
    os.environ["PATH"] = f"{sys.argv[1]}:{os.environ['PATH']}:/usr/sbin"
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    port = free_port()
    os.environ["TANDEM_QUEUE"] = f"redis://127.0.0.1:{port}/bench"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        video, results = folder / "a.avi", folder / "results"
        results.mkdir()
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "pattern=ball", f"num-buffers={jobs * FRAMES_PER_JOB}",
                        "!", "video/x-raw,format=I420,framerate=25/1,width=64,height=48", "!", "jpegenc", "!",
                        "avimux", "!", "filesink", f"location={video}"], check=True)

        def start(*words):
            return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)

        def server():
            return start("redis-server", "--port", str(port), "--bind", "127.0.0.1", "--appendonly", "yes", "--save", "")

        def ask(*words):
            done = subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True, check=False)
            return done.stdout.strip()

        def left():
            return int(ask("XLEN", "bench:jobs") or jobs)

        redis = server()
        while ask("PING") != "PONG":
            time.sleep(0.1)
        subprocess.run(["tandem", "submit", "--application", "scene", "--part", str(FRAMES_PER_JOB / 25), str(video)],
                       check=True)
        begin = time.monotonic()
        workers = [start("tandem", "worker", "--until-empty", "--claim", str(CLAIM_SECONDS), "--threads", "1", *FAST) for _ in range(4)]
        gather = start("tandem", "gather", "--output", str(results))
        while left() > jobs * 0.9:
            time.sleep(0.2)
        workers[0].kill()
        workers[1].send_signal(signal.SIGSTOP)
        awake = time.monotonic() + CLAIM_SECONDS + 3
        while left() > jobs * 0.6:
            time.sleep(0.2)
        redis.kill()
        redis.wait()
        redis = server()
        while ask("PING") != "PONG":
            time.sleep(0.1)
        time.sleep(max(0, awake - time.monotonic()))
        workers[1].send_signal(signal.SIGCONT)
        for process in [*workers[1:], gather]:
            process.wait()
        print(f"{jobs} jobs: {time.monotonic() - begin:.1f} s")
        calls = [line for line in ask("INFO", "commandstats").splitlines() if "usec_per_call" in line]
        redis.kill()
        redis.wait()
        run = folder / "run.jsonl"
        subprocess.run(["tandem", "run", "scene", "--input", str(video), "--metadata", str(run), *FAST], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        same = comparable(results / "1-a.avi.jsonl") == comparable(run)
        print("results equal one run" if same else "RESULTS DIFFER", f"({len(comparable(run))} frames)")
        print("\n".join(calls))
        return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
