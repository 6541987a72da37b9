"""The architecture: dependencies point one way, from the workflow's scripts into the library."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import yaml

from tests.each import each

PROJECT = Path(__file__).parents[2]
LIBRARY = PROJECT / "src" / "regrade"
SCRIPTS = PROJECT / "workflow" / "scripts"
LONGEST_SCRIPT = 60


def imported(tree, module="", is_package=False):
    """Full dotted names that a module imports, anywhere in it: ``from a import b`` gives a.b."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: 1 - node.level or None] if node.level else []
            base = [*parts, *([node.module] if node.module else [])]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def imported_at_once(tree):
    """What a module imports when it is imported itself, not when a function of it is called."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), path)


def module_name(path):
    parts = ("regrade", *path.relative_to(LIBRARY).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module, package):
    return module == package or module.startswith(f"{package}.")


def owner(name):
    """The module that a dotted name is, or that defines it."""
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


MODULES = {module_name(path): path for path in sorted(LIBRARY.rglob("*.py"))}
PACKAGES = {module_name(path) for path in LIBRARY.rglob("__init__.py")}
LIBRARY_ALONE = [name for name in MODULES if not part_of(name, "regrade.workflow")]
ROOM = ("stage", "catalogue", "question", "command", "answer", "items", "tables", "figures")
"""Modules that stand in any subject's folder, and are what they are called."""

DECLARATIONS = [name for name in MODULES if name.endswith(".stage")]
SCRIPT_FILES = sorted(SCRIPTS.glob("*.py"))


@cache
def imports(module):
    return set(imported(parsed(MODULES[module]), module, module in PACKAGES))


@cache
def edges():
    """The modules of the library that each of them imports."""
    return {
        module: {owner(name) for name in imports(module) if part_of(name, "regrade")}
        for module in MODULES
    }


def needed_at_once(module):
    """The modules of the library that a module needs to be imported."""
    names = imported_at_once(parsed(MODULES[module]))
    return {owner(name) for name in names if part_of(name, "regrade")}


