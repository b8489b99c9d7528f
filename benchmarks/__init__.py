"""The project and its peers on the same work: ``python -m benchmarks --help``.
 One file per family of methods (``knn.py``) lists what is measured, as `Case` and `Adapter` tuples
(``case.py``). ``runner.py`` runs every case in fresh processes (``worker.py``), ``table.py`` prints
the outcome, and the JSON in ``results/`` is what the performance page of the book reads.
"""
