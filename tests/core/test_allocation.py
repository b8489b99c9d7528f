"""Memory that is freed and taken again, in a process where Dask gives it back at once."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs glibc")

PROGRAM = textwrap.dedent(
    """
    import resource
    import numpy as np
    from litlearn._core.allocation import freed_memory_kept

    def faults():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(50):
            np.ones(2**17)  # a megabyte, 256 pages
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    first = faults()
    with freed_memory_kept():
        faults()
        inside = faults()
        with freed_memory_kept():
            pass
        still = faults()
    print(first, inside, still, faults())
    """
)


def faults_by(**environment):
    """Pages that came anew: before, inside, after another block inside, and after all."""
    environment = {k: v for k, v in os.environ.items() if "MALLOC" not in k} | environment
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return [int(number) for number in done.stdout.split()]


def test_memory_is_kept_inside_and_given_back_after_it():
    before, inside, still, after = faults_by(MALLOC_TRIM_THRESHOLD_="65536")
    assert min(before, after) > 50 * 200
    assert max(inside, still) < 50 * 20


def test_a_process_that_sets_nothing_is_left_alone():
    _, inside, still, after = faults_by()
    assert max(inside, still, after) < 50 * 200
