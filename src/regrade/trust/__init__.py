"""Which cut to trust: judged on what it was not chosen on, and chosen from judgments drawn anew."""
