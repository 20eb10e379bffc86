"""From a scenario to results: explore, judge, weigh, sample."""
