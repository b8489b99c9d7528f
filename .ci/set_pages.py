"""``jupyter-book`` as it is, but pages are written by all processors: it has no option for that."""

import os

import jupyter_book.sphinx
from jupyter_book.cli.main import main
from sphinx.application import Sphinx


class Parallel(Sphinx):
    def __init__(self, *places, **settings):
        super().__init__(*places, **settings | {"parallel": os.cpu_count() or 1})

    def is_parallel_allowed(self, kind):
        # The extension that numbers theorems cannot merge what several processes have read.
        return kind == "write" and super().is_parallel_allowed(kind)


if __name__ == "__main__":
    jupyter_book.sphinx.Sphinx = Parallel
    main()
