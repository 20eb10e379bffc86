"""The tree is tidy, and each rule that says so bites on a source that breaks it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests import tidy

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent
IGNORED_FOLDERS = frozenset({"__pycache__", ".ipynb_checkpoints"})
TOP_LEVEL = (".ci", ".gitignore", "README.md", "notebooks", "pyproject.toml", "review_templates", "simkit", "tests")
LISTS_OF_SMALL_ONES = frozenset({"simkit/errors.py", "simkit/records.py", "simkit/terms.py"})


def files_under(*names: str, suffix: str = "") -> tuple[str, ...]:
    """Return the project's own files below `names`, relative to the checkout."""
    tops = [ROOT / name for name in names]
    paths = [path for top in tops for path in ([top] if top.is_file() else sorted(top.rglob("*")))]
    return tuple(
        path.relative_to(ROOT).as_posix()
        for path in paths
        if path.is_file() and path.name.endswith(suffix) and not IGNORED_FOLDERS & set(path.parts)
    )


SIMKIT = files_under("simkit", suffix=".py")
TESTS = files_under("tests", "notebooks", suffix=".py")


def rules_for(path: str) -> dict[str, Callable[[str], list[str]]]:
    """Return the rules that hold for one file; rooms differ in what they may do."""
    room = path.removesuffix(".py").split("/")[1]
    rules: dict[str, Callable[[str], list[str]]] = {
        "length": partial(tidy.length_problems, line_count_max=400 if path.startswith("simkit/") else 500),
        "function length": partial(tidy.function_length_problems, line_count_max=70),
        "docstring": tidy.docstring_problems,
        "module name": lambda _: tidy.module_name_problems(path),
        "type checking": tidy.type_checking_problems,
        "leftovers": tidy.leftover_problems,
    }
    if not path.startswith("simkit/"):
        return rules
    rules["__all__"] = tidy.all_problems
    rules["mutable state"] = tidy.mutable_state_problems
    rules["units"] = partial(tidy.unit_problems, may_use_formula_letters=room == "stats")
    if path not in LISTS_OF_SMALL_ONES:
        rules["counts"] = partial(tidy.count_problems, function_count_max=12, class_count_max=3)
    if room != "cli":
        rules["banned names"] = partial(tidy.banned_name_problems, may_construct_generators=room == "chance")
    if room not in {"cli", "probe"}:
        rules["broad except"] = tidy.broad_except_problems
    return rules


