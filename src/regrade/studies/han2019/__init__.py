"""Han et al.: On Transforming Relevance Scales.  CIKM 2019."""
