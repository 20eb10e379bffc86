"""What is counted while a world under load runs: each operation, and each request that the service gets."""

from math import nan

from simkit.terms import Outcome

__all__ = ["Ledger", "OpenOperation"]


class OpenOperation:
    """One operation, from its start to what is said of it, and on to whatever is still under way for it below.

    Attributes
    ----------
    attempt_counts
        Of each layer, outermost first, over all its calls for this operation.
    effect_count
        Effects that the service made for it, late ones included.
    """

    __slots__ = ("attempt_counts", "client_index", "effect_count", "finished_at_s", "index", "outcome", "started_at_s")

    def __init__(self, index: int, client_index: int, started_at_s: float, layer_count: int) -> None:
        self.index = index
        self.client_index = client_index
        self.started_at_s = started_at_s
        self.finished_at_s = nan
        self.outcome: Outcome | None = None
        self.attempt_counts = [0] * layer_count
        self.effect_count = 0


class Ledger:
    """Everything that is counted in one run.

    Parameters
    ----------
    request_count_max
        A run with more requests than this is cut: nothing more is sent.
    """

    __slots__ = (
        "arrived_at_s",
        "begun_at_s",
        "layer_count",
        "left_at_s",
        "makes_effect",
        "operation_indices",
        "operations",
        "request_count_max",
    )

    def __init__(self, *, layer_count: int, request_count_max: int) -> None:
        self.layer_count = layer_count
        self.request_count_max = request_count_max
        self.operations: list[OpenOperation] = []
        self.operation_indices: list[int] = []
        self.arrived_at_s: list[float] = []
        self.begun_at_s: list[float] = []
        self.left_at_s: list[float] = []
        self.makes_effect: list[bool] = []

    @property
    def is_full(self) -> bool:
        """Whether nothing more is sent."""
        return len(self.arrived_at_s) >= self.request_count_max

    def begin(self, client_index: int, at_s: float) -> OpenOperation:
        """A new operation."""
        operation = OpenOperation(len(self.operations), client_index, at_s, self.layer_count)
        self.operations.append(operation)
        return operation

    def arrive(self, operation: OpenOperation, at_s: float) -> int:
        """A request reaches the service; returns its number, from 0."""
        self.operation_indices.append(operation.index)
        self.arrived_at_s.append(at_s)
        self.begun_at_s.append(nan)
        self.left_at_s.append(nan)
        self.makes_effect.append(False)
        return len(self.arrived_at_s) - 1

    def make_effect(self, request: int, operation: OpenOperation) -> None:
        """The service makes an effect for a request."""
        self.makes_effect[request] = True
        operation.effect_count += 1
