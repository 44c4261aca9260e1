"""Asks the tool, and keeps the answers."""
import json
import os
import shlex
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ.get("TACTUS", f"{ROOT}/build/release/tactus")


def ask(*words, seconds=120):
    """Exit code, document (None where there is none), and what went to stderr."""
    command = [TOOL, *map(str, words), "--json", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return 124, None, "no answer in time"
    try:
        return done.returncode, json.loads(done.stdout), done.stderr
    except ValueError:
        return done.returncode, None, done.stderr


class Score:
    """What was asked, what was said and what is wrong with it; failures are printed as they come."""

    def __init__(self):
        self.rows, self.covered = [], []

    def add(self, group, name, wrong, words, answer=None):
        verdict = (answer or {}).get("verdict") or {}
        command = shlex.join([os.path.basename(TOOL), *map(str, words)])
        self.rows.append({"group": group, "name": name, "wrong": wrong, "command": command, "verdict": verdict,
                          "change": (answer or {}).get("change"), "seen": (answer or {}).get("seen")})
        if wrong:
            print(f"WRONG [{group}] {name}: {'; '.join(wrong)}\n      said {verdict.get('class')}: "
                  f"{verdict.get('text', '')}\n      {command}", flush=True)

    def groups(self):
        """(group, right, asked) in the order of asking."""
        for group in dict.fromkeys(row["group"] for row in self.rows):
            ours = [row for row in self.rows if row["group"] == group]
            yield group, sum(not row["wrong"] for row in ours), len(ours)
