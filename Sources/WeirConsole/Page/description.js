// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Pure functions that describe piece maps in words.

import { bytes, counted, percent } from "./format.js";
import { total } from "./ranges.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./playlists.js").Playlist} Playlist */
/** @typedef {import("./model.js").Reader} Reader */
/** @typedef {import("./model.js").Fetch} Fetch */

/** The most readers that are listed with their offsets. */
const namedReaders = 6;

/**
 * A map in words: `62 % held in 3 pieces; 2 readers, at 12.4 MB and 80.0 MB`.
 *
 * @param {Resource | Playlist} resource
 * @param {Reader[]} readers of this resource
 */
export function describe(resource, readers) {
    return [describeHeld(resource), ...describeDamage(resource), ...describeReaders(readers)].join("; ");
}

/** @param {Resource} resource */
function describeDamage({ pieces }) {
    return pieces?.bad.length ? [`${bytes(total(pieces.bad))} found damaged`] : [];
}

/** @param {Reader[]} readers */
function describeReaders(readers) {
    if (readers.length === 0) return [];
    const offsets = readers.slice(0, namedReaders).map((reader) => bytes(reader.at));
    if (readers.length > namedReaders) offsets.push("elsewhere");
    return [`${counted(readers.length, "reader")}, at ${listed(offsets)}`];
}

/** @param {Resource | Playlist} resource */
function describeHeld(resource) {
    const { held, length, pieces } = resource;
    if ("parts" in resource) return `${bytes(held)} held in ${counted(resource.parts.length, "part")}`;
    const share = length === null ? bytes(held) : percent(held, length);
    if (held === 0) return "nothing held";
    if (!pieces) return `${share} held; the pieces are not known yet`;
    if (held === length) return "all held";
    return `${share} held in ${counted(pieces.held.length, "piece")}`;
}

/**
 * A longer description, with the running fetches, for the map of the opened resource.
 *
 * @param {Resource | Playlist} resource
 * @param {Reader[]} readers
 * @param {Fetch[]} fetches
 */
export function describeInFull(resource, readers, fetches) {
    const parts = [describeHeld(resource)];
    if (resource.pieces && resource.held > 0) {
        const verified = total(resource.pieces.verified);
        parts.push(verified >= resource.held ? "all of that verified" : `${bytes(verified)} of that verified`);
    }
    parts.push(...describeDamage(resource), ...describeReaders(readers));
    if (fetches.length) parts.push(counted(fetches.length, "fetch", "fetches"));
    return parts.join("; ");
}

/** @param {string[]} words */
function listed(words) {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
