"""The rules of the house that a parser can check: pure functions from one file's text to what is wrong with it.

Every rule is a function ``<rule>_problems(source, ...) -> list[str]``; a problem begins with its line number.
``tests/test_tidy.py`` runs them over the tree, and shows of each that it bites.
"""

import ast
import re
from collections.abc import Iterator

__all__ = [
    "all_problems",
    "banned_name_problems",
    "broad_except_problems",
    "count_problems",
    "docstring_problems",
    "function_length_problems",
    "leftover_problems",
    "length_problems",
    "module_name_problems",
    "mutable_state_problems",
    "place_problems",
    "type_checking_problems",
    "unit_problems",
]

BANNED_MODULE_NAMES = frozenset({"base", "common", "helper", "helpers", "manager", "managers", "util", "utils"})
BANNED_IMPORTS = frozenset({"random", "time", "secrets", "uuid"})
BANNED_CALLS = frozenset({"datetime.now", "datetime.today", "datetime.utcnow", "date.today", "os.urandom"})
NUMPY_RANDOM_TYPES = frozenset({"BitGenerator", "Generator"})
NUMPY_RANDOM_CONSTRUCTORS = frozenset({"PCG64", "PCG64DXSM", "Philox", "SeedSequence", "default_rng"})
MUTABLE_CONSTRUCTORS = frozenset(
    {"Counter", "OrderedDict", "array", "bytearray", "defaultdict", "deque", "dict", "list", "set"}
)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MUTABLE_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)

UNIT_NAME = re.compile(
    r"""
    (?:.*_)?
    (?: (?:at_|per_)? s (?:_[a-z]+)?             # durations, instants, rates; a qualifier comes last: backoff_s_max
      | seconds | probability | probabilities | fraction | share | count (?:_[a-z]+)?
      | pt | mm | px                             # lengths on the page
    )""",
    re.VERBOSE,
)
DIMENSIONLESS_NAMES = {
    "alpha": "level of a test, 0..1, as every textbook writes it",
    "amplification": "requests that a service gets, for each operation that somebody began",
    "beta": "share of a common cause, as reliability engineering writes it",
    "confidence": "coverage of an interval, 0..1",
    "factor": "a ratio of two values of one unit",
    "high": "end of an interval whose unit is that of the statistic",
    "low": "end of an interval whose unit is that of the statistic",
    "mass": "probability mass of a set of paths",
    "multiplier": "a ratio of two waits",
    "mean": "has the unit of what is averaged",
    "power": "exponent of a number",
    "previous_factor": "a ratio of two waits",
    "residual": "probability mass that was not explored",
    "scale_max": "a ratio of two waits",
    "scale_min": "a ratio of two waits",
    "sigma": "standard deviation of a logarithm",
    "upper": "upper end of an interval of a probability",
    "lower": "lower end of an interval of a probability",
    "value": "any number, whatever its unit: conversions, formatting, validation",
    "weight": "relative to the weights beside it",
    "weights": "relative to each other",
}
FORMULA_NAME = re.compile(r"[a-z]|[a-z]_?\d")


def _problem(node: ast.stmt | ast.expr | ast.arg | ast.excepthandler, text: str) -> str:
    return f"{node.lineno}: {text}"


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length_problems(source: str, *, line_count_max: int) -> list[str]:
    """A file that is too long holds two topics."""
    line_count = len(source.splitlines())
    return [f"1: {line_count} lines, allowed {line_count_max}"] if line_count > line_count_max else []


def function_length_problems(source: str, *, line_count_max: int) -> list[str]:
    """A function may be as long as one screen; its docstring is not counted, or documenting would be punished."""
    problems = []
    for function in _functions(ast.parse(source)):
        first = function.body[0]
        has_docstring = ast.get_docstring(function, clean=False) is not None
        docstring_line_count = (first.end_lineno or first.lineno) - first.lineno + 1 if has_docstring else 0
        line_count = (function.end_lineno or function.lineno) - function.lineno + 1 - docstring_line_count
        if line_count > line_count_max:
            problems.append(_problem(function, f"{function.name} has {line_count} lines, allowed {line_count_max}"))
    return problems


