"""The sites at which something goes wrong, in the words of the page, of the diagram and of a run that is told."""

from simkit.scenario.sites import said_of, said_of_hop

__all__ = ["site_in_words"]


def site_in_words(site: str) -> str:
    """A site with its attempt path as people say it.

    Examples
    --------
    >>> site_in_words("server.paused_after_reservation@1/1")
    'server pauses after the reservation (attempt 1/1)'
    >>> site_in_words("gateway_to_server.request_duplicated")
    'request arrives twice, gateway to server'
    """
    name, _, path = site.partition("@")
    text = said_of(name) or _window_or_hop(name)
    path = path.rstrip(":")
    if not path or path == "reconciler":
        return text
    return f"{text} ({path if path.startswith('reconciler:') else f'attempt {path}'})"


def _window_or_hop(name: str) -> str:
    party, _, what = name.partition(".")
    place = party.replace("_", " ")
    if party == "agent":
        return f"agent restarts {what.replace('_', ' ')}"
    if what.startswith("paused_"):
        return f"{place} pauses {_window_in_words(what.removeprefix('paused_'))}"
    if what.startswith(("before_", "after_")):
        return f"{place} crashes {_window_in_words(what)}"
    return f"{said_of_hop(what) or what.replace('_', ' ')}, {place}"


def _window_in_words(window: str) -> str:
    when, _, step = window.partition("_")
    return f"{when} the {step.replace('_', ' ')}"
