"""Ctrl-C in the middle of a fit: the fit ends soon, with KeyboardInterrupt."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

LIMIT = 2.0  # seconds: a tenth is the aim, on a machine with nothing else to do

FITS = {
    "SVC": "SVC(C=100.0, gamma=0.05, tol=1e-9).fit(X, y)",
    "SVR": "SVR(C=100.0, gamma=0.05, epsilon=1e-3, tol=1e-9).fit(X, y + X[:, 0])",
    "LinearSVC": "LinearSVC(loss='hinge', C=100.0, tol=1e-14, max_iter=10**8).fit(X, y)",
    "sparse": "LinearSVC(loss='hinge', C=100.0, tol=1e-14, max_iter=10**8).fit(S, y)",
}

CHILD = """
import signal, time
import numpy as np
from scipy.sparse import csr_array
from litlearn.svm import SVC, SVR, LinearSVC

def fit(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    y = (X[:, 0] * X[:, 1] + rng.standard_normal(n) > 0).astype(int)
    S = csr_array(X * (rng.random(X.shape) < 0.5))
    print("ready", flush=True)
    return {fit}

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have switched it off
try:
    fit(20_000)
except KeyboardInterrupt:
    print(repr(time.clock_gettime(time.CLOCK_MONOTONIC)), flush=True)
else:
    print("done", flush=True)
"""


def delay(fit, wait):
    """Seconds from the signal, sent so long after the fit began, to the child's exception."""
    code = textwrap.dedent(CHILD).replace("{fit}", fit)
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(wait)
        sent = time.clock_gettime(time.CLOCK_MONOTONIC)
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline().strip()
        assert answer != "done", "the fit was over before the signal came"
        return float(answer) - sent
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="signals of another kind")
@pytest.mark.parametrize("name", FITS)
def test_a_fit_can_be_interrupted(name):
    rng = np.random.default_rng(len(name))
    for wait in rng.uniform(0.5, 3.0, 2):
        assert delay(FITS[name], wait) < LIMIT
