"""Ctrl-C: a real signal to a real program, which prints what it found so far, marks it incomplete, and leaves."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simkit.cli.door import EXIT_INTERRUPTED, Limit, working

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "review_templates" / "examples" / "github_create_issue.yaml"
AT_WORK = b"[00:0"
"""The bar, which appears after a second, whatever is being done then; all of it takes many minutes."""


def interrupted(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run `simkit` until it shows that it explores, then interrupt it once."""
    program = "from simkit.cli import main; main(prog_name='simkit')"
    command = [sys.executable, "-c", program, *map(str, arguments), "--seconds", "100000"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        shown = b""
        while AT_WORK not in shown:
            more = os.read(process.stderr.fileno(), 4096)
            assert more, shown
            shown += more
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, out, shown + err)


def test_an_interrupted_exploration_prints_what_it_found_and_proves_nothing(tmp_path: Path) -> None:
    """Four faults on the way of the example are some millions of runs."""
    done = interrupted("explore", EXAMPLE, "--faults", "4", folder=tmp_path)

    lines = done.stdout.decode().splitlines()
    assert done.returncode == EXIT_INTERRUPTED == 130
    assert b"Traceback" not in done.stderr
    assert b"stopped by Ctrl-C: what was found so far is printed, and proves nothing" in done.stderr
    assert "stopped before all of them were seen: what is not broken is not proved" in lines
    # After a second it has seen each way to lose one answer, after which the agent tries again without an ID.
    assert any(line.startswith("broken          at most one effect: by 1 fault; ") for line in lines)
    assert not any(line.startswith("proved") for line in lines)


def test_an_interrupted_review_prints_what_it_found_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "issue.yaml"
    file.write_text(EXAMPLE.read_text().replace("fault_budget: 2", "fault_budget: 4"))
    before = sorted(tmp_path.iterdir())

    done = interrupted("review", file, folder=tmp_path)

    assert done.returncode == 130
    assert b"Traceback" not in done.stderr
    lines = done.stdout.decode().splitlines()
    # What has been broken stays so: never allow. What one attempt does may have been proved by then, or not.
    assert lines[0].startswith(("create_issue: DISABLE (", "create_issue: HOLD ("))
    assert "the design would allow" not in lines[0]
    assert lines[-1] == "written: nothing"
    assert sorted(tmp_path.iterdir()) == before


def test_an_interrupted_search_for_a_schedule_says_that_it_may_be_one_of_the_others(tmp_path: Path) -> None:
    done = interrupted("replay", EXAMPLE, "abcdef", "--faults", "4", folder=tmp_path)

    assert done.returncode == 130
    assert b"stopped before all of them were seen: it may be one of the others" in done.stderr
    assert done.stdout == b""


def test_a_second_interruption_ends_the_program_at_once() -> None:
    with working(100.0) as (_, limit):
        signal.raise_signal(signal.SIGINT)

        assert limit()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_after_the_work_a_signal_does_what_it_did_before() -> None:
    def own(_number: int, _frame: object) -> None: ...

    before = signal.signal(signal.SIGINT, own)
    try:
        with working(100.0):
            signal.raise_signal(signal.SIGINT)
        found = signal.getsignal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)

    assert found is own


@pytest.mark.parametrize(("seconds", "is_over"), ((0.0, True), (float("nan"), True), (1e6, False)))
def test_a_limit_ends_work_at_its_time_and_looks_on_each_time(seconds: float, *, is_over: bool) -> None:
    looks: list[bool] = []
    limit = Limit(seconds, lambda: looks.append(True))

    answers = [limit(), limit()]

    assert answers == [is_over, is_over]
    assert (len(looks), limit.was_interrupted) == (2, False)