def docstring_problems(source: str) -> list[str]:
    """Every module says in a sentence what it is for."""
    text = ast.get_docstring(ast.parse(source))
    if not text:
        return ["1: no module docstring"]
    is_sentence = text.split("\n\n")[0].rstrip().endswith((".", "?", ":"))
    return [] if is_sentence else ["1: the module docstring does not open with a sentence"]


def _assigned(node: ast.stmt) -> tuple[list[str], ast.expr | None]:
    """Return the names that a statement assigns, and what it assigns to them."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)], node.value
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id], node.value
    return [], None


def _exported(tree: ast.Module) -> tuple[int, list[str]] | None:
    for node in tree.body:
        names, value = _assigned(node)
        if "__all__" in names and isinstance(value, ast.List | ast.Tuple):
            return node.lineno, [str(entry.value) for entry in value.elts if isinstance(entry, ast.Constant)]
    return None


def _export_key(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Order constants, classes, functions; within each by letter, and by number where there is one (ruff's RUF022)."""
    group = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return group, [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part]


def all_problems(source: str) -> list[str]:
    """`__all__` stands in every module, sorted, and holds each public function and class that is defined there."""
    tree = ast.parse(source)
    exported = _exported(tree)
    if exported is None:
        return ["1: no literal __all__"]
    line, names = exported
    in_order = sorted(set(names), key=_export_key)
    problems = [] if names == in_order else [f"{line}: __all__ is not sorted, or names something twice"]
    return problems + [
        _problem(node, f"{node.name} is public and not in __all__: export it, or begin it with _")
        for node in tree.body
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_") and node.name not in names
    ]


def module_name_problems(path: str) -> list[str]:
    """A module is named for what it holds; these names hold anything."""
    parts = path.removesuffix(".py").split("/")
    return [f"1: {part} says nothing about its content" for part in parts if part in BANNED_MODULE_NAMES]


