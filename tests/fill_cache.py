"""Compile every kernel once, before anything runs in several processes.

Trees take about as long as everything else, and share next to nothing with it: two processes.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import litlearn
from litlearn._warm_up import CASES

TREES = ("tree", "ensemble")

if __name__ == "__main__":
    others = [namespace for namespace, *_ in CASES if namespace not in TREES]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        runs = [
            pool.submit(litlearn.warm_up, *namespaces, verbose=True)
            for namespaces in (TREES, dict.fromkeys(others))
        ]
    for one in runs:
        one.result()
