"""What the consensus of several judges rests on."""

COLUMNS = """
accuracy  float64? [0..1]  probability of a correct label, by model or reference; null: none
vote_weight  float64? [0..]  weight of the judge's labels; null: the rule has none
"""

TABLES = """
[derive_consensus]
consensus/documents: labels that are the consensus of several judges, and how many judges they have
    topic docno | grade judges tied:bool
    grade = the consensus
    judges = judges that labelled the document
    tied = whether the rule alone leaves several labels
consensus/judges: what a consensus rests on
    judge | documents agreement difference accuracy vote_weight
    documents = documents with a label
    agreement = share of the judge's labels that are equal to the consensus
    difference = mean absolute difference of the judge's labels from the consensus
consensus/confusion: the confusion matrix of each judge under the model of Dawid and Skene
    judge level:float64! value | probability
    level = of the document; value = that the judge gives
    probability = of the value, given the level
"""
