# Weir: plays media while it downloads.
# SPDX-License-Identifier: Apache-2.0

"""The median of a series and its confidence interval, by order statistics.

For any distribution, a sample lies below its median with probability 1/2. So of `n` samples in order, the number
below the median is binomial, and the median lies between the `k`-th smallest and the `k`-th largest with probability
1 - 2 P(B(n, 1/2) < k). The largest `k` with at least 95 % is used; with fewer than 6 samples there is no interval.
"""

import math
import statistics
from collections import namedtuple

CONFIDENCE = 0.95

# The median, and the bounds of its interval, or None if there are too few samples.
Median = namedtuple("Median", "value bounds")


def rank(count):
    """The rank, counted from either end, of the sample that bounds the interval; 0 if there are too few."""
    found, outside = 0, 0.0
    for k in range(1, count // 2 + 1):
        outside += math.comb(count, k - 1) / 2**count
        if 1 - 2 * outside < CONFIDENCE:
            break
        found = k
    return found


def median(samples):
    """The median of one sample or more."""
    ordered = sorted(samples)
    k = rank(len(ordered))
    return Median(statistics.median(ordered), (ordered[k - 1], ordered[-k]) if k else None)


def text(samples, digits=2, unit=""):
    """`1.02× (0.98 to 1.05)`, with the unit behind the median."""
    found = median(samples)
    form = f",.{digits}f"
    if found.bounds is None:
        return f"{found.value:{form}}{unit} (too few rounds)"
    lower, upper = found.bounds
    return f"{found.value:{form}}{unit} ({lower:{form}} to {upper:{form}})"
