"""What every start of Snakemake imports and asks its plugins, done once for those forked of it.

Nothing of the project's own: a process imports that from the copy that it runs.
"""

import jsonschema  # noqa: F401
import natsort  # noqa: F401
import snakemake.api
import snakemake.storage  # noqa: F401
import yte  # noqa: F401
from snakemake.cli import get_argument_parser

get_argument_parser()