def everything_below(module):
    """The modules that a module needs, directly or through others."""
    found, waiting = set(), [module]
    while waiting:
        new = edges()[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def top_level(names):
    return {name.partition(".")[0] for name in names}


def reads_environment(tree):
    """Whether a module uses os.environ, os.getenv or one of their relatives."""
    readers = {"environ", "environb", "getenv", "getenvb"}
    attributes = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    return bool(readers & (attributes | {n.rpartition(".")[2] for n in imported(tree)}))


# the checks see what they should


def test_known_dependencies_are_seen():
    assert {
        "regrade",
        "regrade.criteria",
        "regrade.tables",
        "regrade.readers.lines",
    } <= edges().keys()
    below = {"regrade", "regrade.blocks", "regrade.errors", "regrade.provenance"}
    below |= {"regrade.catalogue", "regrade.catalogue.arrow", "regrade.conversions"}
    assert edges()["regrade.tables"] == below
    assert edges()["regrade.criteria"] == {"regrade.lazy"}
    assert "regrade.cutsearch.kernels" in edges()["regrade.cutsearch.search"]
    assert "regrade.agreement" in everything_below("regrade.cutsearch.search")
    with pytest.raises(CycleError):
        TopologicalSorter(edges() | {"regrade.errors": {"regrade.cutsearch.search"}}).prepare()


# the library


def test_no_circles():
    """What a declaration's jobs call may know the declaration, which imports it when they run."""
    TopologicalSorter(edges() | {name: needed_at_once(name) for name in DECLARATIONS}).prepare()


def test_the_bottom_needs_nothing_above_it():
    assert edges()["regrade"] == {"regrade.lazy"}  # what it gives is loaded when asked for
    assert edges()["regrade.lazy"] == set()
    assert edges()["regrade.wording"] == set()
    assert edges()["regrade.subjects"] == set()
    assert edges()["regrade.errors"] == {"regrade.wording"}
    assert edges()["regrade.extras"] == {"regrade.errors"}
    assert edges()["regrade.catalogue.arrow"] <= {"regrade.catalogue", "regrade.errors"}
    assert edges()["regrade.intervals"] == set()
    assert edges()["regrade.catalogue.model"] == {"regrade.intervals"}
    below = everything_below("regrade.catalogue") - {"regrade.intervals", "regrade.subjects"}
    assert all(part_of(m, "regrade.catalogue") for m in below)
    assert edges()["regrade.choices"] == set()
    assert edges()["regrade.progress"] == set()
    assert edges()["regrade.kernel_cache"] == {"regrade.progress"}
    assert edges()["regrade.compiled"] == {"regrade.kernel_cache"}
    assert not edges()["regrade.conversions"]
    assert edges()["regrade.ordering"] <= {
        "regrade.choices",
        "regrade.conversions",
        "regrade.errors",
    }


@each(m for m in MODULES if part_of(m, "regrade.readers"))
def test_readers_need_only_tables(module):
    near = ("regrade.readers", "regrade.catalogue")
    below = {m for m in everything_below(module) if not any(part_of(m, one) for one in near)}
    assert below <= {
        "regrade",
        "regrade.blocks",
        "regrade.choices",
        "regrade.compiled",
        "regrade.conversions",
        "regrade.scales",
        "regrade.errors",
        "regrade.intervals",
        "regrade.kernel_cache",
        "regrade.lazy",
        "regrade.ordering",
        "regrade.progress",
        "regrade.provenance",
        "regrade.subjects",
        "regrade.tables",
        "regrade.wording",
    }


@each(LIBRARY_ALONE)
def test_the_library_knows_no_workflow_and_no_environment(module):
    assert not top_level(imports(module)) & {"snakemake", "yaml"}
    assert not reads_environment(parsed(MODULES[module]))
    if module != "regrade.command.workflow":  # knows where the project lies
        assert not any(part_of(name, "regrade.workflow") for name in edges()[module])


def test_importing_the_library_loads_no_workflow():
    code = f"""
import importlib, sys
for module in {LIBRARY_ALONE!r}:
    importlib.import_module(module)
loaded = {{name for name in sys.modules if name.startswith("regrade.workflow.")}}
print(*sorted(loaded - {{"regrade.workflow.project"}} | sys.modules.keys() & {{"snakemake"}}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=PROJECT
    )
    assert done.stdout == "\n"


# stages, and the workflow on top

HEAVY = {"numba", "numpy", "pandas", "pyarrow", "scipy", "matplotlib", "statsmodels"}
PLAIN = [
    "regrade.catalogue",
    "regrade.choices",
    "regrade.errors",
    "regrade.intervals",
    "regrade.measures",
    "regrade.pools.options",
    "regrade.scales",
    "regrade.stages.library",
    "regrade.stages.registry",
    "regrade.studies.items",
    "regrade.studies.registry",
    "regrade.wording",
]


PLAINEST = {"choices", "errors", "scales", "subjects", "wording"}


@each(["checks", "common", "declare", "registry"])
def test_the_language_of_declarations_needs_plain_data_only(module):
    below = everything_below(f"regrade.stages.{module}")
    below = {m for m in below if not part_of(m, "regrade.stages")}
    assert {m.removeprefix("regrade.") for m in below} <= PLAINEST


def test_declarations_cost_nothing():
    """What their jobs call is imported when they run."""
    for module in DECLARATIONS:
        at_once = needed_at_once(module) - {*DECLARATIONS}
        above = {name for name in at_once if not part_of(name, "regrade.stages")}
        assert above <= {*PLAIN}, module
    assert not loaded_by(f"import {', '.join(DECLARATIONS)}") & HEAVY


@each(MODULES)
def test_only_two_modules_import_snakemake(module):
    knows_it = module in ("regrade.workflow.targets", "regrade.workflow.hooks")
    assert ("snakemake" in top_level(imports(module))) == knows_it


# the workflow's scripts


@each(SCRIPT_FILES)
def test_scripts_are_thin(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_SCRIPT
    names = set(imported(parsed(path)))
    assert "regrade.workflow.job.job" in names
    assert not top_level(names) & {"snakemake", "workflow"}
    assert not reads_environment(parsed(path))


@each(SCRIPT_FILES)
def test_scripts_import_from_modules(path):
    """What a package gives lazily does not tell the hash of a job's code which module it is of."""
    names = {name for name in imported(parsed(path)) if part_of(name, "regrade")}
    lazy = {package for package in PACKAGES if "regrade.lazy" in edges()[package]}
    assert not {name for name in names if owner(name) in lazy and name not in MODULES}


SLOW = ("matplotlib", "numba", "pandas", "scipy.stats", "statsmodels")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "may_load"),
    [
        ("score_qrels", {"numba"}),
        ("code_qrels", {"numba"}),
        ("collect_runs", {"numba"}),
        ("collect_set", {"numba", "pandas"}),
        ("audit", {"numba", "pandas"}),
        ("search_cuts", {"numba", "pandas"}),
        ("rank_cuts", {"numba", "pandas"}),
        ("stage", set()),
        ("report", {"pandas"}),
    ],
)
def test_scripts_load_only_what_they_use(script, may_load):
    code = ast.unparse([n for n in parsed(SCRIPTS / f"{script}.py").body
                        if isinstance(n, ast.Import | ast.ImportFrom)])  # fmt: skip
    code += f"\nimport sys; print(*sorted(set({SLOW!r}) & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=SCRIPTS
    )
    assert set(done.stdout.split()) <= may_load


@each(SCRIPT_FILES)
def test_scripts_read_only_what_snakemake_tracks(path):
    """Changes of wildcards and of the configuration rerun nothing."""
    used = {
        node.attr
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "snakemake"
    }
    assert used <= {"input", "output", "params", "log", "threads", "resources", "rule"}


