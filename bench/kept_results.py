# SPDX-License-Identifier: Apache-2.0
"""What parts of a long benchmark came to, kept for as long as what they measure is the same."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version(paths):
    """The last commit that touched them; "" where something is not committed."""
    said = subprocess.run(["git", "log", "-1", "--format=%h", "--", *paths], cwd=ROOT, text=True,
                          capture_output=True)
    changed = subprocess.run(["git", "status", "--porcelain", "--", *paths], cwd=ROOT, text=True,
                             capture_output=True)
    return said.stdout.strip() if said.returncode == 0 and not changed.stdout.strip() else ""


def run(command):
    """The output, shown as it comes, and the exit status."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        for line in program.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return "".join(lines), program.returncode


class Kept:
    def __init__(self, folder, paths):
        self.folder = ROOT / "build" / folder
        self.commit = version(paths)

    def find(self, name):
        """What was kept under this name for the same commit, or None."""
        try:
            kept = json.loads((self.folder / f"{name}.json").read_text())
            return kept if self.commit and kept["commit"] == self.commit else None
        except (OSError, ValueError, KeyError):
            return None

    def keep(self, name, what):
        if not self.commit:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{name}.json").write_text(json.dumps({"commit": self.commit, **what}))
