# Input and parameter functions: what a job needs, from its wildcards and the configuration.
def set_table(name):
    """The table of a qrels or a judgment set."""
    return (QRELS if name in COLLECTION.qrels else JUDGMENTS).format(name=name)


# collect: the files of a set
def set_files(kind):
    """An input function: the files of a set of that kind."""

    def paths(wildcards):
        if kind == "qrels" and COLLECTION.is_made_with_runs(wildcards.name):
            return [SIMULATED_QRELS]
        return [*map(COLLECTION.path, files_of(OPTIONS[kind][wildcards.name]))]

    return paths


def reading_of(kind):
    """A parameter function: how the files of a set of that kind are read."""
    return lambda wildcards: reading(kind, OPTIONS[kind][wildcards.name])


def written_scale_of(kind):
    """A parameter function: the scale that the files of a set of that kind are on."""
    return lambda wildcards: written_scale(OPTIONS[kind][wildcards.name])


def workers_of(kind):
    """A parameter function: the judge of each file of a set whose files name none."""
    return lambda wildcards: workers(kind, wildcards.name, OPTIONS[kind][wildcards.name])


def relevant_from_of(wildcards):
    return relevant_from(COLLECTION.qrels[wildcards.name])


# score
def max_grade_of(wildcards):
    return COLLECTION.scale(wildcards.name, "qrels").high


# pools: what else a left-out analysis reads
def groups_file(wildcards):
    by_run = LEFT_OUT[wildcards.left_out]["by"] == "run"
    return [] if by_run else COLLECTION.path(OPTIONS["groups"])


def origins_file(wildcards):
    by_origins = LEFT_OUT[wildcards.left_out]["by"] == "origins"
    return COLLECTION.path(OPTIONS["pool_origins"]) if by_origins else []
