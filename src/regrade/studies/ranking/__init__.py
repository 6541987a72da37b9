"""Which system is best, and how sure that is: tables and figures."""
