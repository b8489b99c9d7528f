"""The speed of each release is kept, and the page shows gains and losses alike."""

import copy
import json
import re
import sys
from pathlib import Path

import pytest

import litlearn

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import releases  # noqa: E402


def result(family, cases, processor="A"):
    """What ``make bench`` writes of a family, as far as it is read."""

    def one(package, label, seconds, error=None):
        told = {"package": package, "label": label, "seconds": seconds, "error": error}
        return told | {"ours": package == "litlearn"}

    return {
        "family": family,
        "date": "2030-01-01",
        "threads": 2,
        "machine": {"processor": processor, "cores": 2, "python": "3.14.0", "load_before": 0.1},
        "cases": [
            {
                "name": name,
                "group": group,
                "results": [
                    one("litlearn", "litlearn", ours),
                    one("slow", "slow", 9 * theirs),
                    one("fast", "fast", theirs),
                    one("broken", "broken", None, "no such thing"),
                ],
            }
            for name, group, ours, theirs in cases
        ],
    }


FIRST = [("a", "Trees", 0.5, 1.0), ("b", "Trees", 0.98, 1.0), ("c", "Lines", 2.0, 1.0)]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Keep results as those of a version; return everything that was kept."""

    def keep(version, *results):
        folder = tmp_path / f"results-{version}"
        folder.mkdir()
        for one in results:
            (folder / f"{one['family']}.json").write_text(json.dumps(one))
        (folder / "trees-partial.json").write_text("{}")
        monkeypatch.setattr(litlearn, "__version__", version)
        to = ["--results", str(folder), "--folder", str(tmp_path / "releases")]
        assert releases.main(to) == 0
        return releases.kept(tmp_path / "releases")

    return keep


def test_one_version_is_shown_alone(kept):
    text = releases.told(kept("1.0.0", result("trees", FIRST)))
    assert text.startswith("So far there is one version, 1.0.0.")
    assert "| Cases | 1.0.0 |\n|:-|-:|\n" in text
    assert "| Trees | 0.70 |" in text, "sqrt(0.5 * 0.98)"
    assert "| Lines | 2.00, 1 of 1 lost |" in text
    assert releases.told([]) == "No version has been released."


def test_gains_and_losses_are_shown(kept):
    kept("1.0.0", result("trees", FIRST))
    # One case at twice the speed, one just beyond its peer, one slower, and a new one.
    second = [("a", "Trees", 0.25, 1.0), ("b", "Trees", 1.02, 1.0), ("new", "Trees", 1.0, 2.0)]
    second += [("c", "Lines", 2.6, 1.0)]
    text = releases.told(kept("1.10.0", result("trees", second), result("more", [])))
    assert "| Cases | 1.0.0 | 1.10.0 |" in text
    # (0.25 * 1.02 * 0.5) ** (1 / 3), and of the common ones sqrt(0.5 * 1.02 / 0.98)
    assert "| Trees | 0.70 | 0.50 (× 0.72), 1 of 3 lost |" in text
    assert "| Lines | 2.00, 1 of 1 lost | 2.60 (× 1.30), 1 of 1 lost |" in text
    assert "have 3 cases in common" in text
    assert "rose by more than a tenth in 1 of them, and fell by as much in 1." in text
    listed = re.findall(r"^- .*", text, re.M)
    assert listed == [
        "- Lines, `c`: from 2.00 of fast to 2.60 of fast; from 2 s to 2.6 s",
        "- Trees, `b`: from 0.98 of fast to 1.02 of fast; from 0.98 s to 1.02 s",
    ]
    assert "not the same" not in text and "No longer" not in text


def test_what_is_gone_or_measured_elsewhere_is_named(kept):
    kept("1.0.0", result("trees", FIRST))
    kept("1.2.0", result("trees", FIRST[:1]))
    found = kept("1.10.0", result("trees", FIRST[1:], processor="B"))
    assert [one["version"] for one in found] == ["1.0.0", "1.2.0", "1.10.0"]
    text = releases.told(found)
    assert "No longer measured: `a`." in text and "were not the same" in text
    assert "| Lines | 2.00, 1 of 1 lost | · | 2.00, 1 of 1 lost |" in text


def test_the_page_shows_the_last_versions(kept):
    for minor in range(8):
        found = kept(f"1.{minor}.0", result("trees", FIRST))
    assert "| Cases | 1.3.0 | 1.4.0 | 1.5.0 | 1.6.0 | 1.7.0 |" in releases.told(found)


def test_a_version_between_releases_is_not_kept(kept):
    with pytest.raises(SystemExit):
        kept("1.1.0.dev0", result("trees", FIRST))


def test_the_speed_of_each_release_is_kept():
    done = re.findall(r"^## \[([1-9][\w.]*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert [one["version"] for one in releases.kept()] == done[::-1]
    if litlearn.__version__ == done[0]:  # not yet measured again
        now = releases.summary(releases.committed(), done[0])
        assert releases.kept()[-1] == now, "run: python -m benchmarks.releases"


def test_what_is_kept_is_what_was_measured():
    (one,) = [one for one in releases.committed() if one["family"] == "trees"]
    found = releases.summary([copy.deepcopy(one)], "1.0.0")["families"]["trees"]["cases"]
    ratios = {case["name"]: case["ratio"] for case in one["cases"] if case["ratio"] is not None}
    assert found.keys() == ratios.keys()
    for name, case in found.items():
        assert releases.share(case) == pytest.approx(ratios[name], rel=2e-3)
