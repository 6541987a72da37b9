"""Preferences between documents: tasks that ask for them, and what the answers say.

Tasks: `pairing` makes lists of pairs, `design` and `tasks` a topic's, `answer_key` what test
questions accept. Answers: `checks` says what counts, `scores` gives documents numbers, by `fits`,
with the intervals of `profiles`, as a stage writes them in `document_scores`; `consistency` and
`intransitivity` ask whether there is an order. Beside labels: `label_comparison`, `agreement`. Who
answers: `workers`, `timing`, `effects` (mixed models), `partitions`. Systems: `systems`, `gains`
under scores. With fewer pairs: `posterior` (strengths with a prior), `subsets`, `next_pairs`
(policies, replayed), `asking` (by them, what to ask), `stopping`.
"""

from regrade.lazy import attach

__getattr__, __all__ = attach(
    __name__,
    {
        "agreement": [
            "answer_alpha",
            "graded_agreement",
            "order_agreement",
            "question_agreement",
            "side_agreement",
            "side_tests",
        ],
        "document_scores": [
            "score_answers",
            "scores_as_labels",
            "served_methods",
        ],
        "profiles": ["fall_of", "profile_ends"],
        "checks": ["Checked", "check_answers"],
        "consistency": ["Feedback", "consistency", "minimum_feedback"],
        "design": [
            "Design",
            "Plan",
            "Task",
            "design_tasks",
            "known_roles",
            "plan_task",
            "row_per_pair",
            "row_per_unit",
        ],
        "effects": ["label_effects", "mixed_effects", "partition_effects", "worker_effects"],
        "label_comparison": ["labelled_documents", "raw_scores"],
        "tasks": ["answer_key", "design_from_sets", "pseudo_pairs", "row_per_test", "unit_table"],
        "gains": ["GainRankings", "gain_rankings"],
        "asking": ["Asking", "next_questions", "topics_of"],
        "next_pairs": ["Replays", "policy_table", "replay"],
        "pairing": ["balanced_sides", "pair_list", "staying_sides"],
        "posterior": ["Posterior", "Recorded", "estimate_spread", "posterior", "recorded"],
        "scores": [
            "absolute_scores",
            "combine_scores",
            "comparison_graphs",
            "ratio_scores",
            "score_documents",
            "side_shares",
        ],
        "partitions": ["partition_draws", "partition_systems", "partition_topics"],
        "systems": ["as_gains", "in_parts", "system_agreement", "with_proportions_of"],
        "timing": ["time_bins", "time_fits"],
        "workers": [
            "inconsistency_table",
            "seen_table",
            "topic_table",
            "worker_labels",
            "worker_relations",
            "worker_table",
        ],
        "stopping": ["Rule", "Worlds", "coverage_table", "stop_summary", "stop_table"],
        "intransitivity": ["judge_table", "transitivity_table"],
        "subsets": ["Drawing", "needed_pairs", "subset_table", "summarise"],
    },
)
