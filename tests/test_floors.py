"""The floors of the house: import-linter's contracts in pyproject.toml hold, and each of them bites."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest
from importlinter.api import read_configuration
from importlinter.cli import lint_imports

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = ROOT / "pyproject.toml"

ROOMS = (
    "cli",
    "workbench",
    "review",
    "plots",
    "study",
    "world",
    "probe",
    "contract",
    "catalog",
    "scenario",
    "policy",
    "chance",
    "checks",
    "stats",
    "journal",
    "distributions",
    "records",
    "terms",
    "choices",
    "errors",
)

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"


def build_house(folder: Path, modules: dict[str, str]) -> None:
    """Write a package `simkit` with every room empty but those given, under the real contracts."""
    for room in ROOMS:
        (folder / "simkit" / room).mkdir(parents=True)
        (folder / "simkit" / room / "__init__.py").write_text("", encoding="utf-8")
    (folder / "simkit" / "__init__.py").write_text("", encoding="utf-8")
    for name, source in modules.items():
        path = folder / "simkit" / name
        path.parent.mkdir(exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(source, encoding="utf-8")
    shutil.copy(PYPROJECT, folder / "pyproject.toml")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Judge the house in `folder`; another interpreter, because this one has imported the real simkit."""
    return subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_room_of_simkit_imports_only_from_the_floors_below(capsys: pytest.CaptureFixture[str]) -> None:
    exit_code = lint_imports(config_filename=str(PYPROJECT), no_cache=True)

    assert exit_code == 0, capsys.readouterr().out


def test_the_contracts_see_every_file_of_simkit() -> None:
    files = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "simkit").rglob("*.py")]
    modules = {".".join(path.parts).removesuffix(".__init__") for path in files}

    graph = grimp.build_graph("simkit", cache_dir=None)

    assert graph.modules == modules


def test_the_contracts_name_each_room_of_the_design_once() -> None:
    contracts = read_configuration(str(PYPROJECT))["contracts_options"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")

    placed = [room.strip(" ()") for layer in layers for room in layer.split("|")]

    assert placed == list(ROOMS)


def test_a_house_without_imports_keeps_every_contract(tmp_path: Path) -> None:
    build_house(tmp_path, {})

    result = lint(tmp_path)

    assert result.returncode == 0, result.stdout + result.stderr
    assert "4 kept, 0 broken" in result.stdout


def test_the_world_may_import_simpy_and_those_above_may_import_the_world(tmp_path: Path) -> None:
    build_house(
        tmp_path,
        {
            "world/network.py": "import simpy\n",
            "probe/client.py": "import mcp\n",
            "study/run.py": "import simkit.world.network\nimport simkit.probe.client\n",
        },
    )

    result = lint(tmp_path)

    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "source", "contract"),
    (
        ("policy/backoff.py", "import simkit.world\n", "Imports go down only"),
        ("checks/effects.py", "from simkit.stats import bounds\n", "Imports go down only"),
        ("records/facts.py", "def late():\n    import simkit.journal\n", "Imports go down only"),
        ("world/network.py", "import simkit.probe\n", "Imports go down only"),
        ("helpers/texts.py", "", "Imports go down only"),
        ("study/run.py", "import simpy\n", "Only simkit.world imports simpy"),
        ("world/client.py", "import mcp.client\n", "Only simkit.probe imports mcp"),
        ("study/solving.py", "import stormpy\n", "Nobody imports stormpy, which is under the GPL"),
    ),
)
def test_a_house_with_one_wrong_import_or_room_breaks_its_contract(
    tmp_path: Path, module: str, source: str, contract: str
) -> None:
    build_house(tmp_path, {"stats/bounds.py": "", module: source})

    result = lint(tmp_path)

    assert result.returncode == 1
    assert f"{contract} BROKEN" in result.stdout
    assert "3 kept, 1 broken" in result.stdout
