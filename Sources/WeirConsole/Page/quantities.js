// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Sizes and ages as users write them into a field.

/** By unit in lower case; a single letter is a power of 1024, as in the program's own options. */
const sizes = new Map([
    ["", 1], ["b", 1],
    ["k", 2 ** 10], ["kib", 2 ** 10], ["kb", 1e3],
    ["m", 2 ** 20], ["mib", 2 ** 20], ["mb", 1e6],
    ["g", 2 ** 30], ["gib", 2 ** 30], ["gb", 1e9],
    ["t", 2 ** 40], ["tib", 2 ** 40], ["tb", 1e12],
]);

const ages = new Map([
    ["s", 1], ["second", 1], ["seconds", 1],
    ["m", 60], ["min", 60], ["minute", 60], ["minutes", 60],
    ["h", 3600], ["hour", 3600], ["hours", 3600],
    ["d", 86_400], ["day", 86_400], ["days", 86_400],
    ["w", 604_800], ["week", 604_800], ["weeks", 604_800],
]);

/** No age is longer than a century. */
const longest = 100 * 366 * 86_400;

/**
 * Reads a number with its unit.
 *
 * @param {string} text
 * @param {Map<string, number>} factors
 * @returns {number | null} null if the text is not a quantity
 */
function quantity(text, factors) {
    const parts = /^(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)$/.exec(text.trim().toLowerCase());
    const factor = parts && factors.get(parts[2]);
    return parts && factor ? Number(parts[1]) * factor : null;
}

/** Bytes of `2 GB`, `1.5 GiB`, `65536`; null if it is not a size. @param {string} text */
export function parseSize(text) {
    const size = quantity(text, sizes);
    return size !== null && size <= Number.MAX_SAFE_INTEGER ? Math.round(size) : null;
}

/** Seconds of `30 days`, `12h`; null if it is not an age. @param {string} text */
export function parseAge(text) {
    const age = quantity(text, ages);
    return age !== null && age <= longest ? Math.ceil(age) : null;
}

/** A size for a field, without rounding: `2 GB`, `2.147483648 GB`, `512 B`. @param {number} size */
export function writeSize(size) {
    for (const [unit, factor] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
        const text = `${size / Number(factor)} ${unit}`;
        if (size >= Number(factor) && parseSize(text) === size) return text;
    }
    return `${size} B`;
}

/** An age for a field, without rounding: `30 days`, `90 minutes`. @param {number} age */
export function writeAge(age) {
    for (const [unit, factor] of [["day", 86_400], ["hour", 3600], ["minute", 60]]) {
        const value = age / Number(factor);
        if (value >= 1 && Number.isInteger(value)) return `${value} ${unit}${value === 1 ? "" : "s"}`;
    }
    return `${age} seconds`;
}
