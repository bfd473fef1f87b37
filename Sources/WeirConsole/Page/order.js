// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Pure functions that filter and order the rows of a list.

import { readable, title, visible } from "./text.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./playlists.js").Playlist} Playlist */

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/**
 * The orders, with the members of a resource that each compares.
 *
 * @type {Record<string, {keys: string[], sort: (resources: Resource[]) => Resource[]}>}
 */
export const orders = {
    used: {
        keys: ["used"],
        sort: (resources) => resources.sort((one, other) => other.usedTime - one.usedTime || byID(one, other)),
    },
    name: {
        keys: ["name", "source"],
        sort: (resources) =>
            resources
                // A title is computed once, not at each comparison.
                .map((resource) => /** @type {const} */ ([title(resource), resource]))
                .sort(([one, a], [other, b]) => collator.compare(one, other) || byID(a, b))
                .map(([, resource]) => resource),
    },
    size: {
        keys: ["held"],
        sort: (resources) => resources.sort((one, other) => other.held - one.held || byID(one, other)),
    },
};

/** Orders equal resources; else each sort could change it. @param {Resource} one @param {Resource} other */
function byID(one, other) {
    return one.id < other.id ? -1 : 1;
}

/**
 * The rows whose shown name, source or account contain every word of a text; case does not matter. Parts that match are
 * rows of their own if their playlist does not match.
 *
 * A copied address is found with its escapes, too.
 *
 * @param {(Resource | Playlist)[]} rows
 * @param {string} text
 * @returns {(Resource | Playlist)[]}
 */
export function matching(rows, text) {
    const words = text.split(/\s+/).filter(Boolean)
        .map((word) => (word.includes("://") ? readable(word) : word).toLowerCase());
    if (words.length === 0) return rows;
    /** @param {Resource} resource */
    const matches = (resource) => {
        const texts = [title(resource), readable(resource.source), visible(resource.account)];
        const searched = texts.join("\n").toLowerCase();
        return words.every((word) => searched.includes(word));
    };
    return rows.flatMap((row) => (matches(row) ? [row] : "parts" in row ? row.parts.filter(matches) : []));
}
