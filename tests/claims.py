"""Every claim that the README, a notebook or the page makes, with the test that proves it.

To add one: write the sentence, mark it in a text that people write with ``<!-- claim: id -->`` right behind it,
and add a row here. ``tests/test_claims.py`` refuses a claim without its sentence or its test, and a mark without
its claim.
"""

from dataclasses import dataclass

__all__ = ["CLAIMS", "Claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence that somebody may rely on.

    Parameters
    ----------
    id
        Short name, the one that stands in the mark.
    where
        File, relative to the checkout, in which the sentence stands word for word (line breaks don't matter).
    sentence
        What is claimed.
    test
        Name of the test that fails if it is not so: ``tests/test_x.py::test_sentence``.
    """

    id: str
    where: str
    sentence: str
    test: str


CLAIMS = (
    Claim(
        id="floors",
        where="README.md",
        sentence="A room imports only from the rows below its own.",
        test="tests/test_floors.py::test_every_room_of_simkit_imports_only_from_the_floors_below",
    ),
    Claim(
        id="light-import",
        where="README.md",
        sentence="`import simkit` loads no heavy library.",
        test="tests/test_tidy.py::test_importing_simkit_loads_no_heavy_library",
    ),
    Claim(
        id="wheel",
        where="README.md",
        sentence="A wheel carries the templates and works outside the checkout.",
        test="tests/test_wheel.py::test_the_wheel_reviews_its_own_template_outside_the_checkout",
    ),
    Claim(
        id="real-libraries",
        where="README.md",
        sentence="under each fault, a library sends as often as the policy of its entry, and waits by the formula of "
        "the entry.",
        test="tests/agreement/test_service_clients.py::"
        "test_the_library_and_its_entry_send_as_often_and_wait_within_the_formula",
    ),
    Claim(
        id="changed-library",
        where="README.md",
        sentence="Where a newer version behaves otherwise, the failure names the policy, both versions, the fault and "
        "the difference.",
        test="tests/agreement/test_judging.py::test_a_wrong_count_is_said_with_the_policy_both_versions_and_the_fault",
    ),
    Claim(
        id="no-skips",
        where="README.md",
        sentence="Under CI a skipped test fails.",
        test="tests/test_tidy.py::test_a_skipped_test_fails_under_ci_and_only_there",
    ),
    Claim(
        id="bad-input",
        where="README.md",
        sentence="`review` exits with 0 whatever the verdict and with 2 for bad input; then nothing is written.",
        test="tests/test_cli.py::test_bad_input_is_named_in_lines_and_writes_nothing",
    ),
    Claim(
        id="json-schema",
        where="README.md",
        sentence="With `--json` it prints the whole result as one object, which keeps to `simkit schema result`.",
        test="tests/test_cli.py::test_the_json_keeps_to_its_schema_and_is_the_only_thing_on_standard_output",
    ),
    Claim(
        id="both-forms",
        where="README.md",
        sentence="Taking the protection away brings the fault back.",
        test=(
            "tests/catalog/test_failure_window_scenarios.py::test_the_run_of_a_named_scenario_shows_what_its_story_says"
        ),
    ),
    Claim(
        id="schedule-ids",
        where="README.md",
        sentence=(
            "An ID follows the promise and the faults alone, so that another name, other rates or another budget do "
            "not change it."
        ),
        test="tests/study/test_replaying.py::test_an_id_outlives_other_rates_another_name_and_another_budget",
    ),
    Claim(
        id="unknown-id",
        where="README.md",
        sentence="An unknown one is answered with those that there are.",
        test="tests/test_cli_replay.py::test_an_unknown_id_is_refused_with_those_that_there_are",
    ),
    Claim(
        id="smallest",
        where="README.md",
        sentence=('"Smallest" is proved: every schedule of fewer faults was run in every order, and kept the promise.'),
        test=(
            "tests/study/structure/test_answers.py::"
            "test_of_a_finished_level_all_smallest_schedules_are_listed_and_nothing_smaller_breaks"
        ),
    ),
    Claim(
        id="matrix",
        where="README.md",
        sentence=(
            "Beneath the promises stands what one fault does where nothing else goes wrong, crash windows first, and "
            "which larger schedules it takes part in."
        ),
        test=(
            "tests/study/structure/test_matrix.py::"
            "test_a_fault_that_breaks_nothing_alone_takes_part_in_a_smallest_schedule"
        ),
    ),
    Claim(
        id="interrupted",
        where="README.md",
        sentence=(
            "Ctrl-C ends an exploration as its time limit does: what was found so far is printed and marked as "
            "incomplete, nothing is written, and the exit code is 130."
        ),
        test="tests/test_cli_interrupted.py::test_an_interrupted_exploration_prints_what_it_found_and_proves_nothing",
    ),
    Claim(
        id="cut-runs",
        where="README.md",
        sentence=(
            "A run whose retries have no end is cut; what a later step could change is undecided, and that step is "
            "named."
        ),
        test=(
            "tests/world/test_runs_without_end.py::"
            "test_an_exploration_of_cut_runs_leaves_open_what_they_left_open_and_names_the_step"
        ),
    ),
    Claim(
        id="rate-zero",
        where="README.md",
        sentence="A rate of 0 leaves its place out of every proof, and that is said.",
        test="tests/study/test_applicability.py::test_a_rate_of_zero_is_said_among_what_is_left_out",
    ),
    Claim(
        id="explore-time",
        where="README.md",
        sentence="What `explore` has no time for within `--seconds` (60) is not proved.",
        test="tests/test_cli_scenarios.py::test_an_exploration_without_time_proves_nothing_and_says_so",
    ),
    Claim(
        id="nearest-flip",
        where="README.md",
        sentence=(
            "The values come from the constraints of the orders, not from a grid: each is the nearest that flips the "
            "verdict, to the microsecond."
        ),
        test=(
            "tests/study/structure/test_margins_by_trying.py::"
            "test_the_nearest_flip_is_the_one_that_trying_every_value_finds"
        ),
    ),
    Claim(
        id="unsought",
        where="README.md",
        sentence="They take longest; what there was no time to seek is said not to be sought any further.",
        test="tests/review/test_margins_text.py::test_a_terminal_gets_all_of_it",
    ),
    Claim(
        id="sources",
        where="README.md",
        sentence="Both commands take a scenario file or a review file as well, of a review its first effect.",
        test="tests/test_cli_scenarios.py::test_run_and_explore_take_files_as_well",
    ),
    Claim(
        id="written-out",
        where="README.md",
        sentence=(
            "`simkit scenario` prints the scenario of either, or of a name, with everything that it took over from "
            "another written out."
        ),
        test="tests/test_cli_scenarios.py::test_what_a_scenario_took_over_is_written_out",
    ),
    Claim(
        id="gallery",
        where="README.md",
        sentence=(
            "With `--run` it runs them all, and prints for each form the effects and the verdict "
            "beside those that the case gives."
        ),
        test="tests/test_cli_gallery.py::test_the_gallery_runs_as_a_table_of_two_rows_for_each_case",
    ),
    Claim(
        id="difference",
        where="README.md",
        sentence="Where our verdict is another one, the incident says why.",
        test="tests/test_cli_gallery.py::test_where_our_verdict_is_another_one_the_incident_says_why",
    ),
    Claim(
        id="like",
        where="README.md",
        sentence=("Fields are merged at any depth, and things in lists by their name; `absent: true` takes one away."),
        test="tests/test_readme.py::test_the_scenario_that_the_readme_shows_is_like_the_other_but_for_what_it_says",
    ),
    Claim(
        id="recipes",
        where="README.md",
        sentence=(
            "A word in `simkit/terms.py` or `simkit/choices.py`, its behaviour in one file, its test, and one row "
            "where it is put together."
        ),
        test="tests/test_readme.py::test_the_example_of_a_recipe_stands_where_the_recipe_says",
    ),
    Claim(
        id="reduction",
        where="README.md",
        sentence=(
            "Steps that touch only their own call are not ordered among each other; that this loses nothing is tested "
            "against an exploration that orders every step."
        ),
        test="tests/world/test_reduction.py::test_local_steps_lose_and_add_nothing",
    ),
    Claim(
        id="witness",
        where="README.md",
        sentence="Every smallest schedule is replayed on a clock with concrete times before it is shown.",
        test="tests/study/structure/test_exploration.py::test_every_smallest_schedule_has_been_replayed_on_a_clock",
    ),
    Claim(
        id="not-resolved",
        where="README.md",
        sentence=(
            "Probabilities are exact for the model with typical latencies; where those never meet what the exploration "
            "found, none is given."
        ),
        test="tests/study/structure/test_flips.py::test_a_probability_that_misses_one_of_the_smallest_schedules_is_no_number",
    ),
    Claim(
        id="places",
        where="README.md",
        sentence="an exploration of all orders finds the same.",
        test="tests/world/test_order_reduction.py::test_orders_of_steps_that_meet_nowhere_add_nothing",
    ),
    Claim(
        id="new-rates",
        where="README.md",
        sentence="What a table gives at new rates is what fresh runs at these rates give.",
        test="tests/study/probability/test_rate_polynomial.py::test_any_rates_give_what_a_fresh_enumeration_gives_also_with_picks",
    ),
    Claim(
        id="latency-cells",
        where="README.md",
        sentence=(
            "Then they are estimates with an interval, and find a duplicate that a heavy tail makes once in 14 million "
            "operations."
        ),
        test="tests/study/probability/test_latency_cells.py::test_the_cells_find_the_duplicate_of_a_late_original",
    ),
    Claim(
        id="left-to-luck",
        where="README.md",
        sentence="Where too few replicates meet what breaks, no interval is given.",
        test="tests/study/probability/test_latency_cells.py::"
        "test_a_schedule_that_some_replicates_meet_and_not_enough_of_them_is_not_resolved",
    ),
    Claim(
        id="rare",
        where="README.md",
        sentence=(
            "The three rare-duplicate policies come out at 9.999522712e-4, 9.979751506e-7 and 9.979731735e-10, the "
            "values that an independent model checker gave."
        ),
        test="tests/world/test_rare_duplicates.py::test_the_full_enumeration_gives_the_known_probability",
    ),
    Claim(
        id="unjudged",
        where="README.md",
        sentence=(
            "A tool with several effects, an approval, a handover whose loss is not listed, or a listed kind of fault "
            "that takes a number which no answer gives is not allowed before that is judged."
        ),
        test="tests/contract/test_translation.py::test_what_cannot_be_acted_out_and_could_break_a_promise_is_listed_as_not_judged",
    ),
    Claim(
        id="not-applying",
        where="README.md",
        sentence="A promise that nothing in the scenario could break is said not to apply.",
        test="tests/study/test_applicability.py::test_a_study_says_of_it_that_it_does_not_apply_under_both_policies",
    ),
    Claim(
        id="entry-jitter",
        where="README.md",
        sentence=(
            "A policy whose waits have jitter makes probabilities estimates, with the upper end of what was sampled; "
            "`backoff: {least: 0 s, most: 1 s}` beside its ID in a review stands instead of the formula, and nothing "
            "is drawn."
        ),
        test="tests/contract/test_review_entries.py::test_a_backoff_by_its_bounds_is_not_drawn_by_the_formula_of_the_policy",
    ),
    Claim(
        id="catalog-search",
        where="README.md",
        sentence="`list` finds the entries in which every word stands, in whatever case.",
        test="tests/test_cli_catalog.py::test_a_search_finds_the_entries_in_which_every_word_stands_in_whatever_case",
    ),
    Claim(
        id="entry-instead",
        where="README.md",
        sentence=(
            "What no entry can know stays as the scenario has it: names, and the time that the work "
            "takes. Everything else in that place is the entry's."
        ),
        test="tests/contract/test_composition.py::test_a_stage_that_names_a_system_keeps_its_name_and_the_time_that_the_work_takes",
    ),
    Claim(
        id="entry-readback",
        where="README.md",
        sentence=(
            "If the server asks the system of record, by what and how far behind comes from the "
            "entry too, unless the file says so itself."
        ),
        test="tests/contract/test_composition.py::test_a_server_that_asks_asks_as_the_system_of_the_catalog_offers",
    ),
    Claim(
        id="entry-lacks",
        where="README.md",
        sentence="An override of what the entry does not have is refused, and what it has is listed.",
        test="tests/contract/test_composition.py::test_an_override_of_what_the_entry_does_not_have_is_refused_with_what_it_has",
    ),
    Claim(
        id="entry-said",
        where="README.md",
        sentence="`run` says first what was taken, overridden, and only guessed.",
        test="tests/test_cli_catalog.py::test_a_composed_scenario_says_where_it_is_run_what_it_took",
    ),
    Claim(
        id="entry-page",
        where="README.md",
        sentence="Its page lists each entry with grade and date, what was overridden, and what is guessed.",
        test="tests/review/test_catalog_on_the_page.py::test_each_entry_is_on_the_page_with_grade_date_overrides_and_guesses",
    ),
    Claim(
        id="entry-guess",
        where="README.md",
        sentence=(
            "A guess becomes `unknown` there, which keeps automatic retries off until the owner writes the value."
        ),
        test="tests/review/test_catalog_on_the_page.py::test_a_guess_keeps_retries_off_and_the_reason_says_whose_guess_it_is",
    ),
    Claim(
        id="entry-check",
        where="README.md",
        sentence="`check` says what is wrong with it by line and field.",
        test="tests/test_cli_catalog.py::test_check_says_what_is_wrong_by_file_line_and_field",
    ),
    Claim(
        id="entry-hop",
        where="README.md",
        sentence="A gateway that the scenario lacks brings no hop: name `agent_to_gateway` under `hops` as well.",
        test="tests/contract/test_composition.py::test_a_gateway_that_the_scenario_lacks_needs_its_hop_named_too",
    ),
    Claim(
        id="entry-left-out",
        where="README.md",
        sentence="What `behaviour` does not say of a repeat counts as guessed too.",
        test="tests/contract/test_guesses.py::test_what_the_data_does_not_say_of_a_repeat_is_guessed",
    ),
    Claim(
        id="entry-path",
        where="README.md",
        sentence=(
            "A file of your own is used as it is, by its path from the file that names it: `downstream: billing.yaml`."
        ),
        test="tests/contract/test_composition.py::test_an_own_entry_is_named_by_its_path_from_the_file_that_names_it",
    ),
    Claim(
        id="entry-schema",
        where="README.md",
        sentence="Every entry of the catalog keeps to its schema.",
        test="tests/contract/test_file_schemas.py::test_every_system_of_the_catalog_is_valid",
    ),
    Claim(
        id="systems-table",
        where="README.md",
        sentence="A stored row is what a fresh exploration finds.",
        test="tests/study/stacks/test_systems_table.py::test_a_row_that_is_explored_again_is_the_stored_one",
    ),
    Claim(
        id="published-models",
        where="README.md",
        sentence=(
            "Published figures come out within the sampling error of the runs: backoff and jitter, retry strategies, "
            "collapse after a spike, layers that multiply, metastable failure, Erlang's C."
        ),
        test="tests/published/test_retry_strategies.py::test_a_strategy_has_the_published_success_and_load",
    ),
    Claim(
        id="same-policy",
        where="README.md",
        sentence="A policy of the catalog sends as often under load as for a single call.",
        test="tests/world/load/test_same_policy.py::test_under_load_a_policy_sends_as_many_writes_as_its_real_code_did",
    ),
)
