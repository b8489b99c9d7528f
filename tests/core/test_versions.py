"""A report of what is installed."""

import importlib
import importlib.metadata

import numpy as np
import sklearn

import litlearn
from doubler import run


def test_versions_of_what_is_installed(capsys, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    litlearn.show_versions()
    shown = capsys.readouterr().out
    for title in ("System", "Packages", "Threaded libraries", "Environment"):
        assert f"{title}\n  " in shown
    assert f"  litlearn: {litlearn.__version__}\n" in shown
    assert f"  scikit-learn: {sklearn.__version__}\n" in shown
    assert f"  numpy: {np.__version__}\n" in shown and "NUMBA_CPU_NAME: generic" in shown
    code = "import sys, litlearn; litlearn.show_versions(); assert 'sklearn' not in sys.modules"
    assert "scikit-learn" in run(code)


def test_a_report_says_what_is_not_installed(capsys, monkeypatch):
    installed = importlib.metadata.version

    def version(name):
        if name in ("scikit-learn", "pandas"):
            raise importlib.metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    litlearn.show_versions()
    shown = capsys.readouterr().out
    assert "  scikit-learn: not installed\n" in shown and "  pandas: not installed\n" in shown
    assert f"  numpy: {np.__version__}\n" in shown
