"""How a value from somebody's file is shown in a one-line message: short, and on one line whatever it holds."""

__all__ = ["one_line", "shortened"]


def one_line(text: str) -> str:
    """Return the text with everything that is not printable written as an escape."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shortened(value: object, length_max: int = 40) -> str:
    """Show a value in at most `length_max` characters, and say so if something was left out.

    Examples
    --------
    >>> shortened(True), shortened(None), shortened([1, 2])
    ('true', 'nothing', 'a list of 2')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return f"a mapping with {len(value)} fields" if len(value) != 1 else "a mapping with 1 field"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    if value == "":
        return "empty text"
    text = one_line(str(value)[: length_max + 1])
    return text if len(text) <= length_max else f"{text[: length_max - 1]}…"
