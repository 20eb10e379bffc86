"""A script of answers, replayed; what comes after the script gets the answer that costs nothing.

Depth-first search over scripts visits every leaf of the tree of answers once: run a script, then
push each other answer to each question past it (`alternatives`).
"""

from collections.abc import Iterator, Sequence

from simkit.chance.questions import Answered, Chance, Question
from simkit.errors import Divergence, ScenarioError

__all__ = ["Keyed", "Scripted", "alternatives", "fault_count"]

Script = tuple[Answered, ...]


class Scripted(Chance):
    """Replays `script`, then answers 0; `trace` keeps what was asked and answered.

    Parameters
    ----------
    fault_budget
        How many faults a run has at most; None for any number.

    Raises
    ------
    Divergence
        If a replayed question differs from the scripted one in kind, site or weights: something
        other than chance decided, and nothing that was enumerated can be trusted.
    ScenarioError
        If it is asked how long a wait of a continuous law takes, beyond the cell: a list of answers alone
        does not determine such a run, and a sum over them would only look exact.
    """

    def __init__(self, script: Sequence[Answered] = (), *, fault_budget: int | None = None) -> None:
        self._fault_budget = fault_budget
        self._script = script
        self._script_length = len(script)
        self.trace: list[Answered] = []

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        index = len(self.trace)
        if index < self._script_length:
            asked = self._script[index]
            if asked.site != site or asked.kind != kind or asked.weights != weights:
                message = (
                    f"question {index}: the script has {asked.kind.name} {asked.site} {asked.weights}, "
                    f"the world now asks {kind.name} {site} {weights}"
                )
                raise Divergence(message)
            self.trace.append(asked)
            return asked.answer
        self.trace.append(Answered(kind, site, weights, 0, 0))
        return 0

    def order(self, site: str, option_count: int, first_index: int) -> tuple[int, tuple[int, ...]]:
        """Index of the step that is next, and the indices that were followed before."""
        if self.is_past_script:
            self.trace.append(Answered(Question.ORDER, site, (None,) * option_count, first_index, 0))
            return first_index, ()
        answer = self._answer(Question.ORDER, site, (None,) * option_count)
        return answer, self.trace[-1].earlier

    @property
    def asked_count(self) -> int:
        """How many questions were asked."""
        return len(self.trace)

    @property
    def is_past_script(self) -> bool:
        """Whether the whole script was replayed."""
        return len(self.trace) >= self._script_length

    @property
    def may_fail(self) -> bool:
        """Whether the faults so far leave room for another one."""
        return self._fault_budget is None or fault_count(self.trace) < self._fault_budget

    def _place_fraction(self, site: str) -> float:
        message = f"{site} has a continuous law, so no list of answers says how long it takes: it needs latency cells"
        raise ScenarioError(message)

    def assert_script_used(self) -> None:
        """Raise `Divergence` where the world ended before it had asked all that was scripted."""
        if len(self.trace) < self._script_length:
            asked = self._script[len(self.trace)]
            message = f"the world ended before question {len(self.trace)}: {asked.kind.name} {asked.site}"
            raise Divergence(message)


class Keyed(Chance):
    """Replays the answers of a run by site, in whatever order the sites are asked.

    Raises
    ------
    Divergence
        If a site is asked that the run never asked, or more often.
    """

    def __init__(self, trace: Sequence[Answered]) -> None:
        self._answers: dict[str, list[int]] = {}
        for answered in reversed(trace):
            self._answers.setdefault(answered.site, []).append(answered.answer)

    def _answer(self, kind: Question, site: str, weights: tuple[float | None, ...]) -> int:
        left = self._answers.get(site)
        if not left:
            message = f"the run that is replayed was never asked {kind.name} {site}"
            raise Divergence(message)
        return left.pop()


def fault_count(trace: Sequence[Answered]) -> int:
    """How many faults a run had."""
    return sum(answered.fault_cost for answered in trace)


def alternatives(trace: Sequence[Answered], first: int, fault_budget: int | None) -> Iterator[Script]:
    """Scripts that leave `trace` at one question, at or after index `first`, within the budget.

    Answers of probability 0 are left out: they cannot happen.
    """
    spent = fault_count(trace[:first])
    prefix = tuple(trace)
    for index in range(first, len(trace)):
        kind, site, weights, taken, cost, _ = trace[index]
        if kind is Question.ORDER:
            continue
        other_cost = 0 if kind is Question.PICK else 1
        if fault_budget is None or spent + other_cost <= fault_budget:
            for answer in range(len(weights)):
                if answer != taken and weights[answer] != 0:
                    yield (*prefix[:index], Answered(kind, site, weights, answer, other_cost))
        spent += cost
