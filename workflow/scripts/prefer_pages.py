"""Whether measures prefer the result page that people prefer, by the number of levels."""

from regrade.codes import CodedRuns
from regrade.power.label_sets import GradedSet
from regrade.power.levels import cut_sets, no_search
from regrade.power.pages import LEVELS, Pages, page_table
from regrade.power.preferences import PreferenceTests
from regrade.readers.pages import named_rankings, read_page_preferences
from regrade.run_arrays import RankedLists
from regrade.tables import read_table, write_table
from regrade.workflow.job import job, parameters

with job(snakemake) as log:
    given, params = snakemake.input, snakemake.params
    labels = read_table(given.labels)
    one = GradedSet(params.set, labels, *params.ends[params.set])
    if params.ranks:
        ranked = RankedLists.from_table(named_rankings(labels, params.ranks))
    else:
        ranked = CodedRuns(given.runs).ranked()
    columns = [params.columns.get(name, name) for name in ("topic", "winner")]
    preferred = read_page_preferences(given.file, *columns, params.winners)
    systems = [name for name in dict.fromkeys(params.winners.values()) if name]
    pages = Pages.of(ranked, preferred, systems)
    told = len(pages.topics), (pages.signal != 0).sum(), pages.left_out
    log.info("%d topics, %d with a preferred page; %d lack a page or a preference", *told)
    searched = no_search()
    if given.cuts:
        searched = read_table(given.cuts, "power/searched").to_pandas()
    tests = {
        name: PreferenceTests.from_table(read_table(path, "preferences"))
        for name, path in zip(params.preferences, given.preferences, strict=True)
    }
    cuts = cut_sets([one], LEVELS, searched)
    table = page_table(cuts, pages, params.measures, tests)
    write_table(table, snakemake.output.agreement, "pages/agreement", parameters(snakemake))
