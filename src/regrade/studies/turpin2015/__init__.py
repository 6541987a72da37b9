"""Turpin, Scholer, Mizzaro, Maddalena: magnitude estimation relevance assessments.  SIGIR 2015."""
