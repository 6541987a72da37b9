"""Lioma, Simonsen, Larsen: measures of relevance and credibility in ranked lists.  ICTIR 2017."""