@pytest.mark.parametrize("path", SIMKIT + TESTS)
def test_a_python_file_keeps_the_rules_of_the_house(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")

    problems = [f"{path}:{problem} [{rule}]" for rule, check in rules_for(path).items() for problem in check(source)]

    assert problems == []


def test_every_folder_of_simkit_with_modules_is_a_package() -> None:
    folders = {path.rpartition("/")[0] for path in SIMKIT}

    assert {folder for folder in folders if f"{folder}/__init__.py" not in SIMKIT} == set()


def test_no_file_names_a_machine_a_registry_or_a_file_outside_the_checkout() -> None:
    texts = {path: (ROOT / path).read_bytes().decode("utf-8", errors="replace") for path in files_under(*TOP_LEVEL)}

    problems = [f"{path}:{problem}" for path, text in texts.items() for problem in tidy.place_problems(text)]

    assert problems == []


def test_pins_are_exact_and_name_no_address() -> None:
    pins = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()

    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", pin)] == []
    assert pins == sorted(pins, key=str.lower)


def test_every_ignored_lint_rule_has_its_reason() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    ignored = [line for line in lines if re.match(r'\s+"[A-Z]{1,4}[0-9]*",', line)]

    assert len(ignored) > 10
    assert [line for line in ignored if not re.search(r",\s+# \S", line)] == []


def test_importing_simkit_loads_no_heavy_library() -> None:
    program = "import simkit, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"

    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    heavy = {"matplotlib", "numpy", "pandas", "pydantic", "scipy", "simpy", "typst"}
    assert "simkit" in result.stdout.split()
    assert heavy & set(result.stdout.split()) == set()


no_generators = partial(tidy.banned_name_problems, may_construct_generators=False)
generators = partial(tidy.banned_name_problems, may_construct_generators=True)
plain_units = partial(tidy.unit_problems, may_use_formula_letters=False)
formula_units = partial(tidy.unit_problems, may_use_formula_letters=True)
counts = partial(tidy.count_problems, function_count_max=2, class_count_max=1)
LONG_FUNCTION = "def f():\n" + '    """One.\n\n    Two.\n    """\n' + "    x = 1\n" * 4
BEHAVIOUR = "class {}:\n    def run(self): ...\n"


@pytest.mark.parametrize(
    ("check", "source"),
    (
        (partial(tidy.length_problems, line_count_max=2), "a\nb\nc\n"),
        (partial(tidy.function_length_problems, line_count_max=4), LONG_FUNCTION),
        (tidy.docstring_problems, "x = 1\n"),
        (tidy.docstring_problems, '"""Names of things"""\n'),
        (tidy.all_problems, "def f(): ...\n"),
        (tidy.all_problems, '__all__ = ["b", "a"]\n'),
        (tidy.all_problems, '__all__ = ["a", "a"]\n'),
        (tidy.all_problems, '__all__ = ["a"]\ndef b(): ...\n'),
        (lambda _: tidy.module_name_problems("simkit/utils/texts.py"), ""),
        (lambda _: tidy.module_name_problems("simkit/world/helpers.py"), ""),
        (no_generators, "import random\n"),
        (no_generators, "from time import monotonic\n"),
        (no_generators, "from uuid import uuid4\n"),
        (no_generators, "import datetime\nx = datetime.datetime.now()\n"),
        (no_generators, "from datetime import datetime\nx = datetime.today()\n"),
        (no_generators, "import numpy as np\nx = np.random.rand()\n"),
        (no_generators, "import numpy as np\nx = np.random.default_rng(1)\n"),
        (generators, "from numpy.random import seed\n"),
        (tidy.broad_except_problems, "try:\n    f()\nexcept Exception:\n    pass\n"),
        (tidy.broad_except_problems, "try:\n    f()\nexcept (KeyError, BaseException):\n    pass\n"),
        (tidy.broad_except_problems, "try:\n    f()\nexcept:\n    pass\n"),
        (tidy.type_checking_problems, "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import x\n"),
        (tidy.type_checking_problems, "import typing\nif typing.TYPE_CHECKING:\n    import x\n"),
        (tidy.mutable_state_problems, "CACHE = {}\n"),
        (tidy.mutable_state_problems, "SEEN: list[int] = [n for n in range(3)]\n"),
        (tidy.mutable_state_problems, "import collections\nSEEN = collections.defaultdict(list)\n"),
        (tidy.mutable_state_problems, "def f():\n    global n\n    n = 1\n"),
        (counts, "def a(): ...\ndef b(): ...\ndef c(): ...\n"),
        (counts, BEHAVIOUR.format("A") + BEHAVIOUR.format("B")),
        (plain_units, "def f(timeout: float): ...\n"),
        (plain_units, "class A:\n    delay: float | None\n"),
        (plain_units, "class A:\n    delays: tuple[float, ...] = ()\n"),
        (plain_units, "def f(*, max_s_backoff_length: float): ...\n"),
        (plain_units, "def f(n: float): ...\n"),
        (formula_units, "def f(rate: float): ...\n"),
        (tidy.leftover_problems, "import pytest\n@pytest.mark.sk~ip\ndef test_x(): ...\n"),
        (tidy.leftover_problems, "x = 1  # TO~DO later\n"),
        (tidy.leftover_problems, "x = 1  # type~: ignore\n"),
        (tidy.place_problems, "see /ho~me/me/notes\n"),
        (tidy.place_problems, "pip install --index-u~rl x\n"),
        (tidy.place_problems, "see shar~ed/facts\n"),
    ),
)
def test_a_rule_bites(check: Callable[[str], list[str]], source: str) -> None:
    # A tilde keeps the made-up source from breaking the rule here, where this file is read too.
    problems = check(source.replace("~", ""))

    assert len(problems) == 1
    assert re.match(r"\d+: ", problems[0])


@pytest.mark.parametrize(
    ("check", "source"),
    (
        (partial(tidy.function_length_problems, line_count_max=5), LONG_FUNCTION),
        (tidy.all_problems, '__all__ = ["LIMIT", "Alpha", "Zed", "f2", "f10"]\ndef _private(): ...\n'),
        (lambda _: tidy.module_name_problems("simkit/world/downstream.py"), ""),
        (no_generators, "import numpy as np\ndef f(rng: np.random.Generator): ...\n"),
        (no_generators, "from datetime import timedelta\nfrom simkit.world import time\nfrom . import random\n"),
        (generators, "import numpy as np\nx = np.random.Generator(np.random.Philox(np.random.SeedSequence(1)))\n"),
        (tidy.broad_except_problems, "try:\n    f()\nexcept (KeyError, ValueError):\n    pass\n"),
        (tidy.mutable_state_problems, '__all__ = ["A"]\nA = frozenset({1})\nB = MappingProxyType({1: 2})\n'),
        (counts, BEHAVIOUR.format("A") + BEHAVIOUR.format("_B") + "class C:\n    x: int\n"),
        (counts, BEHAVIOUR.format("A") + "class C:\n    @property\n    def x(self): ...\n"),
        (counts, BEHAVIOUR.format("A") + BEHAVIOUR.format("B(Protocol)")),
        (plain_units, "def f(wait_s: float, now_at_s: float, rate_per_s: float, backoff_s_max: float): ...\n"),
        (plain_units, "class A:\n    lost_probability: float\n    confidence: float\n    _window_s: float | None\n"),
        (plain_units, "def f(count: int, name: str): ...\n"),
        (formula_units, "def f(n: float, p_0: float, x1: float): ...\n"),
        (tidy.leftover_problems, "x = f()  # type: ignore[no-untyped-call]\n"),
        (tidy.place_problems, "see notebooks/01_tool_review.ipynb and https://example.org/home/x\n"),
    ),
)
def test_a_rule_lets_good_code_pass(check: Callable[[str], list[str]], source: str) -> None:
    assert check(source) == []


def test_a_skipped_test_fails_under_ci_and_only_there(tmp_path: Path) -> None:
    tests = {
        "test_module.py": "import pytest\npytest.sk~ip('no', allow_module_level=True)\n",
        "test_function.py": (
            "import pytest\n"
            "@pytest.fixture\ndef refusal():\n    pytest.sk~ip('no')\n"
            "def test_in_setup(refusal): ...\n"
            "def test_in_call():\n    pytest.sk~ip('no')\n"
            "@pytest.mark.xf~ail\ndef test_expected():\n    assert False\n"
            "def test_that_passes(): ...\n"
        ),
    }
    shutil.copy(ROOT / "tests/conftest.py", tmp_path / "conftest.py")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for name, source in tests.items():
        (tmp_path / name).write_text(source.replace("~", ""), encoding="utf-8")
    plain_environment = {name: value for name, value in os.environ.items() if name not in {"CI", "PYTEST_ADDOPTS"}}
    plain_environment["PYTHONPATH"] = str(ROOT)
    run = partial(
        subprocess.run,
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--continue-on-collection-errors"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    plain = run(env=plain_environment | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    under_ci = run(env=plain_environment | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "1"})

    assert plain.returncode == 0, plain.stdout
    assert "1 passed, 3 skipped, 1 xfailed" in plain.stdout
    assert under_ci.returncode == 1, under_ci.stdout
    assert "2 failed, 1 passed, 2 errors" in under_ci.stdout
