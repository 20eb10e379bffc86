"""A wheel built from the checkout carries everything that it needs, and works where the checkout is not."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

__all__: list[str] = []

ROOT = Path(__file__).resolve().parent.parent


def run(command: list[str], *, folder: Path, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`, with `site` before everything that is installed; show what it said if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if site:
        environment["PYTHONPATH"] = str(site)
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def own_files(folder: Path) -> set[str]:
    """Return the files below `folder`, relative to it, without caches."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix() for path in paths}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)], folder=ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    run([*install, str(wheel)], folder=folder)
    return folder


def test_the_wheel_holds_simkit_whole_and_nothing_beside_it(wheel: Path) -> None:
    expected = {f"simkit/{name}" for name in own_files(ROOT / "simkit")}
    expected |= {f"simkit/_review_templates/{name}" for name in own_files(ROOT / "review_templates")}

    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert "simkit/_review_templates/examples/create_ticket.yaml" in names
    assert names == expected


def test_the_wheel_has_the_name_and_the_version_of_the_project(wheel: Path, site: Path, tmp_path: Path) -> None:
    program = "import simkit; print(simkit.__version__, simkit.__file__)"

    version, file = run([sys.executable, "-c", program], folder=tmp_path, site=site).stdout.split()

    assert wheel.name == f"retry_review_workbench-{version}-py3-none-any.whl"
    assert Path(file) == site / "simkit" / "__init__.py"


def test_the_wheel_reviews_its_own_template_outside_the_checkout(site: Path, tmp_path: Path) -> None:
    template = site / "simkit" / "_review_templates" / "examples" / "create_ticket.yaml"
    command = str(site / "bin" / "simkit")

    run([command, "check", str(template)], folder=tmp_path, site=site)
    run([command, "review", str(template)], folder=tmp_path, site=site)

    assert {path.name for path in tmp_path.iterdir()} == {f"create_ticket.{kind}" for kind in ("html", "pdf", "png")}
