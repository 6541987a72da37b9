"""Does a judge favour some systems? Families of systems under a judge's labels and a reference's.

`families` has which systems are in which family.
"""
