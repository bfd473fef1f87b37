// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Pure functions: which rows of a long list are in the document, and how its window moves when rows change places.

/** The number of rows in the document beyond the window, on either side. */
const margin = 4;

/** @typedef {{top: number, height: number}} Window in CSS pixels */

/**
 * The half-open range of the indices of the rows that are in the window, or near.
 *
 * @param {Window} view
 * @param {number} rowHeight
 * @param {number} count
 * @returns {[number, number]}
 */
export function visibleRange(view, rowHeight, count) {
    const from = Math.floor(view.top / rowHeight) - margin;
    const to = Math.ceil((view.top + view.height) / rowHeight) + margin;
    const last = Math.min(count, Math.max(0, to));
    return [Math.min(last, Math.max(0, from)), last];
}

/**
 * How far the window moves with its rows when rows before them are added or removed; 0 at the top, which stays the top.
 *
 * A single row may have moved on its own, so the result is the median of the moves of all rows in the window.
 *
 * @param {{id: string}[]} before
 * @param {{id: string}[]} after
 * @param {Window} view
 * @param {number} rowHeight
 * @returns {number} CSS pixels
 */
export function windowShift(before, after, view, rowHeight) {
    if (view.top < rowHeight) return 0;
    const from = Math.floor(view.top / rowHeight);
    const inside = before.slice(from, Math.ceil((view.top + view.height) / rowHeight));
    const places = new Map(inside.map((row, index) => [row.id, from + index]));
    const moves = [];
    for (const [index, { id }] of after.entries()) {
        const place = places.get(id);
        if (place !== undefined) moves.push(index - place);
    }
    moves.sort((one, other) => one - other);
    return (moves[moves.length >> 1] ?? 0) * rowHeight;
}
