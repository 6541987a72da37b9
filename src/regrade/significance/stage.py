"""The stages of `significance`: tests of all pairs of systems, and analysis of covariance."""

from regrade.stages import declare


def pooled_to(collection, item: str) -> dict[str, object]:
    """Depths of the pools under which systems are scored, and the baseline depth."""
    return {key: collection.options["pools"][key] for key in ("depths", "baseline")}


class Discrimination(declare.Stage):
    """Tests of all pairs of systems under each pool (`{}`); needs `pools`; absent or null, none."""

    key = "discrimination"
    is_partial = True
    place = 250
    needs = ("pools",)

    @declare.job(
        reads=(
            declare.table("pools", "scores"),
            declare.table("pools", "deeply_judged"),
            declare.GROUPS,
        ),
        memory=4000,
        minutes=60,
        further=pooled_to,
    )
    def compare_pairs(data, test, correction, significance, seed):
        """Tests of all pairs of systems under each pool."""
        from regrade.pools.pooling import as_judged
        from regrade.pools.scores import from_frame
        from regrade.significance import discrimination

        deep, level = data.deeply_judged, {"significance": significance}
        scores = from_frame(data.scores.to_pandas())
        depths = as_judged(data.further.depths, deep)
        baseline = as_judged(data.further.baseline, deep, None)
        pairs = discrimination.compare_depths(
            {depth: scores[depth] for depth in sorted(depths)},
            test,
            correction=correction,
            seed=seed,
        )
        return {
            "pairs": pairs,
            "ratios": discrimination.ratios_by_pairs(pairs, data.groups, **level),
            "agreement": discrimination.agreement_with_baseline(pairs, baseline, **level),
            "trends": discrimination.trend_counts(
                discrimination.p_trends(pairs[pairs["depth"] != baseline], **level)
            ),
            "curve": discrimination.significance_curve(pairs),
        }


class Significance(declare.Stage):
    """Label sets under which all pairs of systems are tested."""

    key = "significance"
    place = 260
    held = declare.several(
        "qrels",
        "Label sets under which all pairs of systems are tested, by the collection's "
        "`measures`; needs no `pools`.",
        default=[],
    )

    @declare.job(
        reads=(declare.scores("significance"), declare.GROUPS),
        memory=4000,
        pairs_of_systems=0.2,
        minutes=60,
    )
    def significant_pairs(data, pair_tests, seed):
        """Tests of all pairs of systems under whole sets of labels."""
        from regrade.significance import discrimination

        tests = {**pair_tests}
        significance = tests.pop("significance")
        pairs = discrimination.compare_under(data.significance, **tests, seed=seed)
        return {
            "pairs": pairs,
            "ratios": discrimination.ratios_by_pairs(pairs, data.groups, significance=significance),
            "curve": discrimination.significance_curve(pairs),
        }


class Ancova(declare.Stage):
    """Scores by pool depth, topic and system; needs `pools`; absent or null, none."""

    key = "ancova"
    is_partial = True
    place = 270
    needs = ("pools",)

    depths = declare.options(
        None,
        "Depths of the pools. Null: ten equal steps up to `pools.baseline` (5, 10, …, 50 for 50).",
        type="integer",
        minimum=1,
        fewest=3,
    )

    @declare.job(
        reads=(declare.table("pools", "scores"), declare.table("pools", "deeply_judged")),
        makes="ancova/effects ancova/diagnostics",
        minutes=10,
        further=pooled_to,
    )
    def fit_ancova(data, depths):
        """Analysis of covariance of the scores on pool depth, topic and system."""
        from regrade.choices import REPLICATES
        from regrade.pools.options import ANCOVA_SHARES
        from regrade.pools.pooling import as_judged
        from regrade.significance.ancova import ancova_of_models, residual_diagnostics

        scores, deep = data.scores.to_pandas(), data.deeply_judged
        depths = as_judged(depths, deep, ANCOVA_SHARES)
        baseline = as_judged(data.further.baseline, deep, None)
        data.about["note"] = REPLICATES
        return {
            "effects": ancova_of_models(scores, depths, baseline),
            "diagnostics": residual_diagnostics(scores[scores["depth"].isin(depths)]),
        }

    @declare.job(
        reads=(declare.table("pools", "scores"), declare.table("pools", "deeply_judged")),
        makes="ancova/mixed_coefficients ancova/mixed_tests ancova/mixed_variances",
        memory=4000,
        minutes=60,
        further=pooled_to,
    )
    def mixed_models(data, depths):
        """Mixed models of the scores: system and depth fixed, topic random."""
        from regrade.choices import REPLICATES
        from regrade.pools.options import ANCOVA_SHARES
        from regrade.pools.pooling import as_judged
        from regrade.significance.mixed import mixed_models

        depths = as_judged(depths, data.deeply_judged, ANCOVA_SHARES)
        baseline = as_judged(data.further.baseline, data.deeply_judged, None)
        data.about["note"] = REPLICATES
        models = mixed_models(data.scores.to_pandas(), depths, baseline)
        return {f"mixed_{part}": table for part, table in vars(models).items()}
