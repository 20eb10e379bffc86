"""The script that stores notebook outputs: a second run changes no byte, and a stale output is noticed."""

from pathlib import Path

import nbformat
import pytest

from notebooks.regenerate import main

__all__: list[str] = []

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
CODE = (
    "from IPython.display import display",
    "class Thing: pass",
    "Thing()",
    "print(Thing())",
    "display({'answer': 6 * 7})",
    "import ipywidgets; ipywidgets.IntSlider(description='k', value=2)",
)


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    cells = [nbformat.v4.new_markdown_cell("A question.")]
    cells += [nbformat.v4.new_code_cell(source) for source in CODE]
    path = tmp_path / "01_question.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_every_notebook_is_stored_as_it_ran_from_top_to_bottom() -> None:
    """Nbval does not compare a cell that was stored without having run."""
    for path in NOTEBOOKS:
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]

        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), path.name


def test_a_second_run_changes_no_byte(notebook: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first_exit = main([str(notebook)])
    first = notebook.read_bytes()

    second_exit = main(["--check", str(notebook)])

    assert (first_exit, second_exit) == (0, 0)
    assert notebook.read_bytes() == first
    assert capsys.readouterr().out == "written 01_question.ipynb\nunchanged 01_question.ipynb\n"
    assert b"42" in first
    assert b"0x" not in first


def test_where_a_kernel_cuts_its_prints_does_not_matter(tmp_path: Path) -> None:
    """A kernel sends what was printed five times a second: the pause makes it send twice."""
    source = "import sys, time; from IPython.display import display\nprint('a'); time.sleep(1); print('b')"
    source += "\ndisplay({'between': 1}); print('c'); print('d', file=sys.stderr)"
    path = tmp_path / "02_pause.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)

    main([str(path)])

    outputs = nbformat.read(path, as_version=4).cells[0].outputs
    assert [output.get("text") for output in outputs] == ["a\nb\n", None, "c\n", "d\n"]


def test_a_check_finds_a_stale_output_says_where_and_writes_nothing(
    notebook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(notebook)])
    stale = notebook.read_bytes().replace(b"42", b"43")
    notebook.write_bytes(stale)

    capsys.readouterr()
    exit_code = main(["--check", str(notebook)])

    assert exit_code == 1
    assert notebook.read_bytes() == stale
    difference = [line for line in capsys.readouterr().out.splitlines() if line[:1] in "-+"]
    assert [line.strip(' ,"-+') for line in difference[2:]] == ["{'answer': 43}", "{'answer': 42}"]
