"""The studies that there are: a line each."""

from __future__ import annotations

from regrade.studies.chu2021.items import CHU2021
from regrade.studies.compare.items import COMPARE
from regrade.studies.han2019.items import HAN2019
from regrade.studies.lioma2017.items import LIOMA2017
from regrade.studies.ranking.items import RANKING
from regrade.studies.sweeps.items import SWEEPS
from regrade.studies.turpin2015.items import TURPIN2015
from regrade.studies.yang2019.items import YANG2019

STUDIES = {
    study.name: study
    for study in (CHU2021, COMPARE, HAN2019, LIOMA2017, RANKING, SWEEPS, TURPIN2015, YANG2019)
}
"""Every study by name."""
