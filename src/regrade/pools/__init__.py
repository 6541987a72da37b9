"""Pools: orders of documents, reduced qrels, scores under them, what leaving one out does.

`options` names ways to pool; `fusion` orders documents, `pooling` makes pools and the qrels that
they leave, `scores` scores under each, `leave_out` leaves each run or group out. In sentences:
`depth_answer` and `left_out_answer`.
"""
