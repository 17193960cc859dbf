# SPDX-License-Identifier: BSD-3-Clause
"""A fixture of pytest, `roofline`: a test fails when a kernel is slower than a committed baseline says.

    def test_speed(roofline):
        roofline.check(["./app", "--size", "100"], baseline="app.points.json", fail_below=0.95)

`pytest --roofline-update` records the baselines anew. The program `roofline` records and judges.
"""

from __future__ import annotations

import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from statistics import median
from typing import Any, Sequence, Union

import pytest

from . import Path, find_program

RECORDINGS = 5  # of a baseline: one alone does not show how much recordings differ


class Checker:
    def __init__(self, home: Path, scratch: Path, is_update: bool) -> None:
        self._home, self._scratch, self._is_update = home, scratch, is_update
        self._program = find_program("roofline")

    def check(
        self, program: Union[Path, Sequence[Path]], baseline: Path, fail_below: float = 0.95,
        options: Sequence[str] = ("--with", "time"),
    ) -> list[dict[str, str]]:  # fmt: skip
        """Fails the test when a kernel is slower than fail_below of the baseline's speed, and not by chance.

        program: a command, run in the current folder, or a file of points. baseline: a file, relative to the
        test's folder. options: of `roofline record`; () for its best recorder, which GPUs need.
        """
        if not shutil.which(self._program):
            pytest.skip(f"no program {self._program} in PATH, which records and compares")
        file = os.path.join(self._home, baseline)
        if self._is_update:
            merged = _merged([self._points(program, options) for _ in range(RECORDINGS)])
            pathlib.Path(file).write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
            return []
        words = ["compare", file, self._points(program, options), "--fail-below", str(fail_below)]
        code, table, said = self._run(*words)
        print(table)  # pytest shows it beside a failure
        if code not in (0, 1, 4):  # 4: errors too large for a verdict
            pytest.fail(f"{baseline}: {said} (pytest --roofline-update records it)", pytrace=False)
        rows = list(csv.DictReader(self._run(*words, "--output", "csv")[1].splitlines()))
        times = [row for row in rows if row["kind"] == "time"]
        slower = [row["group"] for row in times if row["fails"] == "yes"]
        lost = [row["group"] for row in times if row["verdict"] == "only in A"]
        if slower or lost:
            text = said if slower else f"no longer recorded: {', '.join(lost)}"
            pytest.fail(f"{baseline}: {text}", pytrace=False)
        return rows

    def _points(self, program: Union[Path, Sequence[Path]], options: Sequence[str]) -> str:
        if isinstance(program, (str, os.PathLike)):
            return os.fspath(program)
        folder = tempfile.mkdtemp(dir=self._scratch)
        code, _, said = self._run("record", *options, "--out", folder, "--", *map(str, program))
        if code != 0:
            pytest.fail(f"exit code {code} of the recording: {said}", pytrace=False)
        return os.path.join(folder, "points.json")

    def _run(self, *words: str) -> tuple[int, str, str]:  # exit code, output, last message
        done = subprocess.run([self._program, *words], capture_output=True, encoding="utf-8", check=False)
        return done.returncode, done.stdout, (done.stderr.splitlines() or [""])[-1]


def _merged(files: Sequence[str]) -> Any:
    """Recordings as one: the medians of times, from the least end of their intervals to the greatest."""
    contents = [json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in files]
    for i, point in enumerate(contents[0]["points"]):
        found = [other for one in contents for other in one["points"][i : i + 1]]
        same = [other for other in found if other["name"] == point["name"] and other.get("time_s")]
        ends = [end for other in same for end in other.get("interval_s", [other["time_s"]])]
        if same:
            point.update(time_s=median(one["time_s"] for one in same), interval_s=[min(ends), max(ends)])
    return contents[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--roofline-update", action="store_true", help="roofline.check() records baselines anew")


@pytest.fixture
def roofline(request: pytest.FixtureRequest, tmp_path: "os.PathLike[str]") -> Checker:
    return Checker(request.path.parent, tmp_path, bool(request.config.getoption("--roofline-update")))
