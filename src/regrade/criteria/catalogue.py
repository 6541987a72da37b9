"""Several criteria at once: systems, and result lists rated by assessors."""

COLUMNS = """
assessor  string  the assessor
only_other  int64  documents that only the other set judged
top_shared  int64  systems in the top k of both rankings
best_of_first  string  the first set's best system
tau_first  float64? [-1..1]  τ_b with the ranking by the first criterion
tau_second  float64? [-1..1]  τ_b with the ranking by the second criterion
desideratum  string  desideratum of a measure, D1 …
reading  string  how the desideratum is read
statement  string  the desideratum, as the reading puts it
claimed  string  what the paper claims
held  int64  cases in which the desideratum held
discount  string  convention of the discount
divisor  string  convention of the divisor
recall  string  convention of what recall is of
combined  string  convention of how criteria are combined
relevant_from  float64?  grade from which a document is relevant
plain  bool  whether it is the plain reading
undefined_lists  int64  lists left out as undefined
stable  float64  value with ties in stable order
competition  float64  value with tied ideal ranks as in a competition
"""

TABLES = """
[criteria]
criteria/coverage: documents with labels of the scored set and of another one
    other topic | both only_first only_other
    other = the other set
criteria/systems: systems by measures of one and of several criteria
    measure set system | value place
    set = set of the one criterion; empty for measures of several; value = mean over topics
criteria/rankings: rankings compared with that by the first criterion
    measure set | n_systems n_topics tau rho? moved farthest top top_shared best:string
    best_of_first
    set = set of the one criterion; empty for measures of several
    rho = Spearman's ρ with that ranking; top = k, the number of top systems compared
    best = its best system
criteria/weights: effect of the weight of the first criterion
    measure weight! | value tau_first tau_second
    weight = of the first criterion; value = mean over systems
criteria/desiderata: desiderata of lioma2017 met by measures, on small rankings
    measure desideratum reading | statement claimed cases held equal:int64 against
    equal = cases in which the values are equal; against = the first counterexample
[rated_lists]
rated-lists/lists: result lists, each rated by an assessor by several criteria
    topic assessor rank docno criterion | grade
    criterion = criterion of the rating
rated-lists/scores: the lists' scores under the plain reading
    topic assessor measure | value
rated-lists/conventions: the mean of a measure under every convention; empty: no effect
    measure grades:string gains discount divisor recall undefined:string ties:string combined
    relevant_from (plain) | value? lists undefined_lists
    grades = convention of whose grades count; gains = convention of gains
    undefined = convention of undefined values; ties = convention of ties; value = mean over lists
rated-lists/correlations: correlations of measures
    over first second | n rho?
    over = lists, topics or assessors; rho = Spearman's ρ
rated-lists/examples: documents with the highest grade by one criterion, the lowest by the other
    high:string! topic assessor rank docno measure | value
    high = criterion of the highest grade; value = score of the list
rated-lists/ties: scores of lists under every order of ties
    topic assessor measure | pessimistic optimistic stable competition expected
rated-lists/weights: effect of the weight of the first criterion
    measure weight! | value
    weight = of the first criterion; value = mean over lists
rated-lists/desiderata: desiderata of lioma2017 met by measures, on small rankings
    measure desideratum reading | statement claimed cases held equal:int64 against
    equal = cases in which the values are equal; against = the first counterexample
"""
