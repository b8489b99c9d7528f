"""Ctrl-C in the middle of a fit: the fit ends soon, with KeyboardInterrupt."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

LIMIT = 2.0  # seconds: a tenth is the aim, on a machine with nothing else to do

FITS = {  # a model that would go on for minutes, its samples, its targets
    "SVC": ("SVC(C=100.0, gamma=0.05, tol=1e-9)", "X", "y"),
    "SVR": ("SVR(C=100.0, gamma=0.05, epsilon=1e-3, tol=1e-9)", "X", "y + X[:, 0]"),
    "LinearSVC": ("LinearSVC(loss='hinge', C=100.0, tol=1e-14, max_iter=10**8)", "X", "y"),
    "sparse": ("LinearSVC(loss='hinge', C=100.0, tol=1e-14, max_iter=10**8)", "S", "y"),
}

# A few steps first: an interrupt while something is compiled may be lost in a callback of LLVM.
CHILD = """
import signal, time, warnings
import numpy as np
from scipy.sparse import csr_array
from litlearn.svm import SVC, SVR, LinearSVC

rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 20))
y = (X[:, 0] * X[:, 1] + rng.standard_normal(len(X)) > 0).astype(int)
S = csr_array(X * (rng.random(X.shape) < 0.5))
X, y = {samples}, {targets}
model = {model}
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    {model}.set_params(max_iter=3).fit(X, y)
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have switched it off
for _ in range(2):
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print(repr(time.clock_gettime(time.CLOCK_MONOTONIC)), flush=True)
    else:
        print("done", flush=True)
"""


def delays(model, samples, targets, waits):
    """Seconds from each of two signals, sent so long after a fit began, to the exception."""
    code = CHILD.format(model=model, samples=samples, targets=targets)
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        for wait in waits:
            assert child.stdout.readline() == "ready\n"
            time.sleep(wait)
            sent = time.clock_gettime(time.CLOCK_MONOTONIC)
            watch = threading.Timer(60, child.kill)  # what never ends is ended
            watch.start()
            child.send_signal(signal.SIGINT)
            answer = child.stdout.readline().strip()
            watch.cancel()
            assert answer != "done", "the fit was over before the signal came"
            yield float(answer) - sent
    finally:
        child.kill()
        child.communicate()


@pytest.mark.weekly(keep=2)
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("name", FITS)
def test_a_fit_can_be_interrupted(name):
    rng = np.random.default_rng(len(name))
    found = list(delays(*FITS[name], rng.uniform(0.2, 1.5, 2)))  # the second after the first
    assert len(found) == 2 and max(found) < LIMIT
