"""Studies: which tables each shows, arranged beside what it printed, and drawn.

Those of papers stand here, what people ask beside these in the folder of its subject. `registry`
has all of them, `items` what a table or figure is (`regrade.studies.items.Item`).  A study's
functions have the names of its items.  Each takes the tables that its item shows, in that order,
and the item's settings by name:

- of a table, ``table_x(*tables, *, settings …, published=None)`` gives the tidy table and the one
  for reading (see `regrade.show.published`), where the study's number stands in brackets after
  ours; `published` holds the study's numbers where the collection is the study's, else ``None``;
- of a figure, ``figure_x(*tables, *, settings …)`` gives a `matplotlib.figure.Figure`.

Both compute nothing that a table should hold.  A figure's function raises a
`regrade.errors.ParameterError` where a table has no rows to draw.  The item says
which tables those are and what its settings mean, the catalogue what is in the tables; a docstring
says what neither does.
"""
