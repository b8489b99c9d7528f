"""Print pip constraints for the oldest versions that pyproject.toml allows, one a line.

The packages that the module needs, and matplotlib and scikit-learn for its tests. Usage:
``python .ci/oldest.py > oldest.txt`` and then ``pip install -e .[test] -c oldest.txt``.
"""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
for requirement in [*project["dependencies"], *extras["plot"], *extras["test"]]:
    if match := re.match(r"([\w-]+)>=([\d.]+)", requirement):
        print(f"{match[1]}=={match[2]}.*")
