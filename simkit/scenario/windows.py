"""The crash windows of a server: which lie between the durable steps, for each order of them."""

from types import MappingProxyType

from simkit.choices import WriteOrder

__all__ = ["windows_of"]

_WINDOWS = MappingProxyType(
    {
        WriteOrder.EFFECT_ONLY: ("server.before_effect", "server.after_effect"),
        WriteOrder.EFFECT_THEN_RECEIPT: ("server.before_effect", "server.after_effect", "server.after_receipt"),
        WriteOrder.RESERVE_FIRST: (
            "server.before_reservation",
            "server.after_reservation",
            "server.after_effect",
            "server.after_receipt",
        ),
        WriteOrder.RECORD_FIRST: ("server.before_receipt", "server.after_receipt", "server.after_effect"),
        WriteOrder.ONE_TRANSACTION: ("server.before_transaction", "server.after_transaction"),
        WriteOrder.OUTBOX: (
            "server.before_reservation",
            "server.after_reservation",
            "relay.before_effect",
            "relay.after_effect",
        ),
    }
)


def windows_of(order: WriteOrder) -> tuple[str, ...]:
    """Sites of the crash windows, in the order in which a call passes them.

    Examples
    --------
    >>> windows_of(WriteOrder.ONE_TRANSACTION)
    ('server.before_transaction', 'server.after_transaction')
    """
    return _WINDOWS[order]
