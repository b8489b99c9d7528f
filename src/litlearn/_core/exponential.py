"""Exponentials and logarithms that a compiled loop takes several at a time.

The functions of C's mathematical library are called for one number, and a loop with such a call in
it gets no vector instructions. These are made of additions, products and one division, so that
LLVM can work on as many numbers at once as a register holds. Nothing in them depends on the
processor: where products and sums are rounded once, the result moves by less than a rounding.

The errors are below one unit in the last place for the exponential, and two for the logarithm;
tests hold them to that.
"""

import numpy as np

from litlearn._core.jit import as_bits, from_bits, njit

LOG2_E = 1.4426950408889634  # 1 / ln 2
# ln 2 in two parts: the first has zeros at its end, so that its multiples are exact.
LN2_HIGH = float.fromhex("0x1.62e42fefa0000p-1")
LN2_LOW = float.fromhex("0x1.cf79abc9e3b39p-40")
# The sum with it is rounded to a whole number, which then stands in the last bits.
ROUNDING = 1.5 * 2.0**52
LEAST, MOST = -746.0, 710.0  # beyond, the exponential is 0, or infinite
MIDDLE = 0.41421356237309503  # e with 1 + e as far from 1 as from 2, as ratios
# One over the factorials: the terms of the exponential beyond 1 + r.
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = 1.0 / np.cumprod(np.arange(1.0, 14.0))[1:]


@njit(inline=True)
def exponential(x):
    """Exponential of a number; NaN stays NaN."""
    # <reduce>: x = n ln 2 + r with a whole number n, and r at most half of ln 2 from zero.
    x = min(max(x, LEAST), MOST)
    shifted = x * LOG2_E + ROUNDING
    n, whole = as_bits(shifted) - as_bits(ROUNDING), shifted - ROUNDING
    r = (x - whole * LN2_HIGH) - whole * LN2_LOW
    # <series>: Up to r^13, in pairs, so that many products need not wait for each other.
    r2 = r * r
    r4 = r2 * r2
    low = (C2 + C3 * r) + (C4 + C5 * r) * r2
    middle = (C6 + C7 * r) + (C8 + C9 * r) * r2
    high = (C10 + C11 * r) + (C12 + C13 * r) * r2
    series = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))
    # <scale>: Times 2^n, whose bits are n and zeros; in two steps, for numbers next to zero.
    half = n >> 1
    return series * from_bits((half + 1023) << 52) * from_bits((n - half + 1023) << 52)


@njit(inline=True)
def log_one_plus(e):
    """Logarithm of 1 + e for e from 0 to 1; as a share of itself exact for small e, too."""
    # <halve>: 1 + e = (1 + f) 2^n, with 1 + f at most a root of 2 away from 1.
    is_far = e > MIDDLE
    f = 0.5 * (e - 1.0) if is_far else e
    # <series>: log(1 + f) = 2 artanh(s) = 2 s + s z (2 / 3 + 2 z / 5 + ...), z = s^2.
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    low = (2 / 3 + 2 / 5 * z) + (2 / 7 + 2 / 9 * z) * w
    middle = (2 / 11 + 2 / 13 * z) + (2 / 15 + 2 / 17 * z) * w
    high = 2 / 19 + 2 / 21 * z
    series = z * (low + w * w * (middle + w * w * high))
    # 2 s = f - s f, in which the first number is exact.
    return (LN2_HIGH if is_far else 0.0) + (f - s * (f - series) + (LN2_LOW if is_far else 0.0))
