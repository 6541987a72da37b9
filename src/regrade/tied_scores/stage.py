"""The stages of `tied_scores`: effects of tied scores on an evaluation."""

from regrade.stages import declare


class Ties(declare.Stage):
    """Effects of tied scores on the evaluation (yang2019 ch. 3); absent or null, none."""

    key = "ties"
    is_partial = True
    place = 200
    question = "Does tie-breaking matter?"
    door = declare.Door("ties", command="ties", brings="runs, labels")
    tables = (
        declare.Tables(
            "ties", lists={"ties/ranges:measure": "ranges", "measure": "measures", "rho": "rho"}
        ),
    )
    card = declare.Card(
        "ties",
        section="Choices",
        draws=("ranks",),
        first=declare.FIRST,
        about=declare.qrels_of("ties"),
    )

    qrels = declare.one("qrels", "The qrels to score with.", scale="graded")
    ranges = declare.measures(["AP"], "Measures whose range over tie-breaking is computed.")
    unjudged = declare.option(
        "non-relevant",
        "How unjudged documents are treated at the upper ends of `ranges`: as in the scores, so "
        "that ranges show the effect of ties alone; or as relevant, as in the thesis, by measures "
        "that are not normalised by the number of relevant documents.",
        choices="UNJUDGED_IN_RANGES",
    )
    measures = declare.measures(
        ["RR", "RBP(p=0.5)", "RBP(p=0.85)", "AP"], "Measures of banded rankings."
    )
    rho = declare.options(
        ["1.1", "1.2", "1.4", "1.7", "2", "3", "4", "5", "6"],
        "Ratios ρ of geometric bands, quoted, so that 1.1 is 11/10.",
        type="string",
        pattern="^[1-9][0-9]*([.][0-9]+)?$(?!\\n)",
        description="A decimal number of at least 1, quoted.",
        fewest=1,
    )
    systems = declare.option(
        None,
        "Number of systems to band, the best by AP (yang2019, 99 of TREC-8); absent or null, all.",
        type=["integer", "null"],
        least=2,
    )

    @declare.job(reads=(declare.RUNS,), makes="ties/rates", memory=1500, minutes=5)
    def tie_rates(data, score_precision):
        """How many systems, rankings and documents have ties."""
        from regrade.audit.rankings import audit_runs, join_audits
        from regrade.tied_scores.effects import tie_rates

        # not from the audit's table, which is made again with every other set of the collection
        audits = [
            audit_runs(
                data.runs.ranked(chunk, scores=True, submitted_ranks=True),
                score_precision=score_precision,
                longest=data.runs.longest,
            )
            for chunk in data.runs.chunks(max_bytes=data.chunk_bytes)
        ]
        return {"rates": tie_rates(join_audits(audits))}

    @declare.job(makes="ties/bounds", memory=500, minutes=5)
    def tie_bounds(data, rho, measures):
        """Worst-case bounds of banded rankings, for the measures that have them."""
        from regrade.measures import parse_all
        from regrade.tied_scores.bounds import worst_case_bounds

        bounded = [m for m in parse_all(measures) if m.name in ("RR", "RBP")]
        return {"bounds": worst_case_bounds(rho, bounded)}

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels"), declare.made("rates")),
        makes="ties/ranges ties/ranks ties/numbers ties/answer",
        memory=1500,
        minutes=10,
    )
    def tie_ranges(data, ranges, unjudged, score_precision):
        """Each system's scores under every way to deal with ties."""
        from regrade.run_arrays import JudgedLists
        from regrade.scoring import concat
        from regrade.tied_scores.answer import answer
        from regrade.tied_scores.effects import rank_tables, tie_scores
        from regrade.tied_scores.groups import TieGroups

        scores = concat(
            tie_scores(
                ranked,
                JudgedLists.match(ranked, judged, data.qrels.high),
                TieGroups.by_score(ranked, score_precision),
                ranges,
                unjudged=unjudged,
            )
            for ranked, judged in data.chunks(data.qrels, scores=True)
        )
        ranges = scores.to_frame()
        tables = {"ranges": ranges, **rank_tables(ranges, len(scores.topics))}
        conclusion = answer(data.rates.to_pandas(), tables["ranks"], tables["numbers"], unjudged)
        return tables | {"answer": conclusion}

    @declare.job(
        reads=(declare.RUNS, declare.codes("qrels")),
        makes="ties/banded ties/non_inferiority ties/non_inferior ties/p_values ties/quadrants",
        memory=1500,
        minutes=20,
        threads=4,
    )
    def banded_scores(data, rho, measures, systems, significance):
        """Expected scores of banded rankings, and tests of them."""
        from regrade.run_arrays import JudgedLists
        from regrade.scoring import concat, score
        from regrade.tied_scores import effects

        high, bands, ap = data.qrels.high, [], []
        for ranked, judged in data.chunks(data.qrels):
            lists = JudgedLists.match(ranked, judged, high)
            how = {"threads": data.threads}
            bands.append(effects.score_bands(ranked, lists, rho, measures, **how))
            ap.append(score(ranked, judged, ["AP"], max_grade=high))
        banded, ap = concat(bands).to_frame(), concat(ap)
        chosen = effects.highest_means(ap.systems, ap.values, systems or len(ap.systems))
        banded = banded[banded["system"].isin(chosen)]
        tests, p_values = effects.non_inferiority(banded), effects.banded_p_values(banded)
        return {
            "banded": banded,
            "non_inferiority": tests,
            "non_inferior": effects.count_non_inferior(tests, significance),
            "p_values": p_values,
            "quadrants": effects.quadrants(p_values, significance),
        }
