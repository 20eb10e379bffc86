"""The world in which an operation ID comes again with other inputs: once, and after all of the first has landed."""

from simkit.catalog import incident_content
from simkit.contract import parse_incident

__all__: list[str] = []


def test_the_second_call_waits_for_the_last_delivery_of_a_queue() -> None:
    scenario = parse_incident(incident_content("RS-092"), file="").right
    queue = scenario.hops[0].queue
    assert queue is not None

    second = scenario.with_reused_id().calls[1]

    # Due after 90 min at the latest, and handed out at most eleven more times, each an hour later.
    assert queue.last_delivery_s == (90 + 11 * 60) * 60
    assert second.start_s > queue.last_delivery_s


def test_each_of_the_two_is_issued_once() -> None:
    scenario = parse_incident(incident_content("RS-027"), file="").faulty

    assert scenario.calls[0].copies == 9
    assert [call.copies for call in scenario.with_reused_id().calls] == [1, 1]
