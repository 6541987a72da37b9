"""Sweeps: every combination of choices, and which choice accounts for the variance."""

COLUMNS = """
entry  string  entry of the axis, as configured
choices  int64  number of levels of the entry
at_baseline  bool  whether it is the baseline's
universe  int64  number of the universe, which depends on its choices alone
ranking  int64  number of the universe's ranking, which is independent of the test
universes  int64  universes
with_axis  string?  other axis of two; null: the axis alone
factorial  int32 [1..]  complete factorial that it is of, the largest first
thresholds  string?  thresholds of the cut; null: nothing is cut
unjudged_as  string?  treatment of unjudged documents; null: of scores by item
tie_order  string?  tie-breaking; null: of scores by item
scores  string?  set of scores by item; null: of runs
average  string?  what counts the same in a mean: items, or datasets; null: of runs
changed_choices  int32 [0..]  choices that differ from the baseline's
first_system  string  system of rank 1, the first by name
significant_pairs  int32  pairs of systems that differ significantly
changed_pairs  int32  pairs with a conclusion other than the baseline's
scores_higher  float64 [0..1]  share of universes in which the first system scores higher
significantly_better  float64 [0..1]  share in which it is significantly better
significantly_worse  float64 [0..1]  share in which it is significantly worse
conclusion  string  at the baseline: better or worse (significantly), or not significant
becomes  string  the conclusion there
start  float64 [0..1]  share of the universes that lie before it, by weight
stop  float64 [0..1]  share that lie up to its end
baseline_rank  int32 [1..]  rank at the baseline
holds  bool  whether the conclusion is the baseline's in every universe
order_holds  bool  whether the order of the two is the baseline's in every universe
depends_on  string?  axis with the largest total share of the conclusion's variance
changed_at  string?  entries of that axis under which most universes have another conclusion
changes  string  choices that differ from the baseline's
relabelled  float64? [0..1]  share of the documents labelled at the baseline with another level
same  float64 [0..1]  share of the labels under which it has the baseline's level
entries  int32  entries of the axis of labels that label it
why_not  string  reason for the impossibility
index  int64 [0..]  place in it
file  string  file, below the folder of the sweep
"""

TABLES = """
[sweep_levels]
sweeps/levels: the entries of each axis
    axis entry | choices at_baseline note
    note = remark
sweeps/cuts: the cuts chosen by rules
    entry thresholds!
    entry = of the axis of labels
sweeps/left_out: impossible combinations of entries
    labels measure tie_order | universes why_not
    labels = entry of the first axis
sweeps/factorials: the complete factorials that shares of variance are of
    factorial axis entry | choices
[sweep_part]
sweeps/means: the means of systems
    ranking system | mean! rank
    rank = of the system, from 1; systems that tie share the highest
sweeps/sums: sums over parts of a sweep
    quantity index | count
    quantity = name of the sum; count = the sum
[sweeps]
sweeps/universes: every combination of choices, and its conclusions compared with the baseline
    universe | ranking labels? thresholds unjudged_as pool? tie_order scores average
    measure topics:string test
    changed_choices tau tau_ap rbo first_system moved farthest significant_pairs
    changed_pairs
    labels = entry of the axis of labels; null: of scores by item
    pool = pool to which labels are reduced; null: of scores by item
    topics = topics, or items, that count; test = test of pairs of systems, and correction
    moved = systems with another rank than at the baseline
    farthest = largest rank change of a system from the baseline
    rbo = rank-biased overlap with the baseline's ranking
    tau = τ_b with the baseline's ranking; tau_ap = τ_ap with the baseline's ranking
sweeps/manifest: the files that hold the means of systems
    file | measure universes rows
    universes = rankings
sweeps/systems: the ranks of each system over universes
    system axis? entry? | baseline_rank low! q1! median! q3! high! share_first share_top k
    axis = null: over all universes; entry = null: over all universes
    low..high = box of the rank over universes, least and most
    k = number of top systems in share_top
sweeps/pairs: each pair of systems over universes; the first has the higher mean at the baseline
    system other | conclusion scores_higher significantly_better significantly_worse holds
    order_holds depends_on total:float64? changed_at
    total = share of the conclusion's variance in which that axis has a part
sweeps/axes: shares of an outcome's variance that axes explain, each alone and two by two
    factorial outcome system? other? axis with_axis? | first_order total:float64?
    outcome = tau; significant_pairs; changed_pairs; or of a pair: difference (of means, in standard
            deviations of all systems' means at the baseline), conclusion
    system = of a pair; other = of a pair; total = share of the variance in which it has a part
sweeps/curve: universes in the order of an outcome; where there are many, by parts of one weight
    outcome place | start stop low! high! at_baseline
    outcome = tau; significant_pairs; changed_pairs
    place = on the curve, from the least outcome on
    low..high = range of the outcome over the universes there
    at_baseline = whether the baseline is there
sweeps/curve_choices: the choices of the universes at each place of the curve
    outcome place axis entry | share!
    outcome = tau; significant_pairs; changed_pairs
    place = on the curve, from the least outcome on
    share = of the universes there, by weight
sweeps/examples: the nearest universe that changes the conclusion on a pair, the nearest first
    system other | conclusion becomes changed_choices changes universe
sweeps/facts: extent of the sweep
    quantity | value? note
    note = name of the value
sweeps/answer
[label_sweeps]
label-sweeps/levels: the entries of each axis
    axis entry | choices at_baseline note
    note = remark
label-sweeps/cuts: the cuts chosen by rules
    entry thresholds!
    entry = of the axis of labels
label-sweeps/universes: every combination of choices of labels, and their agreement
    universe | labels thresholds reference:string metric topics:string changed_choices alpha
    relabelled
    labels = entry of the axis of labels; topics = topics that count
    reference = reference labels of α; metric = metric of α
    alpha = mean over topics; null: undefined on more than a tenth of them
label-sweeps/entries: outcomes over the universes of each entry of each axis
    axis? entry? outcome | universes low! q1! median! q3! high!
    axis = null: over all universes; entry = null: over all universes
    outcome = alpha; relabelled
    universes = of them that have it
    low..high = box of the outcome over the universes, least and most
label-sweeps/axes: shares of an outcome's variance that axes explain, each alone and two by two
    outcome axis with_axis? | first_order total:float64?
    outcome = alpha; relabelled; total = share of the variance in which it has a part
label-sweeps/documents: the levels that each document of the baseline's labels gets
    topic docno | grade entries same low! high! holds changed_at
    grade = at the baseline; low..high = range of its level over all labels
    holds = whether it has one level under all labels
    changed_at = entries of the axis of labels of which most give it another level
label-sweeps/curve: universes in the order of an outcome; many of them by parts of one weight
    outcome place | start stop low! high! at_baseline
    outcome = alpha; relabelled
    place = on the curve, from the least outcome on
    low..high = range of the outcome over the universes there
    at_baseline = whether the baseline is there
label-sweeps/curve_choices: the choices of the universes at each place of the curve
    outcome place axis entry | share!
    outcome = alpha; relabelled
    place = on the curve, from the least outcome on
    share = of the universes there, by weight
label-sweeps/facts: extent of the sweep
    quantity | value? note
    note = name of the value
label-sweeps/answer
"""
