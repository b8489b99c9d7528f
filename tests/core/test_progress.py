"""The bar that shows how far a long fit is."""

import pytest

from litlearn._core.progress import progress


class Long:
    def __init__(self, verbose):
        self.verbose = verbose


def test_what_the_bar_says(capsys):
    with progress(Long(1), lambda a, b: f"value {a + b:.1f}", "step", 7) as report:
        for n in (1, 3, 3, 1, 2):  # the second start has its own count
            report(n, n, 0.5)
    shown = capsys.readouterr().err.split("\r")[-1]
    assert "Long" in shown and "5/7" in shown and "step" in shown and "value 2.5" in shown


@pytest.mark.parametrize("verbose", [0, False])
def test_silence(capsys, verbose):
    with progress(Long(verbose), str) as report:
        assert report is None
    assert capsys.readouterr().err == ""


def test_an_interrupt_closes_the_bar(capsys):
    with pytest.raises(KeyboardInterrupt), progress(Long(2), str) as report:
        report(1, "now")
        raise KeyboardInterrupt
    assert capsys.readouterr().err.endswith("\n")
