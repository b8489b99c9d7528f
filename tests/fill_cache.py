"""Compile every kernel once, in one process, before anything runs in several."""

import litlearn

if __name__ == "__main__":
    litlearn.warm_up(verbose=True)
