"""The names that `regrade` gives, for type checkers: `__init__.py` loads them lazily."""

from regrade.api.comparison import compare as compare
from regrade.api.consensus import consensus as consensus
from regrade.api.cuts import find_cuts as find_cuts
from regrade.api.estimates import assign as assign
from regrade.api.estimates import estimate as estimate
from regrade.api.estimates import read_sample as read_sample
from regrade.api.favours import favour as favour
from regrade.api.gate import gate as gate
from regrade.api.given_cuts import cut_at as cut_at
from regrade.api.item_scores import read_scores as read_scores
from regrade.api.judges import calibrate as calibrate
from regrade.api.judges import judges as judges
from regrade.api.judgments import magnitude_gains as magnitude_gains
from regrade.api.judgments import workers as workers
from regrade.api.look import look as look
from regrade.api.meta_analysis import meta_analysis as meta_analysis
from regrade.api.pairs import (
    fit_scores as fit_scores,
)
from regrade.api.pairs import (
    next_pairs as next_pairs,
)
from regrade.api.pairs import (
    pairs as pairs,
)
from regrade.api.pairs import (
    pdp as pdp,
)
from regrade.api.pairs import (
    read_preferences as read_preferences,
)
from regrade.api.panels import panel as panel
from regrade.api.pools import (
    leave_one_out as leave_one_out,
)
from regrade.api.pools import (
    pool as pool,
)
from regrade.api.pools import (
    pool_depths as pool_depths,
)
from regrade.api.ranking import rank as rank
from regrade.api.ranking import ties as ties
from regrade.api.ranking import unjudged as unjudged
from regrade.api.replacement import replace as replace
from regrade.api.scores import score as score
from regrade.api.sets import (
    read_judgments as read_judgments,
)
from regrade.api.sets import (
    read_qrels as read_qrels,
)
from regrade.api.sets import (
    read_runs as read_runs,
)
from regrade.api.sweeps import sweep as sweep
from regrade.api.systems import compare_systems as compare_systems
from regrade.api.systems import topics as topics
from regrade.errors import RegradeError as RegradeError
from regrade.table_files import read_long as read_long

__version__: str
