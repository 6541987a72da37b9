"""Does a judge favour some systems beyond what a second person does?

`families` has which systems are in which family, `shared_scores` the systems' scores under all
label sets on the documents that all labelled. `effects` has the method: how much more a judge
raises a family than the other systems, less what people who labelled the documents anew do, and
beside systems of equal quality. `changes` has what that changes of the ranking, `family_favour` the
tables. `documents` has which documents carry the favour, and `document_rows` the tables of it,
which `documents_tables` and `documents_figures` show.
"""
