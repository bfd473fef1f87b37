// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Makes text from origins safe to show. It reaches the document as text only, never as markup.

import { itemOf } from "./playlists.js";

/** The longest shown text, in UTF-16 units. */
const longest = 2_000;

/**
 * Control characters, lone surrogates, and format characters that reorder, join lines or are invisible.
 * The joiners U+200C and U+200D are not in it: Persian words and emoji need them.
 */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** @param {string} character */
function shown(character) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "␡";
    return `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/**
 * The text with every character visible: `a\nb` is `a␊b`, an override of the direction is `[U+202E]`.
 *
 * @param {string} text
 */
export function visible(text) {
    const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
    return cut.replace(unseen, shown);
}

/**
 * The title of a resource: its name, or else the last part of its source.
 *
 * @param {{name: string | null, source: string}} resource
 */
export function title(resource) {
    if (resource.name) return visible(resource.name);
    const path = itemOf(resource).split(/[?#]/, 1)[0].replace(/\/+$/, "");
    return visible(decoded(path.slice(path.lastIndexOf("/") + 1)) || resource.source) || "without a name";
}

/** An address with decoded escapes: `a%20b` is `a b`. @param {string} address */
export function readable(address) {
    return visible(decoded(address));
}

/** @param {string} text */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        // A per cent sign does not begin an escape: the text is not encoded.
        return text;
    }
}
