"""Columns that stand in tables of several subjects."""

COLUMNS = """
above  float64 [0..1]  share of cases in which it is higher
against  string?  the other one of what is compared
alpha  float64? [..1]  Krippendorff's α
alpha_low  float64? [..1]  lower end of α
back  int32? [0..]  clicks on the back button, in the whole unit
best  bool  whether it has the highest value, or shares it
bias  float64?  mean of the draws less the estimate
both  int64  documents that both sets judged
by  string  whose levels or choice it goes by
c1  float64?  highest value of the source scale that gets level 0
c2  float64?  highest value that gets level 1; null into fewer levels
c3  float64?  highest value that gets level 2; null into fewer levels
c4  float64?  highest value that gets level 3; null into fewer levels
c5  float64?  highest value that gets level 4; null into fewer levels
c6  float64?  highest value that gets level 5; null into fewer levels
cases  int64  cases that were looked at
certainty  float64 [0..1]  share of the subsets that must reach the target
coefficient  string  coefficient of correlation or overlap
confidence  float64 [0..1]  how sure the rule has to be
contradictions  int64  contradictions among them
contradictory  int64  pairs about which answers contradict each other
cost  float64?  what the judgments cost, as the configuration prices them
count  int64  how many of the total
criterion  string  what the choice is judged by
depth  int32 [1..]  depth of the pool
difference  float64  the second less the first
distance  float64?  Kolmogorov–Smirnov distance of data and fit
distinct  int64  distinct values used
docno  string  document
documents  int64  documents
equal  float64 [0..1]  share of cases that are equal
estimate  float64?  value on the data as they are
exact  bool  whether the value is exact, and neither sampled nor bounded
expected  float64  mean over all orders of what ties, exact
failed  int32? [0..]  attempts that failed a check, in the whole unit
finite  float64? [0..1]  share of lists that have finite scores without clipping
first  string  the first of two that are compared
first_rank  int32 [1..]  rank of the system under the first set
first_unjudged  int32 [1..]  rank of the first unjudged document; length + 1 where there is none
fitted  float64?  the same under the fitted model
fn  int64  pairs told apart by the reference only
fp  int64  pairs told apart, but not by the reference
gain  float64?  what is gained
gains  string  where the gains of documents come from
grade  float64  the document's label
grades  int64  grades of the labels
group  string  group of what the row is about
held_out  bool  whether topics (or halves) were left out when the cut was chosen
high  float64?  upper end
higher  float64 [0..1]  share of samples in which the first system scores higher
judge  string  who or which set judged
judged  int64  judged documents
judgments  int64  judgments
k  int32 [1..]  how many
kept  bool  whether the unit is kept
kind  string  kind of set: qrels, judgments or preferences
labels  string  whose labels they are
left  string  document shown on the left
left_out  int64  answers that were left out
left_relevant  bool?  whether the left document was called relevant by itself
left_score  float64?  number given to the left document, of which the ratio counts
level  string?  level of the factor
levels  int64  levels of the scale
lists  int64  lists of documents
log_likelihood  float64?  log-likelihood of the fit
lost  float64?  what is lost to the best cut of its own, in α or τ_b
low  float64?  lower end
lower  float64?  the lower of two levels; null: all levels
mapping  string  how scores or grades are mapped to gains
may_be_first  bool  whether no other system is surely higher, all of these taken together
mean  float64?  mean
measure  string  effectiveness measure, in canonical spelling
median  float64?  median
method  string  method that finds or scores
metric  string  what was measured
model  string  model, by its terms
move  int32  places gained under the second set
n  int64  how many the value is over
n_systems  int64  systems
n_topics  int64  topics the value is over
note  string?  what was left out, or why there is no value
only_first  int64  documents that only the first set judged
other  string  the other one of two that are compared
outcome  string  what becomes of it, or what is explained
over  string  what is drawn, averaged or ranked over
p  float64? [0..1]  p-value; null where the test is undefined
p_adjusted  float64? [0..1]  p-value corrected for many tests; p itself without a correction
pairs  int64  pairs
part  string  question, verdict, key, light, rows (JSON), fact, note, method, or table that holds it
partition  int32? [0..]  partition of the design, a worker's part of the pairs each
per_document  float64  answers per document
pessimistic  float64  lowest value over the orders of what ties
optimistic  float64  highest value over the orders of what ties
place  int32 [1..]  place in descending order
pool  string  set whose documents are the pool
pooled  int64  documents in the pool
position  int32? [1..]  position within the unit
preferences  string  set of preferences
q1  float64?  lower quartile
q3  float64?  upper quartile
qrels  string  set of labels
quantity  string  what the value is
rank  int32 [1..]  rank of the document, or of the system
rank_high  int32? [1..]  upper end of the rank
rank_low  int32? [1..]  lower end of the rank
ratio  float64?  the one over the other
reference  string  set that is the reference
relevant  int64  relevant documents
repeated  int64  pairs, or documents of a worker, that were judged again
resampled  string  what is drawn anew, with replacement
resamples  int64  how many times it was drawn
seed  int64?  seed of the draws
residual  float64 [0..]  how much the value could still rise if all unjudged were relevant
rho  float64 [1..]  factor by which bands of ranks that count as ties grow; 1: no bands
right  string  document shown on the right
right_relevant  bool?  whether the right document was called relevant by itself
right_score  float64?  number given to the right document, of which the ratio counts
rows  int64  rows
rule  string  rule that decides, by its name
run  int32 [1..]  which run of neighbouring cuts, the widest first
runs  int64  runs
said  string  the sentence
samples  int64  how many samples were drawn
score  float64  score of the system, mean over topics
search  string  method and reference that searched the cut
second  string  the second of two that are compared
second_rank  int32 [1..]  rank of the system under the second set
seconds  float64? [s]  time spent
set  string  set of labels
shared  int64  documents that both judged
share  float64? [0..1]  share of all of them
share_first  float64 [0..1]  share of universes in which it is first
share_top  float64 [0..1]  share of universes in which it is among the first k
short  int64  documents with fewer judges than were to be drawn
sides  bool  whether the sides are those that the worker saw
significant  int64  pairs that differ significantly
simulated  bool  whether the set is simulated
source  string  set whose scale is cut, or file
std_error  float64?  standard error of the estimate; null for variances
strength  float64  below 0 for the left document, 0 for a tie, ±1 where only the winner is known
system  string  system that submitted a run
systems  int64  systems
t  float64?  Student's t
told  int64?  pairs whose change is told from none; null: fewer than 25 topics
tau  float64? [-1..1]  Kendall's τ_b of two rankings of systems
tau_ap  float64? [-1..1]  τ_ap of two rankings of systems
tau_low  float64? [-1..1]  lowest τ_b
tau_high  float64? [-1..1]  highest τ_b
target  float64 [0..1]  value that is to be reached
term  string?  term of the model
test  string  test of pairs
tests  int64  tests of preference
tied  int64  cuts that share the best value, this one included
ties  int64  answers that are ties
ties_high  float64?  highest value over these orders
ties_low  float64?  lowest value over the usual orders of tied documents; null: none is tied
tn  int64  pairs told apart by neither
top  int64  systems not significantly worse than the best
topic  string  topic; `*`: all of them
topics  int64  topics
total  int64  how many there are in all
tp  int64  pairs told apart by both
trusted  bool?  whether whoever collected the answers trusts the worker
undefined  int64  cases in which the value is undefined
unit  string?  unit of work (HIT)
units  int64  units of work (HITs)
unjudged  int64  unjudged documents
unseen  float64  documents of no pair, mean over topics
used  bool  whether it is used
value  float64  value
verdict  string  best, worse, as good (within 0.02), not told apart, at the threshold of worse
weight  float64? [0..1]  weight
width  float64?  width
within  float64? [0..1]  share of samples at most ε from the best
worker  string?  who judged; null where unknown
workers  int64  workers
z  float64?  estimate over its standard error
moved  int64  systems with another place
farthest  int32  most places that a system moves
axis  string  what varies
first_order  float64? [0..1]  share of the variance explained by it (or by the two) alone
rbo  float64? [0..1]  rank-biased overlap of two rankings of systems
selection  string  per-topic: each topic's own cut; single: one cut for all topics
n_cuts  int64  cuts
expert  string?  set of experts' labels that systems are ranked by
better  int64  topics (or judges) where the first value is higher
worse  int64  topics (or judges) where the first value is lower
"""
