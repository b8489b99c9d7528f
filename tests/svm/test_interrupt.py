"""Ctrl-C in the middle of a fit: the fit ends soon, with KeyboardInterrupt."""

import os
import signal
import subprocess
import sys
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
print("ready", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print(repr(time.clock_gettime(time.CLOCK_MONOTONIC)), flush=True)
else:
    print("done", flush=True)
"""


def delay(model, samples, targets, wait):
    """Seconds from the signal, sent so long after the fit began, to the child's exception."""
    code = CHILD.format(model=model, samples=samples, targets=targets)
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(wait)
        sent = time.clock_gettime(time.CLOCK_MONOTONIC)
        child.send_signal(signal.SIGINT)
        answer = child.communicate(timeout=60)[0].strip()
        assert answer != "done", "the fit was over before the signal came"
        return float(answer) - sent
    finally:
        child.kill()
        child.wait()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
@pytest.mark.parametrize("name", FITS)
def test_a_fit_can_be_interrupted(name):
    rng = np.random.default_rng(len(name))
    for wait in rng.uniform(0.5, 3.0, 2):
        assert delay(*FITS[name], wait) < LIMIT
