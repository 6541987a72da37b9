"""The names that `regrade` gives, and where they stand: `__init__.py` loads them when asked for."""

from regrade.api.item_scores import read_scores as read_scores
from regrade.api.look import look as look
from regrade.api.scores import score as score
from regrade.api.sets import read_judgments as read_judgments
from regrade.api.sets import read_qrels as read_qrels
from regrade.api.sets import read_runs as read_runs
from regrade.audit.question import workers as workers
from regrade.calibration.question import calibrate as calibrate
from regrade.cutsearch.given_question import cut_at as cut_at
from regrade.cutsearch.question import find_cuts as find_cuts
from regrade.errors import RegradeError as RegradeError
from regrade.estimation.question import assign as assign
from regrade.estimation.question import estimate as estimate
from regrade.estimation.question import read_sample as read_sample
from regrade.evaluations.comparison_question import compare as compare
from regrade.evaluations.judges_question import judges as judges
from regrade.favours.question import favour as favour
from regrade.label_consensus.question import consensus as consensus
from regrade.magnitudes.question import magnitude_gains as magnitude_gains
from regrade.panels.question import panel as panel
from regrade.pooled_effects.question import meta_analysis as meta_analysis
from regrade.pools.question import leave_one_out as leave_one_out
from regrade.pools.question import pool as pool
from regrade.pools.question import pool_depths as pool_depths
from regrade.power.question import pdp as pdp
from regrade.preferences.question import fit_scores as fit_scores
from regrade.preferences.question import next_pairs as next_pairs
from regrade.preferences.question import pairs as pairs
from regrade.preferences.question import read_preferences as read_preferences
from regrade.ranking.question import rank as rank
from regrade.replacement.question import replace as replace
from regrade.sweeps.question import sweep as sweep
from regrade.system_pairs.gate_question import gate as gate
from regrade.system_pairs.question import compare_systems as compare_systems
from regrade.table_files import read_long as read_long
from regrade.tied_scores.question import ties as ties
from regrade.topic_analysis.question import topics as topics
from regrade.uncertainty.question import unjudged as unjudged

__version__: str
