"""Topics: which are hard, which separate systems, which decide a pair, on which labels disagree.

`per_topic` has a row for each topic, the scores behind it, and documents whose labels differ.
`page_documents` packs the documents of all topics for the page.
"""
