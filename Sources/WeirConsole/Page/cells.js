// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// What the cells of a piece map show: pure, from byte ranges to one state a cell.

import { holes } from "./ranges.js";

/** The block of the cache: what is compared, and replaced, as one. */
export const blockSize = 65_536;

/** Maps of long resources have more than half as many cells, of shorter ones a cell for each block. */
export const mostCells = 8_192;

/** The states of a cell. Each has a colour, `--state-NAME`, and a shape of its own. */
export const states = Object.freeze(["not-held", "wanted", "fetched", "part", "held", "verified", "bad"]);

const [, wanted, fetched, part, held, verified, bad] = states.keys();

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Reader} Reader */
/** @typedef {import("./model.js").Fetch} Fetch */
/** @typedef {import("./ranges.js").Range} Range */

/**
 * Up to where a map goes: the length or, where that is unknown, the end of what is known of the resource.
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
 * How many bytes a cell stands for: the fewest whole blocks, a power of two, with which the cells are not too many.
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
 * A cell of which a part is damaged is bad. Else one of which a part is on its way, or asked for, shows that; else
 * it is held, or verified, only if all of it is.
 *
 * @param {Resource} resource
 * @param {Reader[]} readers of this resource
 * @param {Fetch[]} fetches of this resource
 * @param {number} size how many bytes a cell stands for; it need not be whole
 * @param {number} length up to where the map goes
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
        // A lingering fetch is kept for a reader who may come back; nothing of it is on its way.
        if (state !== "lingering") mark(holes([at, to ?? length], pieces.held), fetched);
    }
    mark(pieces.bad, bad);
    return cells;
}

/** Sums of sizes that are not whole are off by less than a byte. @param {number} share @param {number} whole */
function isAll(share, whole) {
    return share >= whole - 0.5;
}

/**
 * How many bytes of each cell the ranges cover.
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
        // A cell between may have had nothing before: the ranges do not overlap.
        shares[last] += Math.min(to, (last + 1) * size) - last * size;
    }
    return shares;
}
