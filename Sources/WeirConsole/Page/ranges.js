// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Half-open ranges of bytes, `[from, to]` with `to` excluded; lists of them are sorted and do not overlap.

/** @typedef {[number, number]} Range */

/**
 * The number of bytes in the ranges.
 *
 * @param {Range[]} ranges
 */
export function total(ranges) {
    return ranges.reduce((sum, [from, to]) => sum + (to - from), 0);
}

/**
 * The parts of a range that no other range covers.
 *
 * @param {Range} range
 * @param {Range[]} others
 * @returns {Range[]}
 */
export function holes([from, to], others) {
    /** @type {Range[]} */
    const left = [];
    let next = from;
    for (const [start, end] of others) {
        if (end <= next) continue;
        if (start >= to) break;
        if (start > next) left.push([next, start]);
        next = end;
    }
    if (next < to) left.push([next, to]);
    return left;
}
