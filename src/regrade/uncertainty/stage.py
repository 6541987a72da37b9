"""The stages of `uncertainty`: residuals and bounds of scores from unjudged documents."""

from regrade.stages import declare


class Residuals(declare.Stage):
    """RBP's residual as a measure of uncertainty (yang2019 §4.3–4.5); absent or null, none."""

    key = "residuals"
    is_partial = True
    place = 240

    qrels = declare.one("qrels", "The qrels for scoring.", scale="graded")
    measures = declare.measures(
        ["RR", "P@10", "R@1000", "Rprec", "AP", "nDCG"],
        "Measures whose ranking of systems is compared with RBP's.",
    )
    nearest = declare.measures(
        ["AP", "nDCG"], "Measures whose nearest φ is searched for each topic."
    )

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels")),
        makes="residuals/rbp residuals/tau_by_phi",
        memory=1500,
        minutes=10,
    )
    def rbp_curves(data, measures):
        """RBP and its residual over φ, and how alike RBP and other measures rank the systems."""
        from regrade.scoring import concat, score
        from regrade.uncertainty import residuals

        phis, high = (
            [residuals.phi_of_depth(depth) for depth in residuals.EXPECTED_DEPTHS],
            data.qrels.high,
        )
        curves, scores = [], []
        for ranked, judged in data.chunks(data.qrels):
            curves.append(
                residuals.rbp_curves(ranked, judged, phis, ["RBP", *measures], max_grade=high)
            )
            scores.append(score(ranked, judged, measures, max_grade=high))
        curves = [concat(parts) for parts in zip(*curves, strict=True)]
        return {
            "rbp": curves[0].to_frame(),
            "tau_by_phi": residuals.tau_by_phi(curves, concat(scores)),
        }

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels"), declare.table("pools", "deeply_judged")),
        makes="residuals/nearest_phi residuals/nearest_summary",
        memory=1500,
        minutes=20,
        further=lambda collection, item: {
            "contributors": (collection.options["pools"] or {}).get("contributors", "all")
        },
    )
    def nearest_phi(data, nearest):
        """The φ whose RBP ranks the systems most like each measure, per topic and over all."""
        from regrade.pools.pooling import contributors
        from regrade.scoring import score
        from regrade.uncertainty import residuals

        high = data.qrels.high
        systems = contributors(data.further.contributors, data.deeply_judged)
        phis = residuals.nearest_phi_of_parts(
            (
                residuals.rbp_curves(
                    ranked, judged, residuals.PHI_GRID, nearest, max_grade=high, systems=systems
                ),
                score(ranked, judged, nearest, max_grade=high),
            )
            for ranked, judged in data.chunks(data.qrels)
        )
        return {"nearest_phi": phis, "nearest_summary": residuals.summarise_nearest(phis)}


class Ranges(declare.Stage):
    """Exact bounds of scores over all grades of unjudged documents; absent or null, none."""

    key = "ranges"
    is_partial = True
    place = 210
    question = "What could unjudged documents change?"
    door = declare.Door("unjudged", command="unjudged", brings="runs, labels")
    card = declare.Card(
        "unjudged",
        section="Pool",
        draws=("ranks",),
        first=declare.FIRST,
        about=declare.qrels_of("ranges"),
    )

    qrels = declare.one("qrels", "The qrels for scoring.", scale="listed")
    measures = declare.measures(["AP", "nDCG"], "Measures: AP and nDCG with any parameters.")
    residual = declare.one(
        "measures with residuals",
        "The measure whose residual is reported with the bounds.",
        default="RBP(p=0.98)",
    )

    @declare.job(reads=(declare.RUNS, declare.codes("qrels")), memory=1500, minutes=20)
    def exact_ranges(data, measures, residual):
        """The exact bounds of every ranking's scores over all grades of its unjudged documents."""
        from regrade.scoring import concat
        from regrade.uncertainty.answer import answer
        from regrade.uncertainty.pairs import least_differences, pair_table, rank_tables
        from regrade.uncertainty.ranges import exact_ranges, system_ranges

        measures = [*measures, *filter(None, [residual])]
        levels, parts, least = data.qrels.values, [], None
        for ranked, judged in data.chunks(data.qrels):
            parts.append(exact_ranges(ranked, judged, measures, levels=levels))
            least = least_differences(ranked, judged, parts[-1], levels, least)
        ranges = concat(parts)
        frame = ranges.to_frame()
        tables = {
            "ranges": frame,
            "systems": system_ranges(frame, residual),
            "pairs": pair_table(ranges.systems, ranges.measures, least, len(ranges.topics)),
        }
        tables |= rank_tables(**tables)
        return tables | {"answer": answer(tables["ranks"], tables["numbers"])}