def test_the_conda_recipe_has_the_declared_dependencies():
    renamed = {
        "matplotlib-base": "matplotlib",
        "python-isal": "isal",
        "snakemake-minimal": "snakemake",
    }
    recipe = yaml.safe_load((PROJECT / "packaging" / "conda" / "recipe.yaml").read_text())
    listed = {}
    for line in recipe["requirements"]["run"]:
        name, bound = line.split(" ")
        listed[renamed.get(name, name)] = bound
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    declared = {"python": project["requires-python"]}
    extras = project["optional-dependencies"]
    for line in [*project["dependencies"], *extras["figures"], *extras["workflow"]]:
        if line.startswith("regrade["):
            continue
        name, at_least, version = line.partition(">=")
        declared[name] = at_least + version
    assert listed == declared


# what the configuration reads


def loaded_by(code):
    """The modules at the top that a fresh Python has loaded after running some code."""
    code += "\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=PROJECT
    )
    return top_level(done.stdout.split())


def test_plain_data_loads_nothing_heavy():
    assert not loaded_by(f"import {', '.join(PLAIN)}") & HEAVY


def test_reading_the_configuration_loads_nothing_heavy():
    code = """
import yaml
from regrade.workflow.collection_checks import read_collection
from regrade.workflow.config import complete
config = yaml.safe_load(open("config/config.yaml", encoding="utf-8"))
read_collection("demo", complete(config)).requested_items
import regrade.workflow.sources
"""
    inputs = sorted((LIBRARY / "workflow" / "inputs").glob("*.py"))
    code += "".join(f"import regrade.workflow.inputs.{path.stem}\n" for path in inputs)
    assert not loaded_by(code) & HEAVY


# the front


DOORS = re.compile(r"regrade\.\w+\.((\w+_)?question|command)")
"""Modules in a subject's folder by which its questions are asked: library and command."""


def is_front(module):
    packages = ("regrade.api", "regrade.command", "regrade.plugins", "regrade.__main__")
    return any(part_of(module, one) for one in packages) or DOORS.fullmatch(module) is not None


def test_no_method_needs_the_front():
    for module, below in edges().items():
        if not is_front(module):
            assert not any(map(is_front, below)), module


def test_version_and_help_load_nothing_heavy():
    assert not loaded_by("import regrade.command.app") & {*HEAVY, "yaml"}


def test_importing_regrade_loads_nothing():
    assert not loaded_by("import regrade") & HEAVY
    code = "import time; t = time.process_time(); import regrade; print(time.process_time() - t)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=PROJECT
    )
    assert float(done.stdout) < 0.3


# studies show, and compute nothing


def test_tables_load_neither_methods_nor_pictures():
    modules = ("han2019.tables", "yang2019.tables", "yang2019.pairs_tables")
    loaded = loaded_by("".join(f"import regrade.studies.{module}\n" for module in modules))
    assert not loaded & {"numba", "scipy", "statsmodels", "matplotlib"}


@pytest.mark.slow
def test_figures_load_no_methods():
    modules = ("han2019.figures", "yang2019.pools_figures", "yang2019.pairs_figures")
    loaded = loaded_by("".join(f"import regrade.studies.{module}\n" for module in modules))
    assert not loaded & {"numba", "scipy", "statsmodels"}


OF_A_SUBJECT = re.compile(r"regrade\.\w+\.(items|(\w+_)?(figures|tables))")
"""Modules in a subject's folder that arrange and draw its tables."""


def is_for_people(module):
    shows = any(part_of(module, package) for package in ("regrade.studies", "regrade.show"))
    return shows or OF_A_SUBJECT.fullmatch(module) is not None


@each(MODULES)
def test_no_method_needs_what_people_see(module):
    above = is_front(module) or part_of(module, "regrade.workflow")
    if not is_for_people(module) and not above:
        assert not {m for m in edges()[module] if is_for_people(m)}


OF_A_QUESTION = re.compile(rf"{OF_A_SUBJECT.pattern}|regrade\.\w+\.(stage|catalogue|(\w+_)?answer)")


@each(m for m in MODULES if part_of(m, "regrade.answers") or part_of(m, "regrade.show"))
def test_what_all_share_knows_no_question(module):
    below = {m for m in edges()[module] if not part_of(m, "regrade.show")}
    assert not {m for m in below if OF_A_QUESTION.fullmatch(m)}


def test_the_page_of_development_names_files_that_are_there():
    page = (PROJECT / "docs" / "development.md").read_text(encoding="utf-8")
    way = page.partition("A line of code's way")[2].partition("###")[0]
    named = re.findall(r"`((?:src|workflow)/[\w/.]+)`", way)
    assert len(named) > 10
    assert [path for path in named if not (PROJECT / path).is_file()] == []


@each(sorted(LIBRARY.rglob("__init__.py")))
def test_a_package_says_what_each_of_its_modules_is_for(path):
    if path.parent.parent.name == "studies":  # all have the same three
        return
    said = ast.get_docstring(parsed(path)) or ""
    modules = {module.stem for module in path.parent.glob("[a-z]*.py")} - {*ROOM}
    assert {module for module in modules if f"`{module}`" not in said} == set()
