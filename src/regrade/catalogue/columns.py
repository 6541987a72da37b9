"""Columns that stand in tables of several subjects."""

COLUMNS = """
above  float64 [0..1]  share of cases in which it is higher
against  string?  the second operand of a comparison
agreement  float64 [-1..1]  agreement
alpha  float64? [..1]  Krippendorff's α
alpha_low  float64? [..1]  lower end of α
alpha_high  float64? [..1]  upper end of α
back  int32? [0..]  clicks on the back button, in the whole unit
beside  string?  the comparison: a cut by name, or an expert
best  bool  whether it has the highest value, or shares it
bias  float64?  mean of the bootstrap samples less the estimate
both  int64  documents that both sets judged
by  string  set or criterion that determines the levels or the choice
c1  float64?  highest value of the source scale that gets level 0
c2  float64?  highest value that gets level 1; null into fewer levels
c3  float64?  highest value that gets level 2; null into fewer levels
c4  float64?  highest value that gets level 3; null into fewer levels
c5  float64?  highest value that gets level 4; null into fewer levels
c6  float64?  highest value that gets level 5; null into fewer levels
cases  int64  cases examined
certainty  float64 [0..1]  required share of subsets that reach the target
coefficient  string  coefficient of correlation or overlap
confidence  float64 [0..1]  required confidence of the rule
contradictions  int64  contradictions among the cases
contradictory  int64  pairs about which answers contradict each other
cost  float64?  what the judgments cost, as the configuration prices them
count  int64  number of cases, out of the total
criterion  string  criterion that evaluates the choice
dataset  string?  data set of the item; null: all items are of one
depth  int32 [1..]  depth of the pool
difference  float64  the second less the first
difference_high  float64?  upper end of the difference
difference_low  float64?  lower end of the difference
distance  float64?  Kolmogorov–Smirnov distance of data and fit
distinct  int64  number of distinct values used
docno  string  document
documents  int64  documents
draw_error  float64? [0..]  Monte Carlo standard error
equal  float64 [0..1]  share of cases that are equal
error  float64? [0..]  standard error of the difference, over topics
estimate  float64?  value on the observed data
exact  bool  whether the value is exact, neither sampled nor bounded
expected  float64  exact mean over all tie-breakings
failed  int32? [0..]  attempts that failed a check, in the whole unit
finite  float64? [0..1]  share of lists that have finite scores without clipping
first  string  the first of two compared items
first_rank  int32 [1..]  rank of the system under the first set
first_unjudged  int32 [1..]  rank of the first unjudged document; length + 1 where there is none
fitted  float64?  value under the fitted model
fn  int64  pairs that differ significantly only under the reference
fp  int64  pairs that differ significantly, but not under the reference
gain  float64?  gain
gain_high  float64?  upper end of the gain
gain_low  float64?  lower end of the gain
gains  string  source of the gains of documents
grade  float64  the document's label
grades  int64  grades of the labels
group  string  group of the item
held_out  bool  whether the cut was chosen on other topics (or halves)
high  float64?  upper end
higher  float64 [0..1]  share of samples in which the first system scores higher
judge  string  judge: a worker or a set
judges  int64 [1..]  judges
judged  int64  judged documents
judgments  int64  judgments
k  int32 [1..]  number of top items
is_comparable  bool  whether the gap in quality is small enough for a verdict at equal quality
kept  bool  whether the unit is kept
kind  string  kind of set: qrels, judgments or preferences
labels  string  label set
left  string  document shown on the left
left_out  int64  answers that were left out
left_relevant  bool?  whether the left document was called relevant by itself
left_score  float64?  number given to the left document, of which the ratio counts
level  string?  level of the factor
levels  int64  levels of the scale
lists  int64  lists of documents
log_likelihood  float64?  log-likelihood of the fit
lost  float64?  loss relative to its own best cut, in α or τ_b
low  float64?  lower end
lower  float64?  the lower of two levels; null: all levels
mapping  string  how scores or grades are mapped to gains
margin_high  float64?  upper end of the margin; null: no margin on this side
margin_low  float64?  lower end of the margin; null: no margin on this side
may_be_first  bool  whether no other system is significantly higher (simultaneously)
mean  float64?  mean
measure  string  effectiveness measure, in canonical spelling
median  float64?  median
method  string  method
metric  string  metric
model  string  statistical model, named by its terms
move  int32  places gained under the second set
n  int64  number of items that the value is computed from
n_systems  int64  systems
n_topics  int64  topics in the value
note  string?  omissions, or the reason for a missing value
of  string  first, second (both halves under one set), between, expected or excess
only_first  int64  documents that only the first set judged
other  string  the second of two compared items
outcome  string  outcome, or dependent variable
over  string  units of sampling, averaging or ranking
p  float64? [0..1]  p-value; null where the test is undefined
p_adjusted  float64? [0..1]  p-value after multiple-testing correction; p if uncorrected
pairs  int64  pairs
part  string  question, verdict, key, light, rows (JSON), fact, note, method, or table that holds it
partition  int32? [0..]  partition of the design, a worker's part of the pairs each
per_document  float64  answers per document
pessimistic  float64  lowest value over all tie-breakings
optimistic  float64  highest value over all tie-breakings
place  int32 [1..]  place in descending order
pool  string  set whose documents form the pool
pooled  int64  documents in the pool
position  int32? [1..]  position within the unit
preferences  string  set of preferences
probability  float64 [0..1]  probability
q1  float64?  lower quartile
q3  float64?  upper quartile
qrels  string  set of labels
quantity  string  name of the value
rank  int32 [1..]  rank of the document, or of the system
rank_high  int32? [1..]  upper end of the rank
rank_low  int32? [1..]  lower end of the rank
ratio  float64?  ratio
reference  string  set that is the reference
relevant  int64  relevant documents
repeated  int64  repeated judgments of pairs, or of documents by a worker
replicate  int64 [0..]  bootstrap sample of topics; 0: all topics once
resampled  string  units resampled with replacement
resamples  int64  number of bootstrap samples
seed  int64?  seed of the draws
residual  float64 [0..]  increase of the value if all unjudged documents were relevant
rho  float64 [1..]  factor by which bands of ranks that count as ties grow; 1: no bands
right  string  document shown on the right
right_relevant  bool?  whether the right document was called relevant by itself
right_score  float64?  number given to the right document, of which the ratio counts
rows  int64  rows
rule  string  name of the rule
run  int32 [1..]  which run of neighbouring cuts, the widest first
runs  int64  runs
said  string  text of the part
samples  int64  number of samples
score  float64  score of the system, mean over topics
search  string  search of the cut: method and reference
second  string  the second of two compared items
second_rank  int32 [1..]  rank of the system under the second set
seconds  float64? [s]  time spent
set  string  set of labels
shared  int64  documents judged by both
share  float64? [0..1]  share
share_first  float64 [0..1]  share of universes in which it is first
share_top  float64 [0..1]  share of universes in which it is among the top k
short  int64  documents with fewer judges than the sample size
sides  bool  whether the sides are as shown to the worker
significant  int64  pairs that differ significantly
simulated  bool  whether the set is simulated
source  string  set whose scale is cut, or file
std_error  float64?  standard error of the estimate; null for variances
strength  float64  below 0 for the left document, 0 for a tie, ±1 where only the winner is known
system  string  system that submitted a run
systems  int64  systems
t  float64?  Student's t
tau  float64? [-1..1]  Kendall's τ_b of two rankings of systems
tau_ap  float64? [-1..1]  τ_ap of two rankings of systems
tau_low  float64? [-1..1]  lowest τ_b
tau_high  float64? [-1..1]  highest τ_b
target  float64 [0..1]  required value
term  string?  term of the model
test  string  test of pairs
tests  int64  tests of preference
tied  int64  cuts that share the best value, this one included
ties  int64  answers that are ties
ties_high  float64?  highest value over the usual tie-breakings
ties_low  float64?  lowest value over the usual tie-breakings; null: no ties
tn  int64  pairs that differ significantly under neither
top  int64  systems not significantly worse than the top system
topic  string  topic; `*`: all of them
topics  int64  topics
total  int64  total number
tp  int64  pairs that differ significantly under both
trusted  bool?  whether the collector of the answers trusts the worker
undefined  int64  cases in which the value is undefined
unit  string?  unit of work (HIT)
units  int64  units of work (HITs)
unjudged  int64  unjudged documents
unseen  float64  documents of no pair, mean over topics
used  bool  whether it is used
value  float64  value
verdict  string  best, significantly worse, non-inferior, not significant, or at the threshold
weight  float64? [0..1]  weight
width  float64?  width
within  float64? [0..1]  share of samples at most ε from the best
worker  string?  worker; null where unknown
workers  int64  workers
z  float64?  estimate over its standard error
moved  int64  systems with another rank
farthest  int32  largest rank change of a system
axis  string  axis of choices
first_order  float64? [0..1]  first-order share of the variance explained by the axis (or the two)
rbo  float64? [0..1]  rank-biased overlap of two rankings of systems
selection  string  per-topic: each topic's own cut; single: one cut for all topics
n_cuts  int64  cuts
expert  string?  set of experts' labels that systems are ranked by
better  int64  topics (or judges) where the first value is higher
worse  int64  topics (or judges) where the first value is lower
df  float64  degrees of freedom
effect  float64?  difference in standard deviations of its own (paired d)
detectable  float64?  difference that Student's paired t-test finds with a power of 80 %
needed  float64? [1..]  topics needed; null: no number suffices, or beyond the reported range
p_corrected  float64? [0..1]  p-value corrected for all pairs of systems, as chosen
first_grade  float64?  grade of the first set; null: not judged
second_grade  float64?  grade of the second set; null: not judged
changed  int64  pairs whose significance changes
significant_changes  int64?  pairs whose change is significant; null: fewer than 25 topics
by_topics  float64?  mean number of changed pairs between two bootstrap samples of topics
overlap  float64? [0..1]  both over either
gained  int64  judgments added because other documents move up
wins  float64  tests that the document of the first grade won, ties counting half
all_low  float64?  lower end of the simultaneous interval
all_high  float64?  upper end of the simultaneous interval
"""
