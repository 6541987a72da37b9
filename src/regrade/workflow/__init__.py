"""The workflow's Python: the configuration, what each job reads and makes, and what runs a job.

It knows Snakemake's ways and hardly imports it; the rest of the library knows nothing of it.
"""
