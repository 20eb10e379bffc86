"""Run the notebooks of this folder again and store outputs that do not change from run to run.

``python notebooks/regenerate.py`` rewrites every notebook whose outputs or metadata are not those of a fresh run;
``--check`` writes nothing and exits 1 if there is one. What is stored is the code, the text, and the outputs
without timings, widget models, random cell names and the patterns of ``nbval_sanitize.cfg``, so a second run
changes no byte and a difference in version control is a difference in results.
"""

import argparse
import configparser
import difflib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

__all__ = ["main", "regenerated"]

_FOLDER = Path(__file__).resolve().parent
_WIDEST = 200
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

_Rules = tuple[tuple[re.Pattern[str], str], ...]


def _read_rules(path: Path) -> _Rules:
    """Return the replacements that nbval applies too, in file order."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(path.read_text(encoding="utf-8"))
    return tuple((re.compile(parser[name]["regex"]), parser[name]["replace"]) for name in parser.sections())


def _sanitized(value: Any, rules: _Rules) -> Any:
    if isinstance(value, str):
        for pattern, replacement in rules:
            value = pattern.sub(replacement, value)
        return value
    if isinstance(value, list):
        return [_sanitized(entry, rules) for entry in value]
    if isinstance(value, dict):
        return type(value)({key: _sanitized(entry, rules) for key, entry in value.items()})
    return value


def _settle_output(output: NotebookNode, execution_count: int, rules: _Rules) -> None:
    if "data" in output:
        output.data.pop(_WIDGET_VIEW, None)
        for kind in output.data:
            if not kind.startswith("image/png"):
                output.data[kind] = _sanitized(output.data[kind], rules)
    if "text" in output:
        output.text = _sanitized(output.text, rules)
    if "execution_count" in output:
        output.execution_count = execution_count


def _joined(outputs: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Return the outputs with neighbouring pieces of one stream as one: where a kernel cuts is a matter of time."""
    joined: list[NotebookNode] = []
    for output in outputs:
        before = joined[-1] if joined else None
        if before is not None and "name" in output and output.get("name") == before.get("name"):
            before.text += output.text
        else:
            joined.append(output)
    return joined


def _settle(notebook: NotebookNode, rules: _Rules) -> None:
    """Replace everything that a run leaves behind and that is neither text, code nor result."""
    notebook.metadata = NotebookNode(_METADATA)
    execution_count = 0
    for index, cell in enumerate(notebook.cells):
        cell.id = f"cell-{index:02d}"
        cell.metadata = NotebookNode({key: value for key, value in cell.metadata.items() if key == "tags"})
        if cell.cell_type != "code":
            continue
        execution_count += 1
        cell.execution_count = execution_count
        cell.outputs = _joined(cell.outputs)
        for output in cell.outputs:
            _settle_output(output, execution_count, rules)


def regenerated(path: Path) -> str:
    """Return the text that `path` has after a fresh run in its own folder, whatever it stores now."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    _settle(notebook, _read_rules(_FOLDER / "nbval_sanitize.cfg"))
    return str(nbformat.writes(notebook, version=4)) + "\n"


def _difference(stored: str, fresh: str) -> str:
    """Return the lines in which they differ, long ones (pictures) cut."""
    lines = difflib.unified_diff(stored.splitlines(), fresh.splitlines(), "stored", "fresh", lineterm="", n=1)
    return "".join(f"{line[:_WIDEST]}\n" for line in lines)


def main(arguments: Sequence[str]) -> int:
    """Run it; return 1 if `--check` was asked for and a notebook is stale, otherwise 0."""
    parser = argparse.ArgumentParser(description="Run the notebooks again and store stable outputs.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a notebook is stale")
    parser.add_argument("notebooks", nargs="*", type=Path, default=sorted(_FOLDER.glob("*.ipynb")))
    options = parser.parse_args(arguments)
    stale_count = 0
    for path in options.notebooks:
        text = regenerated(path)
        stored = path.read_text(encoding="utf-8")
        if text == stored:
            sys.stdout.write(f"unchanged {path.name}\n")
            continue
        stale_count += 1
        sys.stdout.write(f"{'stale' if options.check else 'written'} {path.name}\n")
        if options.check:
            sys.stdout.write(_difference(stored, text))
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if options.check and stale_count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
