// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Pure functions that join the playlists of HLS and their parts, the files that they name.

import { extent } from "./cells.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Reader} Reader */
/** @typedef {import("./model.js").Fetch} Fetch */
/** @typedef {import("./model.js").Pieces} Pieces */
/** @typedef {import("./ranges.js").Range} Range */
/**
 * A playlist with its parts, shown as one resource. The cache may lack parts, so its length is not known.
 *
 * `own` is the resource of its text. That of a live stream comes and goes.
 *
 * @typedef {Resource & {own: Resource | null, parts: Resource[]}} Playlist
 */

/** The source of a part is `LIST#hls:ITEM`. */
const separator = "#hls:";

const collator = new Intl.Collator(undefined, { numeric: true });

/** The name of a part in its playlist; the source of another resource. @param {{source: string}} resource */
export function itemOf({ source }) {
    return source.split(separator).at(-1) ?? source;
}

/** The resources of a row; of a playlist its text and parts. @param {Resource | Playlist} row @returns {Resource[]} */
export function resourcesOf(row) {
    if (!("parts" in row)) return [row];
    return row.own ? [row.own, ...row.parts] : row.parts;
}

/**
 * The playlists that have parts in the cache.
 *
 * @param {Iterable<Resource>} resources
 * @returns {Map<string, Playlist>} by their own identifiers, and by those of their resources
 */
export function playlistsOf(resources) {
    /** @type {Map<string, {own: Resource | null, parts: Resource[]}>} by source and account */
    const groups = new Map();
    for (const resource of resources) {
        const [source, item] = resource.source.split(separator, 2);
        const key = source + separator + resource.account;
        const group = groups.get(key) ?? { own: null, parts: [] };
        if (item === undefined) group.own ??= resource;
        else group.parts.push(resource);
        groups.set(key, group);
    }
    const found = new Map();
    for (const { own, parts } of groups.values()) {
        if (parts.length === 0) continue;
        parts.sort((one, other) => collator.compare(one.source, other.source));
        const playlist = joined(own, parts);
        for (const { id } of [playlist, ...resourcesOf(playlist)]) found.set(id, playlist);
    }
    return found;
}

/**
 * A playlist with the sums of its resources.
 *
 * @param {Resource | null} own
 * @param {Resource[]} parts at least one
 * @returns {Playlist}
 */
export function joined(own, parts) {
    const all = own ? [own, ...parts] : parts;
    const [source] = parts[0].source.split(separator, 1);
    const { account } = parts[0];
    const latest = all.reduce((one, other) => (other.usedTime > one.usedTime ? other : one));
    return {
        // Attributes that refer to elements cannot contain spaces.
        id: encodeURIComponent(source + separator + account),
        name: own?.name ?? null,
        source,
        account,
        length: null,
        held: all.reduce((sum, { held }) => sum + held, 0),
        type: own?.type ?? null,
        generation: own?.generation ?? "",
        pinned: all.some(({ pinned }) => pinned),
        used: latest.used,
        created: all.reduce((one, { created }) => (created < one ? created : one), all[0].created),
        open: all.some(({ open }) => open),
        pieces: null,
        usedTime: latest.usedTime,
        own,
        parts,
    };
}

/**
 * A playlist with the bytes, readers and fetches of its resources. Their bytes follow one another: those of the text,
 * then those of each part, in the order of their names.
 *
 * @param {Playlist} playlist
 * @param {(id: string) => Reader[]} readersOf
 * @param {(id: string) => Fetch[]} fetchesOf
 * @returns {{resource: Playlist, readers: Reader[], fetches: Fetch[]}}
 */
export function laidOut(playlist, readersOf, fetchesOf) {
    /** @type {Pieces} */
    const pieces = { held: [], verified: [], bad: [] };
    /** @type {Reader[]} */
    const readers = [];
    /** @type {Fetch[]} */
    const fetches = [];
    let start = 0;
    for (const resource of resourcesOf(playlist)) {
        const own = { readers: readersOf(resource.id), fetches: fetchesOf(resource.id) };
        const length = extent(resource, own.readers, own.fetches);
        for (const key of /** @type {const} */ (["held", "verified", "bad"])) {
            for (const [from, to] of knownPieces(resource)[key]) pieces[key].push([start + from, start + to]);
        }
        for (const reader of own.readers) {
            const { from, at, to } = reader;
            readers.push({ ...reader, from: start + from, at: start + at, to: start + (to ?? length) });
        }
        for (const fetch of own.fetches) {
            const at = fetch.at === null ? null : start + fetch.at;
            fetches.push({ ...fetch, at, to: start + (fetch.to ?? length) });
        }
        start += length;
    }
    return { resource: { ...playlist, length: start, pieces }, readers, fetches };
}

/** Before Weir looks up the pieces, only those of a whole resource are known. @param {Resource} resource */
function knownPieces({ pieces, held, length }) {
    /** @type {Range[]} */
    const whole = held > 0 && held === length ? [[0, held]] : [];
    return pieces ?? { held: whole, verified: [], bad: [] };
}
