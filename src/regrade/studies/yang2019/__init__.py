"""Yang: Improving the Reliability and Robustness of Information Retrieval Evaluation.  2019."""
