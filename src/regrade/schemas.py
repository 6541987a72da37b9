"""Every table's schema, by the table's path below `results/<collection>/`.

A path leaves out what differs from file to file: `cuts/best_cuts` is that of
`cuts/<transformation>/<search>/best_cuts.parquet`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from regrade.errors import ParameterError

STRING = pa.dictionary(pa.int32(), pa.string())


def _schema(**fields: pa.DataType | tuple[pa.DataType]) -> pa.Schema:
    """A schema; a type in a tuple of one marks a column that may hold nulls."""
    return pa.schema(
        [
            pa.field(name, kind[0] if isinstance(kind, tuple) else kind, isinstance(kind, tuple))
            for name, kind in fields.items()
        ]
    )


LEVEL_CUT_COLUMNS = ("c1", "c2", "c3", "c4", "c5", "c6")
"""The thresholds of cuts that discriminate, into up to seven levels."""


def _level_cuts() -> dict[str, tuple[pa.DataType]]:
    return dict.fromkeys(LEVEL_CUT_COLUMNS, (pa.float64(),))


def _tests_of_pairs(stage: str, **under: pa.DataType) -> dict[str, pa.Schema]:
    """Tests of all pairs of systems under depths of a pool, or whole sets of labels."""
    key = {**under, "measure": STRING, "test": STRING}
    return {
        f"{stage}/pairs": _schema(
            **key,
            system=STRING,
            other=STRING,
            difference=pa.float64(),
            statistic=(pa.float64(),),
            p=(pa.float64(),),
            p_adjusted=(pa.float64(),),
        ),
        # `pairs`: all, or across groups where groups are known
        f"{stage}/ratios": _schema(
            pairs=STRING,
            **key,
            n_pairs=pa.int32(),
            undefined=pa.int32(),
            significant=pa.int32(),
            ratio=pa.float64(),
        ),
        f"{stage}/curve": _schema(
            **key, position=pa.int32(), share=pa.float64(), p=(pa.float64(),)
        ),
    }


SCHEMAS: dict[str, pa.Schema] = {
    # sorted by system, topic, rank; `line` counts from 1 in the file it came from
    "runs": _schema(
        system=STRING,
        topic=STRING,
        rank=pa.int32(),
        docno=STRING,
        score=pa.float64(),
        submitted_rank=pa.int32(),
        line=pa.int32(),
    ),
    # an unjudged document has no row
    "qrels": _schema(topic=STRING, docno=STRING, grade=pa.float64()),
    # one row per value that a worker gave; `unit` is the HIT, `back` and `failed` are of the whole
    # unit: clicks on the back button, attempts that failed a check
    "judgments": _schema(
        topic=STRING,
        docno=STRING,
        worker=STRING,
        unit=(STRING,),
        position=(pa.int32(),),
        value=pa.float64(),
        seconds=(pa.float64(),),
        back=(pa.int32(),),
        failed=(pa.int32(),),
    ),
    # which of two documents; `strength` is below 0 for the left one, 0 for a tie; without `sides`
    # nobody knows which was shown left, and the documents stand in order of their names; `…_score`:
    # numbers of which the ratio counts; `…_relevant`: by itself; `trusted`: as whoever collected
    # them says; `test`: whether it is a test question, of which the answer was known;
    # null where nobody was asked or knows
    "preferences": _schema(
        topic=STRING,
        left=STRING,
        right=STRING,
        sides=pa.bool_(),
        worker=(STRING,),
        unit=(STRING,),
        position=(pa.int32(),),
        strength=pa.float64(),
        seconds=(pa.float64(),),
        left_score=(pa.float64(),),
        right_score=(pa.float64(),),
        left_relevant=(pa.bool_(),),
        right_relevant=(pa.bool_(),),
        trusted=(pa.bool_(),),
        test=(pa.bool_(),),
        partition=(pa.int32(),),
    ),
    "scores": _schema(
        system=STRING,
        topic=STRING,
        measure=STRING,
        value=pa.float64(),
        residual=(pa.float64(),),
    ),
    # `topic` is ALL_TOPICS for the one cut for all topics; `value` is α, or τ where the method
    # is "tau"; null cuts: `note` says why; `tied` cuts share the best value, in `runs` runs;
    # n_defined of n: the units with a defined α (for ALL_TOPICS, the topics that are averaged);
    # other_if_…: whether the cut is no longer among the best where an undefined α is dropped, or
    # counts as 1 or 0; null for the rule in use, and where there is no cut or no such rule
    "cuts/best_cuts": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        value=(pa.float64(),),
        tied=pa.int32(),
        runs=pa.int32(),
        n_defined=pa.int32(),
        n=pa.int32(),
        other_if_drop=(pa.bool_(),),
        other_if_one=(pa.bool_(),),
        other_if_zero=(pa.bool_(),),
        note=(STRING,),
    ),
    # every cut that shares the best value; `run` counts the runs from 1, the widest first
    "cuts/tied_cuts": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        run=pa.int32(),
        c1=pa.float64(),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
    ),
    # the range of one threshold over the cuts with the `values` highest distinct values of α
    "cuts/top_cuts": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        threshold=STRING,
        values=pa.int32(),
        n_cuts=pa.int32(),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
    ),
    "rankings": _schema(
        method=STRING,
        reference=(STRING,),
        selection=STRING,
        expert=STRING,
        measure=STRING,
        tau=(pa.float64(),),
        n_systems=pa.int32(),
        n_topics=pa.int32(),
    ),
    # how a method's cuts fare among all cuts by τ; see regrade.cutsearch.rankings
    "cuts/tau_topics": _schema(
        method=STRING,
        reference=(STRING,),
        expert=STRING,
        topic=STRING,
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        per_topic=(pa.float64(),),
        single=(pa.float64(),),
        share_higher=(pa.float64(),),
        tied_low=(pa.float64(),),
        tied_high=(pa.float64(),),
    ),
    # --- which cut to trust: see regrade.trust ---
    # `selection`: per-topic (for `*`, the mean over topics that have their own cut each), single
    # (chosen anew in each draw), best (the one chosen on the data given), or a cut by name;
    # `quantity`: c1 … of the chosen cut, alpha, or tau with `expert`; with `against`, by how much
    # it exceeds that under another selection; `bias`: the draws' mean less the estimate;
    # `undefined` of `resamples` draws have none; `note`: why nothing could be drawn
    "cuts/bootstrap": _schema(
        method=STRING,
        reference=(STRING,),
        resampled=STRING,
        topic=STRING,
        selection=STRING,
        quantity=STRING,
        expert=(STRING,),
        against=(STRING,),
        estimate=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        bias=(pa.float64(),),
        resamples=pa.int32(),
        undefined=pa.int32(),
        note=(STRING,),
    ),
    # the cut to use, and what it does, a sentence each; see regrade.answers.cuts
    "cuts/answer": _schema(part=STRING, said=STRING),
    # the same in numbers; `beside`: what a quantity is held beside (a cut by name, an expert)
    "cuts/recommended": _schema(
        quantity=STRING,
        beside=(STRING,),
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        note=(STRING,),
    ),
    # systems under the cut (`second`) and under what it is held beside (`first`); the columns of
    # compare/systems
    "cuts/recommended_systems": _schema(
        beside=STRING,
        measure=STRING,
        system=STRING,
        first=pa.float64(),
        second=pa.float64(),
        difference=pa.float64(),
        first_rank=pa.int64(),
        second_rank=pa.int64(),
        move=pa.int64(),
        significant_first=pa.int64(),
        significant_second=pa.int64(),
    ),
    # how often each cut was chosen; `share` of all draws
    "cuts/chosen": _schema(
        method=STRING,
        reference=(STRING,),
        resampled=STRING,
        topic=STRING,
        c1=pa.float64(),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        times=pa.int32(),
        share=pa.float64(),
    ),
    # α of workers with each other on their own scale, beside that under the best cuts; see
    # regrade.cutsearch.internal
    "cuts/internal": _schema(
        method=STRING,
        topic=STRING,
        metric=STRING,
        source_alpha=(pa.float64(),),
        n_defined=pa.int32(),
        n=pa.int32(),
        per_topic=(pa.float64(),),
        single=(pa.float64(),),
    ),
    # thresholds of the cuts with the highest, the middle and the lowest values, how often each is
    # one, and how wide levels are; see regrade.cutsearch.groups
    "cuts/groups": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        group=STRING,
        threshold=STRING,
        n_cuts=pa.int32(),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        mean=(pa.float64(),),
    ),
    "cuts/group_counts": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        group=STRING,
        threshold=STRING,
        value=pa.float64(),
        n_cuts=pa.int32(),
    ),
    "cuts/widths": _schema(
        method=STRING,
        reference=(STRING,),
        topic=STRING,
        group=STRING,
        n_cuts=pa.int32(),
        width=(pa.float64(),),
        level_0=(pa.float64(),),
        level_1=(pa.float64(),),
        level_2=(pa.float64(),),
        level_3=(pa.float64(),),
    ),
    "cuts/width_correlations": _schema(
        method=STRING,
        reference=(STRING,),
        group=STRING,
        labels=STRING,
        n_topics=pa.int32(),
        r=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        p=(pa.float64(),),
    ),
    # thresholds of topics' best cuts by two references; `better`: topics where the first's is
    # higher; see regrade.cutsearch.references
    "cuts/reference_tests": _schema(
        method=STRING,
        first=STRING,
        second=STRING,
        threshold=STRING,
        n_topics=pa.int32(),
        mean_first=(pa.float64(),),
        mean_second=(pa.float64(),),
        difference=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        t=(pa.float64(),),
        p=(pa.float64(),),
        p_unpaired=(pa.float64(),),
        better=pa.int32(),
        worse=pa.int32(),
    ),
    # the best cut of all judgments together beside the single cut; see regrade.cutsearch.pooled
    "cuts/pooled": _schema(
        method=STRING,
        reference=(STRING,),
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        value=(pa.float64(),),
        mean_alpha=(pa.float64(),),
        tied=pa.int32(),
        runs=pa.int32(),
        n_defined=pa.int32(),
        n=pa.int32(),
        single_c1=(pa.float64(),),
        single_c2=(pa.float64(),),
        single_c3=(pa.float64(),),
        single_value=(pa.float64(),),
        single_mean_alpha=(pa.float64(),),
        note=(STRING,),
    ),
    # the documents of a pool that each set has judged; see regrade.cutsearch.overlaps
    "overlaps/sets": _schema(
        set=STRING,
        kind=STRING,
        simulated=pa.bool_(),
        levels=(pa.int32(),),
        topics=pa.int32(),
        documents=pa.int32(),
        pool=STRING,
        pool_documents=pa.int32(),
        shared=pa.int32(),
        share=(pa.float64(),),
    ),
    # the cuts for all topics that cannot be told from the best; `difference` and its standard
    # `error` over topics; `share` of draws where the cut is at least as good; `tau_best`: τ_b with
    # the ranking of systems under the best cut
    "cuts/plateau": _schema(
        method=STRING,
        reference=(STRING,),
        c1=pa.float64(),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        alpha=pa.float64(),
        difference=pa.float64(),
        error=(pa.float64(),),
        share=(pa.float64(),),
        best=pa.bool_(),
        tau_best=(pa.float64(),),
    ),
    # what choosing among them changes: `moving` systems have another place under some of them, by
    # `most_places` at most; `other_first`: the share of them where another system is first
    "cuts/plateau_effects": _schema(
        method=STRING,
        reference=(STRING,),
        expert=(STRING,),
        n_topics=pa.int32(),
        n_cuts=pa.int32(),
        on=pa.int32(),
        q=(pa.float64(),),
        c1_low=(pa.float64(),),
        c1_high=(pa.float64(),),
        c2_low=(pa.float64(),),
        c2_high=(pa.float64(),),
        c3_low=(pa.float64(),),
        c3_high=(pa.float64(),),
        alpha_best=(pa.float64(),),
        alpha_low=(pa.float64(),),
        n_systems=(pa.int32(),),
        moving=(pa.int32(),),
        most_places=(pa.int32(),),
        other_first=(pa.float64(),),
        tau_best_low=(pa.float64(),),
        tau_chosen=(pa.float64(),),
        tau_low=(pa.float64(),),
        tau_high=(pa.float64(),),
        said=(STRING,),
        note=(STRING,),
    ),
    # a choice judged on what it was not made on; `split`: topics, documents, units, systems;
    # `criterion`: alpha or tau; `selection`: single, per-topic, pooled; `value`: on the topic held
    # out, or the mean over repeats of the parts held out; `training`: on what it was chosen on;
    # `weight`: of the topic's own cut where the two are pooled
    "cuts/held_out_topics": _schema(
        method=STRING,
        reference=(STRING,),
        split=STRING,
        criterion=STRING,
        expert=(STRING,),
        selection=STRING,
        topic=STRING,
        training=(pa.float64(),),
        value=(pa.float64(),),
        weight=(pa.float64(),),
    ),
    # means over topics: `in_sample`: chosen and judged on everything; `optimism`: in_sample −
    # held_out, or for parts training − held_out; `difference`: to the single cut, held out;
    # intervals by the t distribution over topics
    "cuts/held_out": _schema(
        method=STRING,
        reference=(STRING,),
        split=STRING,
        criterion=STRING,
        expert=(STRING,),
        selection=STRING,
        n_topics=pa.int32(),
        in_sample=(pa.float64(),),
        training=(pa.float64(),),
        held_out=(pa.float64(),),
        optimism=(pa.float64(),),
        optimism_low=(pa.float64(),),
        optimism_high=(pa.float64(),),
        optimism_p=(pa.float64(),),
        difference=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        t=(pa.float64(),),
        p=(pa.float64(),),
        better=(pa.int32(),),
        worse=(pa.int32(),),
        weight=(pa.float64(),),
        note=(STRING,),
    ),
    # a cut chosen on one judge, topic, transformation or collection (`by`) and used on another:
    # `value` under it, `own` under that one's own best cut, `lost` = own − value; `chosen_on` `*`:
    # the one cut for all; `selection` per-topic: each topic's own (of transformations, means);
    # `used_on` `*`: the mean over `n_users`, of cuts of `others` or the one for all; `low`, `high`:
    # 95 % interval of the loss over topics, or users; see regrade.trust.transfer
    "cuts/transfer": _schema(
        method=STRING,
        reference=(STRING,),
        by=STRING,
        selection=STRING,
        chosen_on=STRING,
        used_on=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        quantity=STRING,
        expert=(STRING,),
        value=(pa.float64(),),
        own=(pa.float64(),),
        lost=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        n_topics=(pa.int32(),),
        n_users=(pa.int32(),),
        note=(STRING,),
    ),
    # each judge's own best cut beside that of all others, `tied` cuts being as good; `held_out`: α
    # on halves that did not choose; under `*` means over the `n_judges` with a cut (`n_few` have
    # none), `difference` of the two held out, over `n_held_out`; see regrade.trust.judges
    "cuts/judges": _schema(
        method=STRING,
        reference=(STRING,),
        judge=STRING,
        n_judgments=pa.int32(),
        n_compared=pa.int32(),
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        tied=(pa.int32(),),
        alpha=(pa.float64(),),
        others_c1=(pa.float64(),),
        others_c2=(pa.float64(),),
        others_c3=(pa.float64(),),
        others_alpha=(pa.float64(),),
        lost=(pa.float64(),),
        held_out=(pa.float64(),),
        held_out_others=(pa.float64(),),
        n_judges=(pa.int32(),),
        n_few=(pa.int32(),),
        n_held_out=(pa.int32(),),
        difference=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        p=(pa.float64(),),
        better=(pa.int32(),),
        worse=(pa.int32(),),
        note=(STRING,),
    ),
    # labels aggregated by a `vote` or a model, `when` before or after cutting, under the best of
    # `n_cuts`; `held_out`: a topic at a time; `difference` in α to the first vote before
    # cutting, paired over topics; see regrade.trust.crowd
    "cuts/aggregated": _schema(
        reference=(STRING,),
        vote=STRING,
        when=STRING,
        selection=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        quantity=STRING,
        expert=(STRING,),
        value=(pa.float64(),),
        held_out=(pa.float64(),),
        difference=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        n_topics=pa.int32(),
        n_cuts=pa.int32(),
        note=(STRING,),
    ),
    # what fewer judges of each document would have done: `drawn`: documents (each has its own) or
    # workers (the same for all); `per_document` of them, `everything` where these are all;
    # `quantity`: alpha, tau with `expert`, or regret (of the one cut chosen by them, in α by all
    # judgments); `estimate`: mean of the samples, `full` with all; see regrade.trust.fewer
    "cuts/fewer": _schema(
        method=STRING,
        reference=(STRING,),
        drawn=STRING,
        per_document=pa.int32(),
        everything=pa.bool_(),
        cost=(pa.float64(),),
        documents=(pa.float64(),),
        short=pa.int32(),
        selection=STRING,
        quantity=STRING,
        expert=(STRING,),
        estimate=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        full=(pa.float64(),),
        samples=pa.int32(),
        undefined=pa.int32(),
        note=(STRING,),
    ),
    # a topic's cut chosen without its labels; `trained`: on what the rule learnt, `own topics`
    # (the others of the collection), another transformation, or nothing; `regret`: to the topic's
    # best cut; for `*` means, with `difference` to the single cut paired over topics
    "cuts/unlabelled": _schema(
        method=STRING,
        reference=(STRING,),
        rule=STRING,
        trained=(STRING,),
        topic=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        alpha=(pa.float64(),),
        regret=(pa.float64(),),
        n_topics=pa.int32(),
        difference=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        t=(pa.float64(),),
        p=(pa.float64(),),
        note=(STRING,),
    ),
    # how much labelling finds a cut; `budget`: labels a topic, or topics with labels; `regret`: α
    # of the best cut less that of the one found, over `samples`; `within`: the share of samples
    # at most ε from the best; `enough`: whether its mean regret and all beyond are within ε
    "cuts/budget": _schema(
        method=STRING,
        reference=(STRING,),
        selection=STRING,
        unit=STRING,
        budget=pa.int32(),
        regret=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        within=(pa.float64(),),
        epsilon=pa.float64(),
        enough=(pa.bool_(),),
        samples=pa.int32(),
        note=(STRING,),
    ),
    # α of experts' labels cut into two levels against other experts' (han2019 Table 3); `alpha`
    # over all documents together, `mean_alpha` over the topics, `best_topics` of `n_topics` where
    # the cut is (one of) the best
    "expert-cuts/agreement": _schema(
        source=STRING,
        reference=STRING,
        documents=pa.int32(),
        c1=pa.int16(),
        alpha=(pa.float64(),),
        mean_alpha=(pa.float64(),),
        best_topics=pa.int32(),
        n_topics=pa.int32(),
    ),
    # the same by topic; `best` where the cut has the topic's highest α (or shares it)
    "expert-cuts/topics": _schema(
        source=STRING,
        reference=STRING,
        topic=STRING,
        documents=pa.int32(),
        c1=pa.int16(),
        alpha=(pa.float64(),),
        best=pa.bool_(),
    ),
    # what a criterion's pick is worth in every criterion: for a topic, for all with a pick each,
    # for all with one; `best` of the cuts where known; see regrade.cutsearch.picked
    "cuts/picked": _schema(
        reference=STRING,
        picks=STRING,
        selection=STRING,
        topic=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        tied=(pa.int32(),),
        runs=(pa.int32(),),
        measured=STRING,
        value=(pa.float64(),),
        best=(pa.float64(),),
        cost=(pa.float64(),),
        share_higher=(pa.float64(),),
    ),
    # the best cuts into 2 … 7 levels; `held_out`: mean over topics of α at the one cut that is the
    # best for the others; where not `exact`, a better one may exist; see regrade.cutsearch.levels
    "cuts/levels": _schema(
        search=STRING,
        levels=pa.int32(),
        selection=STRING,
        topic=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        c4=(pa.float64(),),
        c5=(pa.float64(),),
        c6=(pa.float64(),),
        value=(pa.float64(),),
        held_out=(pa.float64(),),
        exact=pa.bool_(),
        tied=(pa.int64(),),
        n_cuts=pa.int64(),
        n_topics=(pa.int32(),),
    ),
    "cuts/levels_tau": _schema(
        search=STRING,
        levels=pa.int32(),
        selection=STRING,
        expert=STRING,
        measure=STRING,
        n_topics=pa.int32(),
        tau=(pa.float64(),),
    ),
    # cuts that none beats in both criteria, `value` of the first and `other` of the second
    "cuts/fronts": _schema(
        reference=STRING,
        criterion=STRING,
        against=STRING,
        c1=pa.float64(),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        value=pa.float64(),
        other=pa.float64(),
        tied=pa.int32(),
    ),
    # two transformations' best α over the topics that both have it for; `better`: topics where the
    # first has the higher one; see regrade.cutsearch.compared
    "cut-comparisons/agreement": _schema(
        first=STRING,
        second=STRING,
        method=STRING,
        reference=(STRING,),
        selection=STRING,
        n_topics=pa.int32(),
        alpha_first=(pa.float64(),),
        alpha_second=(pa.float64(),),
        difference=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        t=(pa.float64(),),
        p=(pa.float64(),),
        better=pa.int32(),
        worse=pa.int32(),
    ),
    # --- ties: see regrade.tying ---
    "ties/rates": _schema(
        affected=STRING, quantity=STRING, count=pa.int64(), total=pa.int64(), value=pa.float64()
    ),
    "ties/ranges": _schema(
        measure=STRING,
        system=STRING,
        run=pa.float64(),
        trec_eval=pa.float64(),
        expected=pa.float64(),
        eq33=(pa.float64(),),
        pessimistic=pa.float64(),
        optimistic=pa.float64(),
        range=pa.float64(),
        tied=pa.int64(),
    ),
    "ties/bounds": _schema(rho=pa.float64(), measure=STRING, bound=pa.float64()),
    "ties/banded": _schema(
        measure=STRING,
        rho=pa.float64(),
        system=STRING,
        topic=STRING,
        original=pa.float64(),
        banded=pa.float64(),
        difference=pa.float64(),
    ),
    "ties/non_inferiority": _schema(
        measure=STRING,
        rho=pa.float64(),
        fraction=pa.float64(),
        system=STRING,
        t=(pa.float64(),),
        p=(pa.float64(),),
    ),
    # how many of `n_systems` keep a fraction of their score, at the level of significance
    "ties/non_inferior": _schema(
        measure=STRING,
        rho=pa.float64(),
        fraction=pa.float64(),
        systems=pa.int32(),
        n_systems=pa.int32(),
    ),
    "ties/p_values": _schema(
        measure=STRING,
        rho=pa.float64(),
        first=STRING,
        second=STRING,
        p_original=(pa.float64(),),
        p_banded=(pa.float64(),),
    ),
    "ties/quadrants": _schema(
        measure=STRING,
        rho=pa.float64(),
        pairs=pa.int32(),
        true_positive=pa.float64(),
        false_negative=pa.float64(),
        false_positive=pa.float64(),
        true_negative=pa.float64(),
    ),
    # --- pools: see regrade.pools.pooling and regrade.pools.scores ---
    "pools/deeply_judged": _schema(
        system=STRING,
        topics=pa.int32(),
        shortest=pa.int32(),
        first_unjudged=pa.int32(),
        deeply_judged=pa.bool_(),
    ),
    "pools/collection": _schema(fact=STRING, value=pa.float64()),
    "pools/sizes": _schema(
        pooling=STRING,
        topic=STRING,
        pooled=pa.int64(),
        judged=pa.int64(),
        relevant=pa.int64(),
        single_judged=pa.int64(),
        single_relevant=pa.int64(),
    ),
    # the sums of sizes over topics; `without_judgments`: topics with no judged document in the pool
    "pools/facts": _schema(
        pooling=STRING,
        systems=pa.int32(),
        topics=pa.int32(),
        without_judgments=pa.int32(),
        pooled=pa.int64(),
        judged=pa.int64(),
        relevant=pa.int64(),
        single_judged=pa.int64(),
        single_relevant=pa.int64(),
    ),
    "pools/votes": _schema(
        pooling=STRING,
        votes=STRING,
        low=pa.int64(),
        high=(pa.int64(),),
        judged=pa.int64(),
        relevant=pa.int64(),
        percent=(pa.float64(),),
    ),
    # scores under the qrels reduced to a pool of each depth
    "pools/scores": _schema(
        depth=pa.int32(),
        system=STRING,
        topic=STRING,
        measure=STRING,
        value=pa.float64(),
        residual=(pa.float64(),),
    ),
    # --- leave one out: see regrade.pools.leave_out ---
    "leave-one-out/systems": _schema(
        pooling=STRING,
        by=STRING,
        left_out=STRING,
        system=STRING,
        measure=STRING,
        score=pa.float64(),
        score_left_out=pa.float64(),
        rank=pa.int32(),
        rank_left_out=pa.int32(),
        passed=pa.int32(),
        passed_significant=pa.int32(),
    ),
    "leave-one-out/left_out": _schema(
        pooling=STRING,
        by=STRING,
        left_out=STRING,
        measure=STRING,
        systems=pa.int32(),
        lost=pa.int32(),
        lost_relevant=pa.int32(),
        gained=pa.int32(),
        gained_relevant=pa.int32(),
        lost_topics=pa.int32(),
        tau=(pa.float64(),),
    ),
    "leave-one-out/summary": _schema(
        pooling=STRING,
        by=STRING,
        measure=STRING,
        systems=pa.int32(),
        mae=pa.float64(),
        largest_error=pa.float64(),
        bias=pa.float64(),
        sre=pa.int64(),
        sre_significant=pa.int64(),
        tau=(pa.float64(),),
        tau_all=(pa.float64(),),
    ),
    # --- residuals and ranges: see regrade.uncertainty ---
    "residuals/rbp": _schema(
        system=STRING,
        topic=STRING,
        depth=pa.float64(),
        phi=pa.float64(),
        value=pa.float64(),
        residual=pa.float64(),
    ),
    "residuals/tau_by_phi": _schema(
        measure=STRING,
        phi=pa.float64(),
        depth=pa.float64(),
        tau=(pa.float64(),),
        residual=pa.float64(),
    ),
    "residuals/nearest_phi": _schema(
        measure=STRING,
        coefficient=STRING,
        topic=STRING,
        relevant=pa.int32(),
        correlation=(pa.float64(),),
        phi_lowest=(pa.float64(),),
        phi_middle=(pa.float64(),),
        phi_highest=(pa.float64(),),
        tied=pa.int32(),
        residual=(pa.float64(),),
    ),
    "residuals/nearest_summary": _schema(
        measure=STRING,
        coefficient=STRING,
        below_08=pa.int32(),
        below_09=pa.int32(),
        from_09=pa.int32(),
        undefined=pa.int32(),
        tau=(pa.float64(),),
        p=(pa.float64(),),
        mean_phi=(pa.float64(),),
    ),
    # shares of rankings whose score grows, stays or falls as judgments are added
    "pools/movement_shares": _schema(
        measure=STRING,
        depth=pa.int32(),
        rankings=pa.int32(),
        below=pa.float64(),
        equal=pa.float64(),
        above=pa.float64(),
    ),
    "pools/movement_correlations": _schema(
        measure=STRING,
        rankings=pa.int32(),
        tau_difference=(pa.float64(),),
        ratios=pa.int32(),
        tau_ratio=(pa.float64(),),
    ),
    "pools/movements": _schema(
        measure=STRING,
        depth=pa.int32(),
        system=STRING,
        topic=STRING,
        value=pa.float64(),
        baseline=pa.float64(),
        difference=pa.float64(),
        ratio=(pa.float64(),),
        residual=pa.float64(),
    ),
    "ranges/ranges": _schema(
        system=STRING,
        topic=STRING,
        measure=STRING,
        value=pa.float64(),
        low=pa.float64(),
        high=pa.float64(),
        unjudged=pa.int32(),
        relevant_low=pa.int32(),
        relevant_high=pa.int32(),
    ),
    # means over topics; `residual` is that of the measure that has one, the same for all measures
    "ranges/systems": _schema(
        system=STRING,
        measure=STRING,
        value=pa.float64(),
        low=pa.float64(),
        high=pa.float64(),
        residual=pa.float64(),
    ),
    # --- discrimination and ANCOVA: see regrade.comparisons ---
    **_tests_of_pairs("discrimination", depth=pa.int32()),
    # `contradictions` are among `fp`
    "discrimination/agreement": _schema(
        depth=pa.int32(),
        measure=STRING,
        test=STRING,
        tp=pa.int32(),
        fp=pa.int32(),
        fn=pa.int32(),
        tn=pa.int32(),
        contradictions=pa.int32(),
    ),
    # pairs of systems by the τ of their p-values and pool depth
    "discrimination/trends": _schema(
        measure=STRING,
        test=STRING,
        tau=(pa.float64(),),
        outcome=STRING,
        n_pairs=pa.int32(),
        share=pa.float64(),
    ),
    **_tests_of_pairs("significance", qrels=STRING),
    # `model`: main, two-way, full, or `depth 50` of the scores at that depth alone
    "ancova/effects": _schema(
        model=STRING,
        measure=STRING,
        term=STRING,
        sum_sq=pa.float64(),
        df=pa.float64(),
        f=(pa.float64(),),
        p=(pa.float64(),),
        eta_sq=(pa.float64(),),
        omega_sq=(pa.float64(),),
        partial_eta_sq=(pa.float64(),),
        partial_omega_sq=(pa.float64(),),
    ),
    "ancova/diagnostics": _schema(
        measure=STRING,
        depth=pa.int32(),
        topic=STRING,
        system=STRING,
        fitted=pa.float64(),
        residual=pa.float64(),
        leverage=pa.float64(),
        standardised=(pa.float64(),),
        quantile=(pa.float64(),),
    ),
    # `model`: the random terms, or `depth 50` of the scores at that depth alone; numbers are null
    # where the model leaves no residual variance
    "ancova/mixed_coefficients": _schema(
        model=STRING,
        measure=STRING,
        term=STRING,
        level=STRING,
        estimate=(pa.float64(),),
        std_error=(pa.float64(),),
        z=(pa.float64(),),
        p=(pa.float64(),),
    ),
    "ancova/mixed_tests": _schema(
        model=STRING,
        measure=STRING,
        term=STRING,
        chi2=(pa.float64(),),
        df=pa.float64(),
        p=(pa.float64(),),
    ),
    "ancova/mixed_variances": _schema(
        model=STRING,
        measure=STRING,
        topic_variance=(pa.float64(),),
        topic_system_variance=(pa.float64(),),
        residual_variance=(pa.float64(),),
        intraclass=(pa.float64(),),
        log_likelihood=(pa.float64(),),
        converged=pa.bool_(),
    ),
    # --- magnitudes: see regrade.magnitudes ---
    # one row per unit (HIT): what it says of the known high and low document and their ratio, the
    # least time that a document got, the checks that it fails (null: none), separated by commas
    "magnitudes/units": _schema(
        topic=STRING,
        unit=STRING,
        worker=STRING,
        documents=pa.int32(),
        high=(pa.float64(),),
        low=(pa.float64(),),
        width=(pa.float64(),),
        seconds=(pa.float64(),),
        back=(pa.int32(),),
        failed=(pa.int32(),),
        problems=(STRING,),
        kept=pa.bool_(),
    ),
    # per topic and over all: units by clicks back and by failed attempts (0, 1, 2 or more; null
    # where nobody counted), units that fail a check, units that are left out for it
    "magnitudes/topics": _schema(
        topic=STRING,
        documents=pa.int32(),
        units=pa.int32(),
        judgments=pa.int32(),
        workers=pa.int32(),
        high_docno=(STRING,),
        low_docno=(STRING,),
        back_0=(pa.int32(),),
        back_1=(pa.int32(),),
        back_2=(pa.int32(),),
        failed_0=(pa.int32(),),
        failed_1=(pa.int32(),),
        failed_2=(pa.int32(),),
        order=pa.int32(),
        time=pa.int32(),
        known=pa.int32(),
        left_out=pa.int32(),
    ),
    # units by width, rounded to the nearest 5 (0: below 2.5)
    "magnitudes/widths": _schema(width=pa.float64(), units=pa.int32()),
    "magnitudes/width_quantiles": _schema(
        topic=STRING,
        units=pa.int32(),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        narrow=pa.int32(),
        wide=pa.int32(),
    ),
    # the judgments of the units that are kept
    "magnitudes/normalised": _schema(
        topic=STRING,
        docno=STRING,
        worker=STRING,
        unit=STRING,
        value=pa.float64(),
        normalised=pa.float64(),
    ),
    "magnitudes/documents": _schema(
        topic=STRING,
        docno=STRING,
        n=pa.int32(),
        median=pa.float64(),
        geometric_mean=pa.float64(),
        normalised_median=pa.float64(),
        normalised_geometric_mean=pa.float64(),
    ),
    # --- magnitudes beside labels: see regrade.magnitudes.levels ---
    # documents' normalised magnitudes by the level that a reference gives them (null: none), as
    # boxes: quartiles, whiskers to the last value within 1.5 of their distance, values beyond
    "magnitudes/levels": _schema(
        reference=STRING,
        topic=STRING,
        aggregate=STRING,
        level=(pa.float64(),),
        n=pa.int32(),
        mean=(pa.float64(),),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        outliers=pa.int32(),
    ),
    # t-tests between levels; `exception`: the higher level's median is not above the lower one's
    "magnitudes/level_tests": _schema(
        reference=STRING,
        topic=STRING,
        aggregate=STRING,
        lower=pa.float64(),
        upper=pa.float64(),
        adjacent=pa.bool_(),
        n_lower=pa.int32(),
        n_upper=pa.int32(),
        median_lower=(pa.float64(),),
        median_upper=(pa.float64(),),
        t=(pa.float64(),),
        p=(pa.float64(),),
        exception=(pa.bool_(),),
    ),
    # over the topics; `pairs`: adjacent or all levels; `undefined`: a level without documents
    "magnitudes/exceptions": _schema(
        reference=STRING,
        aggregate=STRING,
        pairs=STRING,
        cases=pa.int32(),
        undefined=pa.int32(),
        exceptions=pa.int32(),
        topics=(STRING,),
    ),
    # pairs of a topic's documents of which `by` gives one `lower` and one `upper`, by how `first`
    # and `second` order them; without levels: all groups; `share` agrees (ties do; half of them in
    # `half_share`, none in `strict_share`), the mean over groups and, for ALL_TOPICS, over topics;
    # `pooled`: over all their pairs
    "magnitudes/agreement": _schema(
        by=STRING,
        first=STRING,
        second=STRING,
        topic=STRING,
        lower=(pa.float64(),),
        upper=(pa.float64(),),
        pairs=pa.int64(),
        concordant=pa.int64(),
        tied=pa.int64(),
        discordant=pa.int64(),
        share=(pa.float64(),),
        half_share=(pa.float64(),),
        strict_share=(pa.float64(),),
        pooled=(pa.float64(),),
        share_low=(pa.float64(),),
        share_high=(pa.float64(),),
    ),
    # documents whose magnitude lies nearer another level's than that of their label, the most
    # discordant first; `distance`: ln of magnitude over the label's median
    "magnitudes/discordant": _schema(
        reference=STRING,
        place=pa.int32(),
        topic=STRING,
        docno=STRING,
        label=pa.float64(),
        nearest=pa.float64(),
        distance=pa.float64(),
        n=pa.int32(),
        median=pa.float64(),
        low=pa.float64(),
        high=pa.float64(),
    ),
    # everything that was said of these documents: by a set of labels, or a worker of the magnitudes
    "magnitudes/said": _schema(
        reference=STRING,
        place=pa.int32(),
        topic=STRING,
        docno=STRING,
        by=STRING,
        worker=(STRING,),
        unit=(STRING,),
        value=pa.float64(),
        normalised=(pa.float64(),),
    ),
    # --- gains: see regrade.magnitudes.gains ---
    # magnitudes over that of the known low document, by level; `above`: how many are over `limit`
    "magnitudes/gains": _schema(
        reference=STRING,
        level=pa.float64(),
        n=pa.int32(),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        limit=pa.float64(),
        above=pa.int32(),
        linear=pa.float64(),
        exponential=pa.float64(),
    ),
    # ratios of the magnitudes of two documents of a topic, of an upper and a lower level
    "magnitudes/gain_ratios": _schema(
        reference=STRING,
        upper=pa.float64(),
        lower=pa.float64(),
        pairs=pa.int64(),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
        limit=pa.float64(),
        above=pa.int64(),
    ),
    # gains by level, of the lowest level 1; `profile`: linear, exponential, fitted (one for all
    # topics), fitted by topic, partially pooled (topics' own, drawn towards that for all)
    "magnitudes/gain_profiles": _schema(
        reference=STRING, profile=STRING, topic=STRING, level=pa.float64(), gain=(pa.float64(),)
    ),
    # of judgments in units that the fit has not seen; `better_share`: of units that are likelier
    # than under linear gains
    "magnitudes/gain_likelihoods": _schema(
        reference=STRING,
        profile=STRING,
        units=pa.int32(),
        judgments=pa.int32(),
        log_likelihood=(pa.float64(),),
        per_judgment=(pa.float64(),),
        better_share=(pa.float64(),),
    ),
    # --- systems under magnitudes: see regrade.magnitudes.systems ---
    # `over`: the runs, or merged from sub-runs that a reference has judged wholly; `gains`: the
    # reference's, the magnitudes', those of narrow or of wide units; `top`: not significantly
    # worse than the best system
    "magnitudes/systems": _schema(
        reference=STRING,
        over=STRING,
        gains=STRING,
        measure=STRING,
        system=STRING,
        score=pa.float64(),
        p=(pa.float64(),),
        top=pa.bool_(),
    ),
    # of systems under some gains with those under the reference's; overlap: |both| / |either|
    "magnitudes/rankings": _schema(
        reference=STRING,
        over=STRING,
        gains=STRING,
        measure=STRING,
        n_systems=pa.int32(),
        n_topics=pa.int32(),
        tau=(pa.float64(),),
        top=pa.int32(),
        top_reference=pa.int32(),
        top_both=pa.int32(),
        overlap=(pa.float64(),),
    ),
    # `resampled`: topics, documents or units
    "magnitudes/intervals": _schema(
        reference=STRING,
        over=STRING,
        gains=STRING,
        measure=STRING,
        quantity=STRING,
        resampled=STRING,
        estimate=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        resamples=pa.int32(),
        undefined=pa.int32(),
    ),
    # the same of shares of pairs of documents, see regrade.magnitudes.pairs; `reference`: whose
    # levels group them, `gains`: the two sets, `measure`: the two levels, or all
    "magnitudes/share_intervals": _schema(
        reference=STRING,
        over=STRING,
        gains=STRING,
        measure=STRING,
        quantity=STRING,
        resampled=STRING,
        estimate=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        resamples=pa.int32(),
        undefined=pa.int32(),
    ),
    # sub-runs whose first documents the reference has all judged; `used`: at least two of a topic
    "magnitudes/complete": _schema(
        reference=STRING, topic=STRING, complete=pa.int32(), runs=pa.int32(), used=pa.bool_()
    ),
    "magnitudes/mappings": _schema(
        reference=STRING, over=STRING, mapping=STRING, measure=STRING, tau=(pa.float64(),)
    ),
    # --- resampled judgments: see regrade.magnitudes.samples ---
    # τ of the ranking of systems under one magnitude per document, drawn anew each time
    "magnitudes/samples": _schema(
        reference=STRING, over=STRING, measure=STRING, sample=pa.int32(), tau=(pa.float64(),)
    ),
    # a box of them: quartiles, whiskers to the last value within 1.5 of their distance; `tau`: of
    # all judgments
    "magnitudes/sample_quantiles": _schema(
        reference=STRING,
        over=STRING,
        measure=STRING,
        samples=pa.int32(),
        tau=(pa.float64(),),
        low=(pa.float64(),),
        q1=(pa.float64(),),
        median=(pa.float64(),),
        q3=(pa.float64(),),
        high=(pa.float64(),),
    ),
    # pairs of systems by the share of samples in which `first` scores higher, or the same
    "magnitudes/orders": _schema(
        reference=STRING,
        over=STRING,
        measure=STRING,
        first=STRING,
        second=STRING,
        higher=pa.float64(),
        equal=pa.float64(),
    ),
    # pairs of which every sample, or 95 % of them, put the same system first
    "magnitudes/unanimity": _schema(
        reference=STRING,
        over=STRING,
        measure=STRING,
        samples=pa.int32(),
        pairs=pa.int32(),
        unanimous=pa.int32(),
        above_95=pa.int32(),
    ),
    # τ with `other` (the reference's ranking, or that of all judgments) of the ranking under the
    # median of k judgments per document; 95 % of the samples are from `low` to `high`
    "magnitudes/per_document": _schema(
        reference=STRING,
        over=STRING,
        measure=STRING,
        other=STRING,
        k=pa.int32(),
        samples=pa.int32(),
        low=(pa.float64(),),
        median=(pa.float64(),),
        high=(pa.float64(),),
    ),
    # --- fewer pairs: see regrade.preferences.subsets, next_pairs, stopping and intransitivity ---
    # what each judge's answers are worth; `expected_tau`: with the true order, mean over topics
    "pair-budgets/judges": _schema(
        judge=STRING,
        topics=pa.int32(),
        documents=pa.int32(),
        pairs=pa.int32(),
        answers=pa.int32(),
        spread=pa.float64(),
        estimated=pa.float64(),
        expected_tau=(pa.float64(),),
    ),
    "pair-budgets/transitivity": _schema(
        scope=STRING,
        judge=STRING,
        quantity=STRING,
        topics=pa.int32(),
        n=pa.int32(),
        count=pa.int32(),
        share=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        difference=(pa.float64(),),
        difference_low=(pa.float64(),),
        difference_high=(pa.float64(),),
        random=(pa.float64(),),
        random_low=(pa.float64(),),
        random_high=(pa.float64(),),
        fitted=(pa.float64(),),
        fitted_low=(pa.float64(),),
        fitted_high=(pa.float64(),),
        fitted_bias=(pa.float64(),),
        unproven=pa.int32(),
    ),
    # rankings by subsets of pairs and by all; null measure: of documents
    "pair-budgets/subsets": _schema(
        draw=STRING,
        share=pa.float64(),
        pairs=pa.float64(),
        per_document=pa.float64(),
        connected=pa.float64(),
        unseen=pa.float64(),
        method=STRING,
        ranked=STRING,
        measure=(STRING,),
        coefficient=STRING,
        reference=STRING,
        n=pa.int32(),
        repeats=pa.int32(),
        mean=(pa.float64(),),
        low=(pa.float64(),),
        median=(pa.float64(),),
        high=(pa.float64(),),
    ),
    # null share: none that was drawn is enough
    "pair-budgets/needed": _schema(
        draw=STRING,
        method=STRING,
        ranked=STRING,
        measure=(STRING,),
        coefficient=STRING,
        target=pa.float64(),
        certainty=pa.float64(),
        share=(pa.float64(),),
        pairs=(pa.float64(),),
        per_document=(pa.float64(),),
    ),
    # `resampled`: topics or replays; differences are from the policy `random`
    "pair-budgets/policies": _schema(
        policy=STRING,
        per_document=pa.float64(),
        questions=pa.float64(),
        ranked=STRING,
        measure=(STRING,),
        coefficient=STRING,
        reference=STRING,
        n=pa.int32(),
        resampled=STRING,
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        difference=(pa.float64(),),
        difference_low=(pa.float64(),),
        difference_high=(pa.float64(),),
    ),
    "pair-budgets/stops": _schema(
        topic=STRING,
        rule=STRING,
        target=pa.float64(),
        confidence=pa.float64(),
        stopped=pa.bool_(),
        questions=pa.int32(),
        answers=pa.int32(),
        sure=pa.float64(),
        agreement=pa.float64(),
        expected_tau=(pa.float64(),),
    ),
    "pair-budgets/stopping": _schema(
        rule=STRING,
        target=pa.float64(),
        confidence=pa.float64(),
        topics=pa.int32(),
        stopped=pa.int32(),
        saved=pa.float64(),
        sure=(pa.float64(),),
        agreement=(pa.float64(),),
        reached=(pa.float64(),),
        expected_tau=(pa.float64(),),
    ),
    # null `assumed`: estimated
    "pair-worlds/coverage": _schema(
        world=STRING,
        spread=pa.float64(),
        assumed=(pa.float64(),),
        policy=STRING,
        rule=STRING,
        target=pa.float64(),
        confidence=pa.float64(),
        worlds=pa.int32(),
        stopped=pa.int32(),
        questions=(pa.float64(),),
        kept=pa.int32(),
        share=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        achieved=(pa.float64(),),
    ),
    # --- discriminative power of labels; see regrade.power ---
    # how often a document of one grade was preferred to one of another; ties count half
    "power/grades": _schema(
        preferences=STRING,
        set=STRING,
        mode=STRING,
        first=pa.float64(),
        second=pa.float64(),
        tests=pa.float64(),
        wins=pa.float64(),
        probability=pa.float64(),
    ),
    # tests of preference; those whose documents both have labels; ties among these
    "power/served": _schema(
        preferences=STRING,
        set=STRING,
        tests=pa.int64(),
        served=pa.int64(),
        tied=pa.int64(),
    ),
    # `entropy` is PDP, the mean over a topic's lists (of ALL_TOPICS: over topics), found by the
    # `way` (over all states, as an integral, sampled; `exact`: none was sampled); `highest` that
    # of labels that tell nothing; shares: pairs whose probability was `clipped`, lists with
    # `finite` scores without that, pairs of grades that no test compares (`unseen`)
    "power/topics": _schema(
        preferences=STRING,
        set=STRING,
        mode=STRING,
        list=STRING,
        topic=STRING,
        lists=pa.int64(),
        documents=pa.float64(),
        entropy=(pa.float64(),),
        highest=(pa.float64(),),
        exact=pa.bool_(),
        way=STRING,
        standard_error=(pa.float64(),),
        clipped=(pa.float64(),),
        finite=(pa.float64(),),
        unseen=(pa.float64(),),
    ),
    # counts, and agreement of assessors
    "power/sets": _schema(set=STRING, quantity=STRING, value=(pa.float64(),)),
    # bootstrap intervals of PDP, `over` topics or assessors, `n` of them
    "power/intervals": _schema(
        preferences=STRING,
        set=STRING,
        mode=STRING,
        list=STRING,
        over=STRING,
        n=pa.int64(),
        resamples=pa.int64(),
        entropy=pa.float64(),
        low=(pa.float64(),),
        high=(pa.float64(),),
    ),
    # sets cut into fewer levels; 0 levels: as they are; `made`: how many came out; `way`: how the
    # cut was chosen; `concordance` of labels with tests, Somers' d
    "power/levels": _schema(
        preferences=STRING,
        set=STRING,
        levels=pa.int64(),
        way=STRING,
        made=pa.int64(),
        alpha=(pa.float64(),),
        concordance=(pa.float64(),),
        mode=STRING,
        list=STRING,
        entropy=(pa.float64(),),
        standard_error=(pa.float64(),),
    ),
    # systems under these sets: τ_b with their ranking by the set as it is; pairs told apart
    "power/level_systems": _schema(
        set=STRING,
        levels=pa.int64(),
        way=STRING,
        preferences=(STRING,),
        mode=(STRING,),
        list=(STRING,),
        measure=STRING,
        tau=(pa.float64(),),
        test=STRING,
        share=pa.float64(),
    ),
    # PDP of the cuts with the least pairwise entropy, of so many `cuts`; `place` by it, from 1
    "power/searched": _schema(
        preferences=STRING,
        set=STRING,
        mode=STRING,
        list=STRING,
        levels=pa.int64(),
        cuts=pa.int64(),
        place=pa.int64(),
        pair_entropy=pa.float64(),
        **_level_cuts(),
        entropy=pa.float64(),
        standard_error=pa.float64(),
    ),
    # the cut chosen `by` power, evenly or (of a search) by agreement; what each loses by the other
    "power/cuts": _schema(
        preferences=STRING,
        set=STRING,
        mode=STRING,
        list=STRING,
        levels=pa.int64(),
        transformation=(STRING,),
        search=(STRING,),
        by=STRING,
        **_level_cuts(),
        entropy=pa.float64(),
        entropy_lost=pa.float64(),
        alpha=(pa.float64(),),
        alpha_lost=(pa.float64(),),
    ),
    # how often a measure prefers the page that people prefer, under labels cut into levels
    "pages/agreement": _schema(
        set=STRING,
        levels=pa.int64(),
        way=STRING,
        preferences=(STRING,),
        measure=STRING,
        topics=pa.int64(),
        preferred=pa.int64(),
        right=pa.int64(),
        wrong=pa.int64(),
        undecided=pa.int64(),
        share=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
    ),
    # grades spread over nearly twice as many; null certainty: as they are; no preferences and no
    # list: of systems
    "power/extended": _schema(
        set=STRING,
        certainty=(pa.float64(),),
        slice=pa.int64(),
        preferences=(STRING,),
        list=(STRING,),
        metric=STRING,
        value=(pa.float64(),),
    ),
    # the share of pairs of systems that a test tells apart
    "power/discrimination": _schema(
        set=STRING,
        measure=STRING,
        test=STRING,
        topics=pa.int64(),
        pairs=pa.int64(),
        undefined=pa.int64(),
        significant=pa.int64(),
        share=pa.float64(),
    ),
    # τ_b of the sets' order by power and by discriminative power of systems
    "power/orders": _schema(
        preferences=STRING,
        mode=STRING,
        list=STRING,
        measure=STRING,
        test=STRING,
        sets=pa.int64(),
        tau=(pa.float64(),),
    ),
    # --- tasks that ask workers about pairs of documents; see regrade.preferences.design, tasks ---
    "pair-tasks/topics": _schema(
        topic=STRING,
        pool=pa.int32(),
        documents=pa.int32(),
        groups=pa.int32(),
        serves=pa.int32(),
        partitions=pa.int32(),
        units=pa.int32(),
        pairs=pa.int32(),
        judgments_per_document=pa.int32(),
        met=pa.float64(),
        repeated_pairs=pa.int32(),
    ),
    "pair-tasks/documents": _schema(
        topic=STRING,
        docno=STRING,
        role=STRING,
        units=pa.int32(),
        pairs=pa.int32(),
        left=pa.int32(),
        met=pa.int32(),
    ),
    # `gold`: the position of the pair whose answer is known
    "pair-tasks/units": _schema(
        topic=STRING,
        partition=pa.int32(),
        unit=STRING,
        documents=pa.int32(),
        pairs=pa.int32(),
        gold=pa.int32(),
        relevant=STRING,
        not_relevant=STRING,
    ),
    # in the order in which a unit asks for them; `stays`: the document of the pair before
    "pair-tasks/pairs": _schema(
        topic=STRING,
        partition=pa.int32(),
        unit=STRING,
        position=pa.int32(),
        left=STRING,
        right=STRING,
        stays=(STRING,),
        gold=pa.bool_(),
    ),
    # pairs of documents written for the topic, whose answers are known
    "pair-tasks/tests": _schema(
        topic=STRING,
        test=pa.int32(),
        left=STRING,
        right=STRING,
        left_level=STRING,
        right_level=STRING,
    ),
    # --- what is wrong with answers about pairs; see regrade.preferences.checks ---
    # of `answers` that a check can look at, those found, and those that its rule left out
    "preferences/checks": _schema(
        check=STRING,
        rule=STRING,
        topic=STRING,
        answers=pa.int32(),
        found=pa.int32(),
        left_out=pa.int32(),
    ),
    "preferences/named": _schema(
        check=STRING,
        topic=STRING,
        worker=(STRING,),
        unit=(STRING,),
        position=(pa.int32(),),
        left=STRING,
        right=STRING,
    ),
    # test questions of a worker, and how many are answered rightly, by question and in all
    "preferences/tests": _schema(
        topic=STRING,
        worker=(STRING,),
        tests=pa.int32(),
        preference=pa.int32(),
        relevance=pa.int32(),
        score=pa.int32(),
        right=pa.int32(),
    ),
    # what may be answered to a test question, and how often it was
    "preferences/given": _schema(
        left_level=STRING,
        right_level=STRING,
        question=STRING,
        option=STRING,
        accepted=pa.bool_(),
        answers=pa.int32(),
    ),
    # --- scores of documents from preferences; see regrade.preferences ---
    # values of documents of one `component` of the comparisons can be compared
    "preferences/scores": _schema(
        topic=STRING,
        docno=STRING,
        method=STRING,
        value=(pa.float64(),),
        lower=(pa.float64(),),
        upper=(pa.float64(),),
        component=pa.int32(),
        note=(STRING,),
    ),
    # what each topic's comparisons can tell
    "preferences/graphs": _schema(
        topic=STRING,
        documents=pa.int32(),
        preferences=pa.int32(),
        pairs=pa.int32(),
        ties=pa.int32(),
        components=pa.int32(),
        largest=pa.int32(),
        never_beaten=pa.int32(),
        never_winning=pa.int32(),
        finite=pa.bool_(),
    ),
    # how often the left document is preferred, of preferences with sides that are no ties
    "preferences/sides": _schema(
        topic=STRING,
        preferences=pa.int32(),
        left=pa.int32(),
        share=(pa.float64(),),
        lower=(pa.float64(),),
        upper=(pa.float64(),),
    ),
    # how far preferences are from an order; null: unknown, or (worker, unit) all of them together
    "preferences/consistency": _schema(
        topic=STRING,
        worker=(STRING,),
        unit=(STRING,),
        documents=pa.int32(),
        preferences=pa.int32(),
        ties=pa.int32(),
        pairs=pa.int32(),
        repeated=pa.int32(),
        contradictory=pa.int32(),
        triples=pa.int64(),
        cycles=pa.int64(),
        feedback=(pa.float64(),),
        affected_low=(pa.float64(),),
        affected_high=(pa.float64(),),
        largest=pa.int32(),
        note=(STRING,),
    ),
    # --- preferences beside labels; ALL_TOPICS: sums over topics, means of τ ---
    # each document's scores and label; null grade: no label
    "preferences/documents": _schema(
        reference=STRING,
        method=STRING,
        topic=STRING,
        docno=STRING,
        value=(pa.float64(),),
        grade=(pa.float64(),),
    ),
    # pairs of documents that two sets of scores or labels put in the same order, or not
    "preferences/orders": _schema(
        first=STRING,
        second=STRING,
        topic=STRING,
        documents=pa.int64(),
        pairs=pa.int64(),
        agree=pa.int64(),
        disagree=pa.int64(),
        tie=pa.int64(),
        agree_share=(pa.float64(),),
        disagree_share=(pa.float64(),),
        tie_share=(pa.float64(),),
        tau=(pa.float64(),),
        alpha=(pa.float64(),),
        alpha_apart=(pa.float64(),),
    ),
    # the same by the two labels of a pair; null labels: all pairs whose labels differ
    "preferences/graded": _schema(
        reference=STRING,
        method=STRING,
        topic=STRING,
        lower=(pa.float64(),),
        higher=(pa.float64(),),
        pairs=pa.int64(),
        agree=(pa.float64(),),
        disagree=(pa.float64(),),
        tie=pa.int64(),
        agree_share=(pa.float64(),),
        disagree_share=(pa.float64(),),
        tie_share=(pa.float64(),),
        apart_share=(pa.float64(),),
    ),
    # answers by question, and by which document (left, right, neither) has the higher label
    "preferences/sided": _schema(
        reference=STRING,
        question=STRING,
        topic=STRING,
        sides=pa.bool_(),
        case=STRING,
        answers=pa.int64(),
        left=pa.int64(),
        right=pa.int64(),
        tie=pa.int64(),
        left_share=(pa.float64(),),
        right_share=(pa.float64(),),
        tie_share=(pa.float64(),),
    ),
    # answers to two questions about the same pair
    "preferences/questions": _schema(
        first=STRING,
        second=STRING,
        topic=STRING,
        answers=pa.int64(),
        agree=pa.int64(),
        disagree=pa.int64(),
        tie=pa.int64(),
        agree_share=(pa.float64(),),
        disagree_share=(pa.float64(),),
        tie_share=(pa.float64(),),
    ),
    # Krippendorff's α of answers; null reference: among the answers about a pair
    "preferences/alphas": _schema(
        question=STRING,
        reference=(STRING,),
        topic=STRING,
        answers=pa.int64(),
        pairs=pa.int64(),
        alpha=(pa.float64(),),
        apart=pa.int64(),
        alpha_apart=(pa.float64(),),
    ),
    # numbers given to express ratios, by label; null grade: no label
    "preferences/raw": _schema(
        reference=STRING,
        topic=STRING,
        grade=(pa.float64(),),
        documents=pa.int64(),
        answers=pa.int64(),
        mean=pa.float64(),
    ),
    # mean scores of systems; `mapping`: none, a reference whose proportions scores were mapped to,
    # or a number of parts of equal size
    "preferences/systems": _schema(
        mapping=STRING,
        labels=STRING,
        measure=STRING,
        system=STRING,
        topics=pa.int64(),
        score=pa.float64(),
    ),
    "preferences/system_orders": _schema(
        mapping=STRING,
        first=STRING,
        second=STRING,
        measure=STRING,
        systems=pa.int64(),
        pairs=pa.int64(),
        agree=pa.int64(),
        disagree=pa.int64(),
        tie=pa.int64(),
        agree_share=(pa.float64(),),
        disagree_share=(pa.float64(),),
        tie_share=(pa.float64(),),
        tau=(pa.float64(),),
        tau_ap=(pa.float64(),),
        rbo=(pa.float64(),),
    ),
    "preferences/p_values": _schema(
        labels=STRING,
        measure=STRING,
        system=STRING,
        other=STRING,
        difference=pa.float64(),
        p=(pa.float64(),),
    ),
    # pairs of systems that `labels` and `reference` tell apart; `tau` of the p-values
    "preferences/quadrants": _schema(
        reference=STRING,
        labels=STRING,
        measure=STRING,
        topics=pa.int64(),
        pairs=pa.int64(),
        undefined=pa.int64(),
        tp=pa.int64(),
        fp=pa.int64(),
        fn=pa.int64(),
        tn=pa.int64(),
        ratio=(pa.float64(),),
        tau=(pa.float64(),),
    ),
    # what each worker did; null: unknown; inconsistency: shares of the documents shown
    "preferences/workers": _schema(
        topic=STRING,
        worker=(STRING,),
        answers=pa.int64(),
        left_out=pa.int64(),
        units=pa.int64(),
        documents=pa.int64(),
        shown=pa.int64(),
        once=pa.int64(),
        twice=pa.int64(),
        more=pa.int64(),
        seconds=(pa.float64(),),
        per_document=(pa.float64(),),
        inconsistent_low=(pa.float64(),),
        inconsistent_high=(pa.float64(),),
        inconsistent_absolute=(pa.float64(),),
    ),
    # `people` are different workers, also over all topics; null: unknown
    "preferences/topics": _schema(
        topic=STRING,
        documents=pa.int64(),
        pairs=pa.int64(),
        partitions=(pa.float64(),),
        units=(pa.float64(),),
        workers=(pa.float64(),),
        people=(pa.float64(),),
        trusted=pa.int64(),
        untrusted=pa.int64(),
        kept=pa.int64(),
        cost=(pa.float64(),),
        seconds=(pa.float64(),),
    ),
    # documents that so many workers judged
    "preferences/seen": _schema(topic=STRING, workers=pa.int64(), documents=pa.int64()),
    # Kendall's τ_b over workers and topics
    "preferences/relations": _schema(
        x=STRING, y=STRING, n=pa.int64(), tau=(pa.float64(),), p=(pa.float64(),)
    ),
    # gamma distributions of seconds
    "preferences/time_fits": _schema(
        topic=STRING,
        answers=pa.int64(),
        unfitted=pa.int64(),
        mean=pa.float64(),
        median=pa.float64(),
        deviation=(pa.float64(),),
        shape=(pa.float64(),),
        scale=(pa.float64(),),
        log_likelihood=(pa.float64(),),
        distance=(pa.float64(),),
        note=(STRING,),
    ),
    "preferences/times": _schema(
        topic=STRING,
        low=pa.float64(),
        high=(pa.float64(),),
        answers=pa.int64(),
        share=pa.float64(),
        fitted=(pa.float64(),),
    ),
    # mixed models: coefficients, and variances (term `variance`) without standard errors
    "preferences/effects": _schema(
        model=STRING,
        outcome=STRING,
        group=STRING,
        term=(STRING,),
        level=(STRING,),
        estimate=(pa.float64(),),
        std_error=(pa.float64(),),
        z=(pa.float64(),),
        p=(pa.float64(),),
        rows=pa.int64(),
        groups=pa.int64(),
        note=(STRING,),
    ),
    "preferences/label_effects": _schema(
        reference=STRING,
        model=STRING,
        outcome=STRING,
        group=STRING,
        term=(STRING,),
        level=(STRING,),
        estimate=(pa.float64(),),
        std_error=(pa.float64(),),
        z=(pa.float64(),),
        p=(pa.float64(),),
        rows=pa.int64(),
        groups=pa.int64(),
        note=(STRING,),
    ),
    "preferences/partition_effects": _schema(
        model=STRING,
        outcome=STRING,
        group=STRING,
        term=(STRING,),
        level=(STRING,),
        estimate=(pa.float64(),),
        std_error=(pa.float64(),),
        z=(pa.float64(),),
        p=(pa.float64(),),
        rows=pa.int64(),
        groups=pa.int64(),
        note=(STRING,),
    ),
    # a reference on each worker's documents and preferences
    "preferences/worker_labels": _schema(
        reference=STRING,
        topic=STRING,
        worker=(STRING,),
        apart=pa.int64(),
        right=pa.int64(),
        gold=pa.int64(),
        gold_right=pa.int64(),
        mean_grade=(pa.float64(),),
    ),
    # of workers' preferences about documents with different labels, and of gold pairs alone; means
    # over workers
    "preferences/accuracy": _schema(
        reference=STRING,
        topic=STRING,
        workers=pa.int64(),
        apart=pa.int64(),
        right=pa.int64(),
        mean=(pa.float64(),),
        deviation=(pa.float64(),),
        gold_workers=pa.int64(),
        gold=pa.int64(),
        gold_right=pa.int64(),
        gold_mean=(pa.float64(),),
        gold_deviation=(pa.float64(),),
    ),
    "preferences/label_relations": _schema(
        reference=STRING,
        x=STRING,
        y=STRING,
        n=pa.int64(),
        tau=(pa.float64(),),
        p=(pa.float64(),),
    ),
    # the mean score of all systems
    "preferences/difficulty": _schema(
        reference=STRING,
        measure=STRING,
        topic=STRING,
        systems=pa.int64(),
        mean=pa.float64(),
    ),
    # scores from drawn partitions; 0 partitions: all of them
    "preferences/partition_topics": _schema(
        method=STRING,
        topic=STRING,
        partitions=pa.int64(),
        used=pa.int64(),
        available=pa.int64(),
        draws=pa.int64(),
        documents=pa.int64(),
        alpha=(pa.float64(),),
        tau=(pa.float64(),),
        tau_low=(pa.float64(),),
        tau_high=(pa.float64(),),
    ),
    "preferences/partition_systems": _schema(
        method=STRING,
        measure=STRING,
        partitions=pa.int64(),
        draw=pa.int64(),
        system=STRING,
        score=pa.float64(),
    ),
    "preferences/partition_taus": _schema(
        first=STRING,
        second=STRING,
        measure=STRING,
        partitions=pa.int64(),
        draw=pa.int64(),
        tau=(pa.float64(),),
    ),
    # means over draws
    "preferences/partition_quadrants": _schema(
        reference=STRING,
        method=STRING,
        measure=STRING,
        partitions=pa.int64(),
        draws=pa.int64(),
        pairs=pa.float64(),
        tp=pa.float64(),
        fp=pa.float64(),
        fn=pa.float64(),
        tn=pa.float64(),
        rbo=(pa.float64(),),
        tau=(pa.float64(),),
    ),
    # synthetic judgments: `value` of a metric of a batch; null quality: σ outside the paper's
    "synthetic-power/batches": _schema(
        batch=pa.int64(),
        sigma=pa.float64(),
        quality=(STRING,),
        topics=pa.int64(),
        grades=pa.int64(),
        metric=STRING,
        value=(pa.float64(),),
    ),
    # the example of chu2021
    "synthetic-power/example": _schema(grades=pa.int64(), quantity=STRING, value=pa.float64()),
    "synthetic-power/qualities": _schema(
        quality=STRING,
        mode=STRING,
        grades=pa.int64(),
        batches=pa.int64(),
        topics=pa.int64(),
        mean=pa.float64(),
    ),
    # Spearman's ρ with σ, signed so that 1 is the order of quality
    "synthetic-power/consistency": _schema(
        grades=pa.int64(),
        metric=STRING,
        batches=pa.int64(),
        rho=(pa.float64(),),
    ),
    # PDP from `tests` drawn tests for each two grades, `n` times
    "synthetic-power/reliability": _schema(
        quality=STRING,
        sigma=pa.float64(),
        mode=STRING,
        grades=pa.int64(),
        tests=pa.int64(),
        n=pa.int64(),
        all_tests=pa.float64(),
        low=pa.float64(),
        q1=pa.float64(),
        median=pa.float64(),
        q3=pa.float64(),
        high=pa.float64(),
    ),
    # tests that a probability needs, and how often its estimate then lies within the bounds
    "synthetic-power/needed": _schema(
        p=pa.float64(),
        within=pa.float64(),
        confidence=pa.float64(),
        formula=STRING,
        tests=pa.int64(),
        simulated=pa.float64(),
        exact=pa.float64(),
    ),
    # --- import ---
    # one row per system and topic; see regrade.audit
    "audit/runs": _schema(
        system=STRING,
        topic=STRING,
        documents=pa.int32(),
        tied_documents=pa.int32(),
        first_tie=(pa.int32(),),
        contradictions=pa.int32(),
        short=pa.bool_(),
    ),
    # one row per system, topic and qrels
    "audit/judged": _schema(
        qrels=STRING,
        system=STRING,
        topic=STRING,
        judged=pa.int32(),
        unjudged=pa.int32(),
        first_unjudged=pa.int32(),
    ),
    # one row per judgment set and topic
    "audit/judgments": _schema(
        judgments=STRING,
        topic=STRING,
        documents=pa.int32(),
        judgments_count=pa.int32(),
        workers=pa.int32(),
        units=(pa.int32(),),
        min_per_document=pa.int32(),
        median_per_document=pa.float64(),
        max_per_document=pa.int32(),
        repeated=pa.int32(),
    ),
    # one row per preference set and topic
    "audit/preferences": _schema(
        preferences=STRING,
        topic=STRING,
        documents=pa.int32(),
        pairs=pa.int32(),
        preferences_count=pa.int32(),
        workers=(pa.int32(),),
        units=(pa.int32(),),
        min_per_pair=pa.int32(),
        median_per_pair=pa.float64(),
        max_per_pair=pa.int32(),
        ties=pa.int32(),
        with_sides=pa.int32(),
        left=pa.int32(),
        repeated=pa.int32(),
        contradictory=pa.int32(),
        self_contradictory=pa.int32(),
    ),
    # one row per set and value of its scale, or value found where these cannot be listed
    "audit/values": _schema(
        kind=STRING, set=STRING, value=pa.float64(), written=STRING, count=pa.int64()
    ),
    # one row per set of judgments or preferences and known worker; `judged` counts documents or
    # pairs of documents
    "audit/workers": _schema(
        kind=STRING,
        set=STRING,
        worker=STRING,
        rows=pa.int32(),
        topics=pa.int32(),
        judged=pa.int32(),
        distinct=pa.int32(),
        low=pa.float64(),
        high=pa.float64(),
        most_frequent=pa.float64(),
        most_frequent_count=pa.int32(),
    ),
    # what a reader of the import wants to know, one fact a row
    "audit/summary": _schema(
        source=STRING,
        fact=STRING,
        value=pa.float64(),
        total=(pa.float64(),),
    ),
    # what must be known before any result
    "audit/warnings": _schema(source=STRING, said=STRING),
    # --- several criteria: see regrade.criteria ---
    # result lists, each rated by an assessor by several criteria
    "rated-lists/lists": _schema(
        topic=STRING,
        assessor=STRING,
        rank=pa.int32(),
        docno=STRING,
        criterion=STRING,
        grade=pa.float64(),
    ),
    "rated-lists/scores": _schema(
        topic=STRING, assessor=STRING, measure=STRING, value=pa.float64()
    ),
    # the mean of a measure under every convention; empty where one does not matter to it
    "rated-lists/conventions": _schema(
        measure=STRING,
        grades=STRING,
        gains=STRING,
        discount=STRING,
        divisor=STRING,
        recall=STRING,
        undefined=STRING,
        ties=STRING,
        combined=STRING,
        relevant_from=(pa.float64(),),
        plain=pa.bool_(),
        value=(pa.float64(),),
        lists=pa.int32(),
        undefined_lists=pa.int32(),
    ),
    "rated-lists/correlations": _schema(
        over=STRING, first=STRING, second=STRING, n=pa.int32(), rho=(pa.float64(),)
    ),
    # results with the highest grade by one criterion, `high`, and the lowest by the other
    "rated-lists/examples": _schema(
        high=STRING,
        topic=STRING,
        assessor=STRING,
        rank=pa.int32(),
        docno=STRING,
        measure=STRING,
        value=pa.float64(),
    ),
    "rated-lists/ties": _schema(
        topic=STRING,
        assessor=STRING,
        measure=STRING,
        pessimistic=pa.float64(),
        optimistic=pa.float64(),
        stable=pa.float64(),
        competition=pa.float64(),
        expected=pa.float64(),
    ),
    "rated-lists/weights": _schema(measure=STRING, weight=pa.float64(), value=pa.float64()),
    # --- judges beside a reference: see regrade.comparing.judges ---
    # documents of a judge, those that the reference judged too (`shared`) and those of the
    # reference that the judge did not (`unjudged`)
    "judges/sets": _schema(
        judge=STRING,
        reference=STRING,
        relation=STRING,
        levels=(pa.float64(),),
        distinct=pa.int64(),
        topics=pa.int64(),
        documents=pa.int64(),
        shared=pa.int64(),
        unjudged=pa.int64(),
        note=STRING,
    ),
    # null thresholds: uncut, no such threshold, or several cuts
    "judges/cuts": _schema(
        judge=STRING,
        cut=STRING,
        held_out=pa.bool_(),
        topic=STRING,
        c1=(pa.float64(),),
        c2=(pa.float64(),),
        c3=(pa.float64(),),
        alpha=(pa.float64(),),
    ),
    # `gain`: on the rounded cut of the same judge, paired over draws of topics
    "judges/agreement": _schema(
        judge=STRING,
        cut=STRING,
        held_out=pa.bool_(),
        quantity=STRING,
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        gain=(pa.float64(),),
        gain_low=(pa.float64(),),
        gain_high=(pa.float64(),),
        defined=pa.int64(),
        resamples=pa.int64(),
        note=STRING,
    ),
    "judges/confusion": _schema(
        judge=STRING,
        cut=STRING,
        held_out=pa.bool_(),
        reference_grade=pa.float64(),
        level=pa.float64(),
        documents=pa.int64(),
    ),
    "judges/rankings": _schema(
        judge=STRING,
        cut=STRING,
        held_out=pa.bool_(),
        measure=STRING,
        quantity=STRING,
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        gain=(pa.float64(),),
        gain_low=(pa.float64(),),
        gain_high=(pa.float64(),),
        defined=pa.int64(),
        resamples=pa.int64(),
        note=STRING,
    ),
    # pairs of systems by what becomes of their significance, from the reference to the judge
    "judges/pairs": _schema(
        judge=STRING,
        cut=STRING,
        held_out=pa.bool_(),
        measure=STRING,
        change=STRING,
        pairs=pa.int64(),
        share=(pa.float64(),),
    ),
    # two sets of judgments, the first and the second; a value that is null is undefined, and `note`
    # says why where nothing else does
    "compare/facts": _schema(quantity=STRING, value=(pa.float64(),), note=STRING),
    # documents of a topic (or ALL_TOPICS): how many each set judged, both did, only one did; of
    # both the share with equal grades, the mean of second - first, agreement
    "compare/agreement": _schema(
        topic=STRING,
        first=pa.int64(),
        second=pa.int64(),
        both=pa.int64(),
        only_first=pa.int64(),
        only_second=pa.int64(),
        equal=(pa.float64(),),
        difference=(pa.float64(),),
        alpha=(pa.float64(),),
        kappa=(pa.float64(),),
        weighted_kappa=(pa.float64(),),
    ),
    # of all documents; the interval is of `defined` of the resamples of topics
    "compare/labels": _schema(
        quantity=STRING,
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        defined=pa.int64(),
        resamples=pa.int64(),
    ),
    # a null grade: not judged in that set
    "compare/confusion": _schema(
        first_grade=(pa.float64(),), second_grade=(pa.float64(),), documents=pa.int64()
    ),
    # what all this says, a sentence each; `part`: labels, or a measure
    "compare/answer": _schema(part=STRING, said=STRING),
    "compare/rankings": _schema(
        measure=STRING,
        quantity=STRING,
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        defined=pa.int64(),
        resamples=pa.int64(),
    ),
    # `move`: places gained under the second set; `gain`: of standard scores among the systems
    "compare/systems": _schema(
        measure=STRING,
        system=STRING,
        group=STRING,
        first=pa.float64(),
        second=pa.float64(),
        difference=pa.float64(),
        first_rank=pa.int64(),
        second_rank=pa.int64(),
        move=pa.int64(),
        gain=(pa.float64(),),
        gain_low=(pa.float64(),),
        gain_high=(pa.float64(),),
    ),
    "compare/top": _schema(
        measure=STRING,
        k=pa.int64(),
        system=STRING,
        first_rank=pa.int64(),
        second_rank=pa.int64(),
        change=STRING,
    ),
    "compare/pairs": _schema(
        measure=STRING,
        system=STRING,
        other=STRING,
        first_difference=pa.float64(),
        second_difference=pa.float64(),
        first_p=(pa.float64(),),
        second_p=(pa.float64(),),
        first_significant=pa.bool_(),
        second_significant=pa.bool_(),
        outcome=STRING,
        change=STRING,
    ),
    "compare/pair_counts": _schema(
        measure=STRING,
        outcome=STRING,
        change=STRING,
        pairs=pa.int64(),
        share=(pa.float64(),),
    ),
    # τ_b of the systems' scores on a topic; mean scores of all systems
    "compare/topics": _schema(
        measure=STRING,
        topic=STRING,
        tau=(pa.float64(),),
        first=pa.float64(),
        second=pa.float64(),
        difference=pa.float64(),
    ),
    "compare/groups": _schema(
        measure=STRING,
        group=STRING,
        systems=pa.int64(),
        gain=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        move=pa.float64(),
    ),
    # rankings on halves of the topics; the interval is of `defined` of the splits
    "compare/reliability": _schema(
        measure=STRING,
        quantity=STRING,
        of=STRING,
        value=(pa.float64(),),
        low=(pa.float64(),),
        high=(pa.float64(),),
        defined=pa.int64(),
        splits=pa.int64(),
        topics=pa.int64(),
    ),
    # how far measures are as lioma2017 wants them, on small rankings; `against`: the first case
    "criteria/desiderata": _schema(
        measure=STRING,
        desideratum=STRING,
        reading=STRING,
        statement=STRING,
        claimed=STRING,
        cases=pa.int32(),
        held=pa.int32(),
        equal=pa.int32(),
        against=(STRING,),
    ),
    "rated-lists/desiderata": _schema(
        measure=STRING,
        desideratum=STRING,
        reading=STRING,
        statement=STRING,
        claimed=STRING,
        cases=pa.int32(),
        held=pa.int32(),
        equal=pa.int32(),
        against=(STRING,),
    ),
    # documents with a label of the scored set and of another one
    "criteria/coverage": _schema(
        other=STRING,
        topic=STRING,
        both=pa.int32(),
        only_first=pa.int32(),
        only_other=pa.int32(),
    ),
    # `set`: of one criterion; empty for measures of several
    "criteria/systems": _schema(
        measure=STRING, set=STRING, system=STRING, value=pa.float64(), place=pa.int32()
    ),
    "criteria/rankings": _schema(
        measure=STRING,
        set=STRING,
        n_systems=pa.int32(),
        n_topics=pa.int32(),
        tau=(pa.float64(),),
        rho=(pa.float64(),),
        moved=pa.int32(),
        farthest=pa.int32(),
        top=pa.int32(),
        top_shared=pa.int32(),
        best=STRING,
        best_of_first=STRING,
    ),
    "criteria/weights": _schema(
        measure=STRING,
        weight=pa.float64(),
        value=pa.float64(),
        tau_first=(pa.float64(),),
        tau_second=(pa.float64(),),
    ),
}

SCHEMAS["preferences/answers"] = SCHEMAS["preferences"]
"""Those that count."""
SCHEMAS["preferences/left_out"] = SCHEMAS["preferences"]
"""Those that do not, but for test questions."""

ALL_TOPICS = "*"
"""The topic of a row that holds for the whole collection."""

CUT_COLUMNS = ("c1", "c2", "c3")


LEVEL_CUT_COLUMNS = ("c1", "c2", "c3", "c4", "c5", "c6")
"""Thresholds of cuts into up to seven levels."""


SUMMARY_COLUMNS = ("mean", "n_topics")
"""Of a table with one row per cut, the columns beside thresholds and topics."""


MAX_DOUBLES = 20_000_000
"""Values of a table with one row per cut that are kept as doubles; more, as single floats."""


def per_cut_schema(levels: int, topics: Sequence[str], cuts: int = 0) -> pa.Schema:
    """Schema of a table with one row per cut: thresholds, a column per topic, the mean.

    Used for α (one table per transformation and method) and for τ of every cut.  ``n_topics``
    is how many topics the ``mean`` averages (for α, those where the cut is eligible).

    Parameters
    ----------
    levels
        Levels of the target scale, 2 to 4; the table has ``levels - 1`` thresholds.
    topics
        Topic names, in column order.
    cuts
        How many rows; where rows times topics are more than `MAX_DOUBLES`, the topics' columns
        are float32.

    Raises
    ------
    ParameterError
        If a topic's name is one of the table's own column names.
    """
    reserved = {*CUT_COLUMNS, *SUMMARY_COLUMNS} & set(topics)
    if reserved:
        raise ParameterError(
            f"a topic may not be called {', '.join(sorted(reserved))}: "
            "tables with one row per cut use that name for a column; rename the topic"
        )
    value = pa.float32() if cuts * len(topics) > MAX_DOUBLES else pa.float64()
    return pa.schema(
        [pa.field(name, pa.float64(), nullable=False) for name in CUT_COLUMNS[: levels - 1]]
        + [pa.field(topic, value) for topic in topics]
        + [pa.field("mean", pa.float64()), pa.field("n_topics", pa.int32(), nullable=False)]
    )


def summary_columns(levels: int) -> list[str]:
    """The columns of `per_cut_schema` that are there whatever the topics."""
    return [*CUT_COLUMNS[: levels - 1], *SUMMARY_COLUMNS]


PER_CUT = ("cuts/alpha", "cuts/tau", "cuts/criteria")
"""Tables with one row per cut, whose columns the data name."""


def fits_per_cut(schema: pa.Schema, name: str) -> bool:
    """Whether a schema is one that `per_cut_schema` or `criteria_schema` gives.

    Parameters
    ----------
    schema
        Of a table.
    name
        One of `PER_CUT`.
    """
    own = [column for column in CUT_COLUMNS if column in schema.names]
    summary = [] if name == "cuts/criteria" else list(SUMMARY_COLUMNS)
    named = schema.names[len(own) : len(schema.names) - len(summary)]
    reserved = {*CUT_COLUMNS, *SUMMARY_COLUMNS} & set(named)
    if not own or reserved or schema.names != [*own, *named, *summary]:
        return False
    # a few cuts, or so many that values are single floats
    for cuts in (0, MAX_DOUBLES + 1):
        if summary:
            wanted = per_cut_schema(len(own) + 1, named, cuts)
        else:
            wanted = criteria_schema(len(own) + 1, named, cuts)
        if schema.equals(wanted, check_metadata=False):
            return True
    return False


def criteria_schema(levels: int, criteria: Sequence[str], cuts: int = 0) -> pa.Schema:
    """Schema of a table with one row per cut and a column per criterion over the collection.

    Parameters
    ----------
    levels
        Levels of the target scale, 2 to 4.
    criteria
        Their names, in column order: ``kappa@So4``, ``tau@TR2``, ``told_apart``.
    cuts
        How many rows; where rows times criteria are more than `MAX_DOUBLES`, float32.
    """
    value = pa.float32() if cuts * len(criteria) > MAX_DOUBLES else pa.float64()
    return pa.schema(
        [pa.field(name, pa.float64(), nullable=False) for name in CUT_COLUMNS[: levels - 1]]
        + [pa.field(name, value) for name in criteria]
    )
