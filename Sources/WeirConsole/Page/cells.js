// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The states of the cells of a piece map: a pure function from byte ranges to one state for each cell.

import { holes } from "./ranges.js";

/** The size of a block of the cache, which Weir verifies and replaces as a whole. */
export const blockSize = 65_536;

/** The most cells of a map. A short resource has a cell for each block; a long one has more than half of this. */
export const mostCells = 8_192;

/** The states of a cell. Each has its own colour, `--state-NAME`, and its own shape. */
export const states = Object.freeze(["not-held", "wanted", "fetched", "part", "held", "verified", "bad"]);

const [, wanted, fetched, part, held, verified, bad] = states.keys();

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Reader} Reader */
/** @typedef {import("./model.js").Fetch} Fetch */
/** @typedef {import("./ranges.js").Range} Range */

/**
 * The end of a map: the resource's length or, if it is unknown, the end of the known bytes.
 *
 * @param {Resource} resource
 * @param {Reader[]} readers
 * @param {Fetch[]} fetches
 */
export function extent(resource, readers, fetches) {
    if (resource.length !== null) return resource.length;
    const ends = (resource.pieces?.held ?? []).map(([, to]) => to);
    const others = [...readers, ...fetches].map((other) => other.to ?? other.at ?? 0);
    return [...ends, ...others].reduce((most, end) => Math.max(most, end), resource.held);
}

/**
 * The number of bytes in a cell: the smallest power of two of blocks with which there are not too many cells.
 *
 * @param {number} length
 */
export function bytesPerCell(length) {
    let size = blockSize;
    while (Math.ceil(length / size) > mostCells) size *= 2;
    return size;
}

/**
 * The state of each cell.
 *
 * A cell with a damaged part is bad. Otherwise a cell with a part that is being fetched, or is wanted, has that state.
 * Otherwise a cell is held, or verified, only if all of it is.
 *
 * @param {Resource} resource
 * @param {Reader[]} readers of this resource
 * @param {Fetch[]} fetches of this resource
 * @param {number} size the number of bytes in a cell; it need not be an integer
 * @param {number} length the end of the map
 * @returns {Uint8Array} indices of `states`
 */
export function cellStates(resource, readers, fetches, size, length) {
    const cells = new Uint8Array(Math.ceil(length / size));
    const pieces = resource.pieces;
    if (!pieces) return cells;
    const heldShare = shares(pieces.held, size, cells.length);
    const verifiedShare = shares(pieces.verified, size, cells.length);
    for (const index of cells.keys()) {
        if (heldShare[index] <= 0) continue;
        const whole = Math.min(size, length - index * size);
        cells[index] = isAll(verifiedShare[index], whole) ? verified : isAll(heldShare[index], whole) ? held : part;
    }
    const mark = (/** @type {Range[]} */ ranges, /** @type {number} */ state) => {
        for (const [from, to] of ranges) {
            const last = Math.min(cells.length, Math.ceil(Math.min(to, length) / size));
            if (from < to) cells.fill(state, Math.floor(from / size), last);
        }
    };
    for (const { at, to } of readers) mark(holes([at, to ?? length], pieces.held), wanted);
    for (const { at, to, state } of fetches) {
        if (at === null) continue;
        // A lingering fetch waits for a reader that may come back; it receives no bytes.
        if (state !== "lingering") mark(holes([at, to ?? length], pieces.held), fetched);
    }
    mark(pieces.bad, bad);
    return cells;
}

/** Sums of sizes that are not integers are wrong by less than a byte. @param {number} share @param {number} whole */
function isAll(share, whole) {
    return share >= whole - 0.5;
}

/**
 * The number of bytes of each cell that the ranges cover.
 *
 * @param {Range[]} ranges
 * @param {number} size
 * @param {number} count
 */
function shares(ranges, size, count) {
    const shares = new Float64Array(count);
    for (const [from, to] of ranges) {
        const first = Math.floor(from / size);
        const last = Math.min(count - 1, Math.ceil(to / size) - 1);
        if (first >= last) {
            if (first < count) shares[first] += to - from;
            continue;
        }
        shares[first] += (first + 1) * size - from;
        shares.fill(size, first + 1, last);
        // The ranges do not overlap, so no earlier range covers a cell in between.
        shares[last] += Math.min(to, (last + 1) * size) - last * size;
    }
    return shares;
}
