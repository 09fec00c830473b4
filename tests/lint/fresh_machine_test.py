#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tools/fresh_machine says where it can make no machine, and that it leaves nothing behind. Programs that would
change the machine are stand-ins."""

import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/fresh_machine"
REAL = "bash sh env dirname realpath cat awk grep mktemp mkdir rm cp chmod du df cut tail sleep".split()
# Ends as a bare machine would with the command's exit status, which chroot is told here.
STAND_INS = {
    "id": "echo 0",
    "apt-config": ":",
    "apt-get": ":",
    "mount": ":",
    "unshare": 'while [[ $1 == --* ]]; do shift; done; "$@"',
    "wget": ":",
    "git": 'if [ "$1" = clone ]; then mkdir -p "${@: -1}"; else exit 1; fi',
    "debootstrap": 'root=${@: -2:1}; mkdir -p "$root"/{etc/apt/apt.conf.d,usr/sbin,usr/local/lib,var/log/apt,root}',
    "chroot": '[ "$1" = / ] || { printf "%s\\n" "${@: -2}"; exit 5; }',
}


class FreshMachine(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.programs, self.machines = pathlib.Path(kept.name, "bin"), pathlib.Path(kept.name, "machines")
        self.programs.mkdir()
        self.machines.mkdir()
        for name in REAL:
            (self.programs / name).symlink_to(shutil.which(name))
        for name, text in STAND_INS.items():
            self.stand_in(name, text)

    def stand_in(self, name, text):
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def start(self, *arguments, **environment):
        return subprocess.Popen(
            [SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": str(self.programs), "TMPDIR": str(self.machines), **environment})

    def expect(self, status, message, *arguments, **environment):
        process = self.start(*arguments, **environment)
        output = process.communicate()[0]
        self.assertEqual(process.returncode, status, output)
        self.assertIn(message, output)
        self.assertEqual(list(self.machines.iterdir()), [])
        return output

    def test_arguments(self):
        self.expect(2, "usage: tools/fresh_machine")
        self.expect(2, "usage: tools/fresh_machine", "bookworm")
        self.expect(2, "no distribution 'etch': bookworm (12) or trixie (13)", "etch", "true")
        self.expect(2, "no option '--fast'", "--fast", "bookworm", "true")
        self.expect(2, "--data needs a folder, and '/nowhere' is none", "--data", "/nowhere", "bookworm", "true")
        self.expect(2, "--share needs a folder, and '' is none", "--share")

    def test_no_root(self):
        self.stand_in("id", "echo 1000")
        self.expect(77, "only root can make a machine", "bookworm", "true")

    def test_no_debootstrap(self):
        (self.programs / "debootstrap").unlink()
        self.expect(77, "debootstrap is missing: ./dev setup fresh-machine installs it", "bookworm", "true")

    def test_no_mounts(self):
        self.stand_in("unshare", "exit 1")
        self.expect(77, "this container may not mount", "bookworm", "true")

    def test_no_chroot(self):
        self.stand_in("chroot", "exit 1")
        self.expect(77, "this container may not mount or chroot", "bookworm", "true")

    def test_mirror_of_apt(self):
        release = pathlib.Path("/etc/os-release")
        if not release.is_file() or "\nID=debian\n" not in release.read_text(encoding="utf-8"):
            self.skipTest("not on Debian")
        self.stand_in("apt-get", """. /etc/os-release
            for line in "security $VERSION_CODENAME-security main" "extra $VERSION_CODENAME contrib" \\
              "debian/ $VERSION_CODENAME main" "later $VERSION_CODENAME main"; do echo "http://mirror/$line"; done""")
        self.expect(5, "a bare Debian trixie from http://mirror/debian\n", "13", "true")

    def test_no_mirror(self):
        self.stand_in("sleep", ":")
        self.stand_in("wget", 'echo "${@: -1}" >>"$TMPDIR/../asked"; echo "unable to resolve host address"; exit 4')
        self.expect(77, "no trixie from the mirror http://nowhere/debian (unable to resolve host address): MIRROR=URL "
                    "names another one", "13", "true", MIRROR="http://nowhere/debian/")
        asked = (self.machines.parent / "asked").read_text(encoding="utf-8")
        self.assertEqual(asked, "http://nowhere/debian/dists/trixie/InRelease\n" * 3)

    def test_mirror_that_stops(self):
        self.stand_in("sleep", ":")
        self.stand_in("debootstrap", 'echo "E: no packages"; : >"$TMPDIR/../stopped"; exit 1')
        self.stand_in("wget", 'if [ -f "$TMPDIR/../stopped" ]; then echo "connection refused"; exit 4; fi')
        self.expect(77, "the mirror http://m stopped answering (connection refused)", "12", "true", MIRROR="http://m")

    def test_debootstrap_fails(self):
        self.stand_in("debootstrap", "echo 'E: no packages'; exit 1")
        output = self.expect(1, "debootstrap could not make bookworm from", "12", "true")
        self.assertIn("E: no packages", output)

    def test_full_disk(self):
        self.stand_in("debootstrap", "echo 'cp: error writing: No space left on device'; exit 1")
        self.expect(1, "the disk is full: TMPDIR=DIR names a folder with more room", "12", "true")

    def test_command(self):
        output = self.expect(5, "trixie: exit status 5 after", "trixie", "./dev", "demo")
        self.assertIn("\n./dev\ndemo\n", output)
        self.assertIn("changes that are not committed are left out", output)

    def test_downloads(self):
        """Of what apt's methods report, the size of a file that is there counts, and not that of one that begins."""
        self.stand_in("chroot", """[ "$1" = / ] || printf '%s\\n' '200 URI Start' 'Size: 7000000' '' '201 URI Done' 'Size: 7000000' \\
            '201 URI Done' 'Size: 1500000' >>"$1/var/log/apt/downloads" """)
        self.expect(0, "downloaded 8 MB", "trixie", "true")

    def test_signal(self):
        self.stand_in("debootstrap", 'echo started >"$TMPDIR/../started"; exec sleep 1000')
        process = self.start("bookworm", "true")
        started = self.machines.parent / "started"
        while not started.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        output = process.communicate()[0]
        self.assertEqual(process.returncode, 143, output)
        self.assertEqual(list(self.machines.iterdir()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
