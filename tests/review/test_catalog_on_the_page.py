"""What a review takes from the catalog is on its page: which entry, how well supported, overridden, guessed."""

from pathlib import Path

from pypdf import PdfReader

from simkit.contract import parse_review
from simkit.review import document_of, page_view, review_content, write_page
from simkit.review.page import Block
from tests.contract.ticket_review import TICKET_TEXT, text_with

__all__: list[str] = []

EFFECT = TICKET_TEXT[TICKET_TEXT.index("    system: the") : TICKET_TEXT.index("# The identity that survives")]
STRIPE = """    like: stripe-v1
    evidence_text: 201 with the number of the ticket.
    downstream_key: {sent: operation ID, retention: {counted_from: first attempt}, key_recorded: before the effect}
    readback: {attempts: 2, on_uncertain: hold, when_unavailable: it stays unknown}

"""
SDK = TICKET_TEXT[TICKET_TEXT.index("  downstream_sdk:\n    attempts") : TICKET_TEXT.index("# What this review asks")]
TEXT = text_with(SDK, "  downstream_sdk: {like: botocore-standard-v2, attempts: 2}\n\n", text_with(EFFECT, STRIPE))
SUPPORT = "stripe-v1: official documents or the vendor's code, checked 2026-11-30"


def catalog_block(text: str) -> Block | None:
    review, result = review_content(text.encode(), file="review.yaml", seed=1, intent_count=10)
    view = page_view(
        review, None, review_digest="0" * 64, file_name="review.yaml", judgement=result.effects[0].judgement
    )
    return next((block for block in view.blocks if block.name == "catalog"), None)


def test_each_entry_is_on_the_page_with_grade_date_overrides_and_guesses() -> None:
    block = catalog_block(TEXT)

    assert block is not None
    assert [[cell.text for cell in row.cells] for row in block.rows] == [
        [
            "System (ticket)",
            f"{SUPPORT}; overridden: key_retention.counted_from, key_recorded",
        ],
        [
            "Readback (ticket)",
            f"{SUPPORT}; guessed there: lag_max",
        ],
        [
            "downstream SDK",
            "botocore-standard-v2: the real code was run, checked 2026-12-01; overridden: attempts",
        ],
    ]


def test_a_review_that_names_no_entry_has_no_such_block() -> None:
    unknown = text_with("lasts: 2 h", "lasts: unknown")

    assert catalog_block(unknown) is None


def test_a_guess_keeps_retries_off_and_the_reason_says_whose_guess_it_is() -> None:
    _, result = review_content(TEXT.encode(), file="review.yaml", seed=1, intent_count=10)

    assert result.verdict == "disable"
    assert result.reasons == (
        "declared: effects.0.readback.lag (only guessed by stripe-v1: say the value itself) is unknown",
    )


def test_the_json_names_the_entries_and_the_page_stays_one_page(tmp_path: Path) -> None:
    review, result = review_content(TEXT.encode(), file="review.yaml", seed=1, intent_count=10)

    files = write_page(review, result, directory=tmp_path, stem="review", paper="a4")

    html = next(file for file in files if file.suffix == ".html").read_text(encoding="utf-8")
    pdf = PdfReader(next(file for file in files if file.suffix == ".pdf"))
    assert "From the catalog" in html
    assert len(pdf.pages) == 1
    assert "From the catalog" in pdf.pages[0].extract_text()
    assert [one["entry_id"] for one in document_of(result)["taken"]] == [
        "stripe-v1",
        "stripe-v1",
        "botocore-standard-v2",
    ]


def test_the_answers_of_an_entry_are_those_of_a_file_that_writes_them_out() -> None:
    document = parse_review(TEXT.encode(), file="review.yaml").to_document()

    assert "like" not in str(document["layers"])
