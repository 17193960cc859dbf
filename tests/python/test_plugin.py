# SPDX-License-Identifier: BSD-3-Clause
"""The fixture of pytest: python3 -m pytest -p pytester test_plugin.py, the program `roofline` in PATH."""

import json

import pytest

from roofline.pytest_plugin import _merged

CHECK = "def test_it(roofline):\n    print(roofline.check({program}, baseline='base.json', {more}))\n"


def points(time_s, name="solve"):
    interval = [time_s * 0.99, time_s * 1.01]
    one = {"name": name, "time_s": time_s, "interval_s": interval, "flops": [], "bytes": []}
    return json.dumps({"schema": "ert-points/1", "points": [one]})


@pytest.fixture
def outcome(pytester):
    def run(program, *options, more="fail_below=0.95"):
        pytester.makepyfile(CHECK.format(program=repr(program), more=more))
        return pytester.runpytest_subprocess("-p", "roofline.pytest_plugin", *options)

    return run


def write(pytester, base, now):
    (pytester.path / "base.json").write_text(base)
    (pytester.path / "now.json").write_text(now)


def test_as_fast(pytester, outcome):
    write(pytester, points(1), points(1.02))
    outcome("now.json").assert_outcomes(passed=1)


def test_slower_is_named(pytester, outcome):
    write(pytester, points(1), points(1.2))
    result = outcome("now.json")
    result.assert_outcomes(failed=1)
    words = "1 of 1 below 0.95 of A: solve time 0.8333"
    result.stdout.fnmatch_lines([f"base.json: roofline: {words}"])
    outcome("now.json", more="fail_below=0.8").assert_outcomes(passed=1)


def test_nothing_in_both(pytester, outcome):
    double = json.loads(points(1))
    double["points"] += json.loads(points(1, "other"))["points"]
    write(pytester, json.dumps(double), points(1))
    outcome("now.json").stdout.fnmatch_lines(["base.json: no longer recorded: other"])
    double["points"][0]["name"] = "third"
    write(pytester, json.dumps(double), points(1))
    outcome("now.json").stdout.fnmatch_lines(["*nothing is in both*"])


def test_no_baseline(pytester, outcome):
    write(pytester, points(1), points(1))
    (pytester.path / "base.json").unlink()
    outcome("now.json").stdout.fnmatch_lines(["*No such file* (pytest --roofline-update records it)"])


def test_a_command_is_recorded(pytester, outcome):
    outcome(["true"], "--roofline-update").assert_outcomes(passed=1)
    written = json.loads((pytester.path / "base.json").read_text())
    assert [point["name"] for point in written["points"]] == ["true"]
    outcome(["true"], more="fail_below=0.0001").assert_outcomes(passed=1)
    outcome(["sh", "-c", "exit 7"]).stdout.fnmatch_lines(["exit code 7 of the recording: *"])
    outcome(["./no-such-program"]).stdout.fnmatch_lines(["*no-such-program: cannot be started*"])


def test_noise_is_no_slowdown(pytester, outcome):
    """The recordings of the baseline differ by as much."""
    wide = json.loads(points(1))
    wide["points"][0]["interval_s"] = [0.8, 1.25]
    write(pytester, json.dumps(wide), points(1.2))
    outcome("now.json").assert_outcomes(passed=1)


def test_a_baseline_is_several_recordings(pytester):
    files = []
    for i, time_s in enumerate((1.0, 1.5, 1.1, 1.2, 1.3)):
        files.append(pytester.path / f"{i}.json")
        files[-1].write_text(points(time_s))
    merged = _merged(files)["points"]
    assert len(merged) == 1 and merged[0]["time_s"] == 1.2
    assert merged[0]["interval_s"] == pytest.approx([0.99, 1.515])


def test_no_program(outcome, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    result = outcome("now.json", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*no program roofline in PATH*"])
