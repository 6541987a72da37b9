"""Does a judge favour some systems beyond what a second person does?

`effects` has the method: how much more a judge raises a family of systems than the other systems,
less what people who labelled the documents anew do, and beside systems of equal quality.
"""