def _dotted(node: ast.expr) -> str:
    """Return `a.b.c` for attribute access on a name, with numpy's usual short name written out; else nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append("numpy" if node.id == "np" else node.id)
    return ".".join(reversed(parts))


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def banned_name_problems(source: str, *, may_construct_generators: bool) -> list[str]:
    """Luck and time come from the injected driver: no global generator, no wall clock, no random identity."""
    allowed = NUMPY_RANDOM_TYPES | (NUMPY_RANDOM_CONSTRUCTORS if may_construct_generators else frozenset())
    problems = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = _imported(node)
        elif isinstance(node, ast.Attribute):
            names = [_dotted(node)]
        else:
            continue
        for name in names:
            is_import = isinstance(node, ast.Import | ast.ImportFrom)
            is_banned_import = is_import and name.split(".")[0] in BANNED_IMPORTS
            is_banned_call = any(name == call or name.endswith(f".{call}") for call in BANNED_CALLS)
            is_global_luck = name.startswith("numpy.random.") and name.split(".")[2] not in allowed
            if is_banned_import or is_banned_call or is_global_luck:
                problems.append(_problem(node, f"{name} is banned: ask the injected driver"))
    return problems


def broad_except_problems(source: str) -> list[str]:
    """An exception that leaves a run is a bug to be seen; only the outermost edges may catch everything."""
    problems = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        names = ["everything" if kind is None else _dotted(kind) for kind in caught]
        if {"everything", "Exception", "BaseException"} & set(names):
            problems.append(_problem(node, f"catches {', '.join(names)}: name what is expected"))
    return problems


def type_checking_problems(source: str) -> list[str]:
    """An import that only the type checker sees hides a cycle between rooms."""
    return [
        _problem(node, "TYPE_CHECKING hides an import")
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Name) and node.id == "TYPE_CHECKING")
        or (isinstance(node, ast.Attribute) and node.attr == "TYPE_CHECKING")
    ]


def mutable_state_problems(source: str) -> list[str]:
    """What lies at module level is shared by every run in the process, so nothing there may change."""
    tree = ast.parse(source)
    problems = [_problem(node, "global statement") for node in ast.walk(tree) if isinstance(node, ast.Global)]
    for node in tree.body:
        names, value = _assigned(node)
        if "__all__" in names:
            continue
        is_constructed = isinstance(value, ast.Call) and _dotted(value.func).split(".")[-1] in MUTABLE_CONSTRUCTORS
        if isinstance(value, MUTABLE_DISPLAYS) or is_constructed:
            problems.append(_problem(node, "mutable at module level: use a tuple, frozenset or MappingProxyType"))
    return problems


def _has_behaviour(node: ast.stmt) -> bool:
    """Whether it is a public class with a public method.

    Members, fields and properties only make a row of a list, and a protocol only names what others do.
    """
    if not isinstance(node, ast.ClassDef) or node.name.startswith("_") or "Protocol" in map(_dotted, node.bases):
        return False
    methods = [entry for entry in node.body if isinstance(entry, ast.FunctionDef) and not entry.name.startswith("_")]
    return any("property" not in map(_dotted, method.decorator_list) for method in methods)


def count_problems(source: str, *, function_count_max: int, class_count_max: int) -> list[str]:
    """A file that defines more than this is about more than one thing."""
    body = ast.parse(source).body
    function_count = sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in body)
    class_count = sum(_has_behaviour(node) for node in body)
    problems = []
    if function_count > function_count_max:
        problems.append(f"1: {function_count} functions, allowed {function_count_max}")
    if class_count > class_count_max:
        problems.append(f"1: {class_count} public classes with behaviour, allowed {class_count_max}")
    return problems


def _holds_floats(annotation: ast.expr | None) -> bool:
    """Whether an annotation is a number or a flat run of numbers: `float`, `float | None`, `tuple[float, ...]`."""
    if isinstance(annotation, ast.Name):
        return annotation.id == "float"
    if isinstance(annotation, ast.BinOp):
        return _holds_floats(annotation.left) or _holds_floats(annotation.right)
    if isinstance(annotation, ast.Subscript) and _dotted(annotation.value) in {"tuple", "Sequence", "Iterable", "list"}:
        inner = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
        return _holds_floats(inner[0])
    return False


def _annotated_names(tree: ast.Module) -> Iterator[tuple[ast.arg | ast.Name, str, ast.expr | None]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                yield argument, argument.arg, argument.annotation
        elif isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    yield statement.target, statement.target.id, statement.annotation


def unit_problems(source: str, *, may_use_formula_letters: bool) -> list[str]:
    """A float field or parameter says its unit in its name, or is one of the words that have none."""
    problems = []
    for node, name, annotation in _annotated_names(ast.parse(source)):
        word = name.lstrip("_")
        if not _holds_floats(annotation) or UNIT_NAME.fullmatch(word) or word in DIMENSIONLESS_NAMES:
            continue
        if may_use_formula_letters and FORMULA_NAME.fullmatch(word):
            continue
        problems.append(_problem(node, f"{name} is a float without a unit in its name"))
    return problems


LEFTOVERS = re.compile(
    r"pytest\.(?:mark\.)?(?:skip|xfail)|importorski[p]|[#]\s*type:\s*ignore(?!\[)|\bNotImplementedErro[r]\b|\b(?:TOD[O]|FIXM[E]|XX[X])\b"
)


def leftover_problems(source: str) -> list[str]:
    """What is unfinished, skipped or silenced as a whole is not part of the project."""
    return [
        f"{number}: {match.group()}"
        for number, line in enumerate(source.splitlines(), start=1)
        if (match := LEFTOVERS.search(line))
    ]


MACHINE_PATH = re.compile(
    r"(?<![\w.\-/}])/(?:[w]ork|[f]arm|[r]oot|[h]ome|[U]sers|[o]pt|[m]nt)/[A-Za-z.]|[C]:\\\\?Users",
)
REGISTRY_HOST = re.compile(
    r"[p]ypi\.org|python[h]osted|anaconda\.or[g]|--(?:extra-)?index-ur[l]|--find-link[s]|\bfile:/[/]",
)
OUTSIDE_FILE = re.compile(r"\b[s]hared/(?:cases|design|facts|seeds|style)\b")


def place_problems(text: str) -> list[str]:
    """A checkout works on any machine: no path of one, no registry's host, no reference to a file outside."""
    patterns = {"path of a machine": MACHINE_PATH, "registry": REGISTRY_HOST, "file outside the checkout": OUTSIDE_FILE}
    return [
        f"{number}: {kind}: {match.group()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for kind, pattern in patterns.items()
        if (match := pattern.search(line))
    ]
