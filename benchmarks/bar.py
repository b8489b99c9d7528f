"""A line on a terminal that says how far the cases are, and how long the others will take."""

import shutil
import sys
import threading
import time

WIDTH = 24  # of the bar
EVERY = 2.0  # seconds
UNKNOWN = 10.0  # seconds of a case that has not been measured before


def clock(seconds):
    """A time as minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Bar:
    """The line, written anew every two seconds, as long as this is open as a context.

    On what is no terminal nothing is written.

    Parameters
    ----------
    names : list of str
        All cases in their order.
    expected : dict of float
        Seconds that cases took the last time, by name.
    stream : file, default=standard error
    now : callable, default=time.monotonic
        The clock.
    """

    def __init__(self, names, expected, stream=None, now=time.monotonic):
        self._names = names
        self._expected = [expected.get(name, UNKNOWN) for name in names]
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty()
        self._now, self._start, self._done, self._last = now, now(), 0, now()
        self._lock, self._over = threading.Lock(), threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self):
        if self._shown:
            self.draw()
            self._ticker.start()
        return self

    def __exit__(self, *error):
        self._over.set()
        if self._shown:
            self._ticker.join()
            self.clear()

    def _tick(self):
        while not self._over.wait(EVERY):
            self.draw()

    def remaining(self):
        """Seconds that are left: those that were expected, at the pace of the cases so far."""
        behind, ahead = sum(self._expected[: self._done]), sum(self._expected[self._done :])
        pace = (self._last - self._start) / behind if behind else 1.0
        return max(0.0, pace * ahead - (self._now() - self._last))

    def line(self):
        """The text of the line."""
        total = len(self._names)
        full = WIDTH * self._done // max(total, 1)
        text = f"[{'#' * full}{'-' * (WIDTH - full)}] {self._done} of {total} cases, "
        text += f"{clock(self._now() - self._start)} passed, about {clock(self.remaining())} left"
        return text + (f": {self._names[self._done]}" if self._done < total else "")

    def draw(self):
        """Write the line over the one before, cut to the width of the terminal."""
        with self._lock:
            width = shutil.get_terminal_size().columns - 1
            self._write(f"\r\x1b[K{self.line()[:width]}")

    def clear(self):
        """Take the line away, so that something else can be printed there."""
        with self._lock:
            self._write("\r\x1b[K")

    def _write(self, text):
        if self._shown:
            self._stream.write(text)
            self._stream.flush()

    def advance(self, text):
        """Print a text about the case that is done, on standard output, and begin the next one."""
        self.clear()
        print(text, flush=True)
        self._done, self._last = self._done + 1, self._now()
        self.draw()
