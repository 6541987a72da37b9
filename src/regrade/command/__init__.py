"""The command ``regrade``: the library on files, from a shell."""
