// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The page's copy of the server's state, with all later changes. Pure: no clock, no document, no connection.

import { joined, laidOut, playlistsOf } from "./playlists.js";

/** @typedef {import("./ranges.js").Range} Range */
/** @typedef {import("./playlists.js").Playlist} Playlist */
/** @typedef {{held: Range[], verified: Range[], bad: Range[]}} Pieces */
/**
 * @typedef {{id: string, name: string | null, source: string, account: string, length: number | null, held: number,
 *   type: string | null, generation: string, pinned: boolean, used: string, created: string, open: boolean,
 *   pieces: Pieces | null, usedTime: number}} Resource `usedTime` is `used` in milliseconds since 1970
 */
/**
 * @typedef {{name: string, state: string, reason: string | null, title: string | null, type: string | null,
 *   buffered: number, timeShift: number, listeners: number, reconnects: number, url: string}} Station
 */
/** @typedef {{name: string, source: string, url: string}} Place a folder's URL ends with a slash */
/** @typedef {{resource: string | null, station: string | null, from: number, at: number, to: number | null}} Reader */
/** @typedef {{resource: string, at: number | null, to: number | null, state: string, reason: string}} Fetch */
/**
 * @typedef {{number: number, time: string, kind: string, subject: string | null, text: string,
 *   isTrouble: boolean}} Event
 */
/** @typedef {{bytes: number | null, resources: number | null, age: number | null, reserve: number | null}} Limits */
/** @typedef {{bytes: number, resources: number, free: number | null, limits: Limits, trouble: string | null}} Cache */

/** The limits of kept seconds of traffic, and of kept events. */
export const trafficLimit = 300;
export const eventLimit = 200;

/** The members that a message contains as a whole. */
const wholes = /** @type {const} */ (["cache", "places", "stations", "readers", "fetches", "counts"]);

/** A change does not follow the last one: the page has missed a message. */
export class OutOfSequence extends Error {}

/** The changes from one or more messages. */
export class Changes {
    /** Names of members of the model. @type {Set<string>} */
    members = new Set();
    /** Resources and playlists to draw again: they, their readers or their fetches changed. @type {Set<string>} */
    resources = new Set();
    /** Whether resources were added or removed. */
    membership = false;
    /** Changed members of resources, such as `used`, by which lists may be ordered. @type {Set<string>} */
    keys = new Set();
    /** The new events, the oldest first; without those of a state. @type {Event[]} */
    events = [];

    /** @param {Changes} other */
    add(other) {
        other.members.forEach((member) => this.members.add(member));
        other.resources.forEach((id) => this.resources.add(id));
        other.keys.forEach((key) => this.keys.add(key));
        this.membership ||= other.membership;
        this.events = [...this.events, ...other.events].slice(-eventLimit);
    }
}

export class Model {
    /** The sequence of the last message; −1 before the first. */
    sequence = -1;
    server = { version: "", started: "" };
    /** @type {Cache} */
    cache = {
        bytes: 0,
        resources: 0,
        free: 0,
        limits: { bytes: null, resources: null, age: null, reserve: null },
        trouble: null,
    };
    /** @type {Map<string, Resource>} */
    resources = new Map();
    /** @type {Place[]} */
    places = [];
    /** @type {Station[]} */
    stations = [];
    /** @type {Reader[]} */
    readers = [];
    /** @type {Fetch[]} */
    fetches = [];
    /** @type {[number, number][]} bytes from origins, and to players, of each second, the oldest first */
    traffic = [];
    /** @type {Event[]} the oldest first */
    events = [];
    /** @type {Record<string, number>} */
    counts = {};
    /** @type {Map<string, Reader[]>} by resource */
    #readersOf = new Map();
    /** @type {Map<string, Fetch[]>} by resource */
    #fetchesOf = new Map();
    /** @type {Map<string, Playlist>} by the playlist, and by each of its resources */
    #playlists = new Map();

    /** The rows of lists: playlists with their parts, and all other resources. @returns {(Resource | Playlist)[]} */
    get rows() {
        const others = [...this.resources.values()].filter(({ id }) => !this.#playlists.has(id));
        return [...new Set(this.#playlists.values()), ...others];
    }

    /**
     * A row, or a part of a playlist. The text of a playlist has the row of the playlist.
     *
     * @param {string} id
     * @returns {Resource | Playlist | undefined}
     */
    row(id) {
        return (this.playlistOf(id) ? undefined : this.#playlists.get(id)) ?? this.resources.get(id);
    }

    /** The playlist of a part. @param {string} id @returns {Playlist | undefined} */
    playlistOf(id) {
        const playlist = this.#playlists.get(id);
        return playlist?.id === id || playlist?.own?.id === id ? undefined : playlist;
    }

    /**
     * A row as maps show it, with its readers and fetches: all bytes of a playlist follow one another.
     *
     * @param {Resource | Playlist} row
     * @returns {{resource: Resource | Playlist, readers: Reader[], fetches: Fetch[]}}
     */
    layOut(row) {
        if ("parts" in row) return laidOut(row, (id) => this.readersOf(id), (id) => this.fetchesOf(id));
        return { resource: row, readers: this.readersOf(row.id), fetches: this.fetchesOf(row.id) };
    }

    /** @param {string} id @returns {Reader[]} */
    readersOf(id) {
        return this.#readersOf.get(id) ?? [];
    }

    /** @param {string} id @returns {Fetch[]} */
    fetchesOf(id) {
        return this.#fetchesOf.get(id) ?? [];
    }

    /**
     * Applies a message from the server: a state, which replaces everything, or a change.
     *
     * It ignores a message of another type.
     *
     * @param {any} message
     * @returns {Changes}
     * @throws {OutOfSequence} if a change does not follow the last message; the model is then unchanged
     */
    apply(message) {
        const changes = new Changes();
        if (message.type === "state") {
            this.#replace(message, changes);
        } else if (message.type === "change") {
            if (message.sequence !== this.sequence + 1) {
                throw new OutOfSequence(`Change ${message.sequence} came after ${this.sequence}.`);
            }
            this.#change(message, changes);
        } else {
            return changes;
        }
        this.#join(changes);
        this.sequence = message.sequence;
        return changes;
    }

    /** @param {any} state @param {Changes} changes */
    #replace(state, changes) {
        this.server = state.server;
        for (const id of this.resources.keys()) changes.resources.add(id);
        this.resources.clear();
        for (const resource of state.resources) this.#put(resource, changes);
        this.#takeWhole(state, changes);
        this.traffic = state.traffic.slice(-trafficLimit);
        this.events = state.events.slice(-eventLimit);
        changes.membership = true;
        for (const member of ["server", "resources", "traffic", "events"]) changes.members.add(member);
    }

    /** @param {any} change @param {Changes} changes */
    #change(change, changes) {
        for (const resource of change.resources ?? []) this.#put(resource, changes);
        for (const id of change.removed ?? []) {
            if (!this.resources.delete(id)) continue;
            changes.resources.add(id);
            changes.membership = true;
        }
        this.#takeWhole(change, changes);
        if (change.traffic?.length) {
            this.traffic = [...this.traffic, ...change.traffic].slice(-trafficLimit);
            changes.members.add("traffic");
        }
        if (change.events?.length) {
            this.events = [...this.events, ...change.events].slice(-eventLimit);
            changes.events = change.events.slice(-eventLimit);
            changes.members.add("events");
        }
        if (changes.resources.size) changes.members.add("resources");
    }

    /** Brings the playlists of changed resources up to date. @param {Changes} changes */
    #join(changes) {
        const before = this.#playlists;
        if (changes.membership) this.#playlists = playlistsOf(this.resources.values());
        const changed = [...changes.resources].flatMap((id) => [before.get(id), this.#playlists.get(id)]);
        for (const playlist of new Set(changed)) {
            if (!playlist) continue;
            if (!changes.membership) Object.assign(playlist, joined(playlist.own, playlist.parts));
            changes.resources.add(playlist.id);
        }
    }

    /**
     * Adds a resource, or updates the given members of one.
     *
     * @param {Partial<Resource> & {id: string}} part
     * @param {Changes} changes
     */
    #put(part, changes) {
        const known = this.resources.get(part.id);
        // A change may have a part of a resource that the server does not list; the page cannot show it.
        if (!known && part.source === undefined) return;
        const resource = /** @type {Resource} */ (Object.assign(known ?? {}, part));
        if (part.used !== undefined) resource.usedTime = Date.parse(part.used) || 0;
        for (const key of Object.keys(part)) changes.keys.add(key);
        if (!known) {
            this.resources.set(part.id, resource);
            changes.membership = true;
        }
        changes.resources.add(part.id);
    }

    /** @param {any} message @param {Changes} changes */
    #takeWhole(message, changes) {
        for (const member of wholes) {
            if (message[member] === undefined) continue;
            Object.assign(this, { [member]: message[member] });
            changes.members.add(member);
        }
        if (message.readers) this.#readersOf = grouped(this.readers, this.#readersOf, changes);
        if (message.fetches) this.#fetchesOf = grouped(this.fetches, this.#fetchesOf, changes);
    }
}

/**
 * Groups a list by resource, and marks the resources of the new list and of the old one as changed.
 *
 * @template {{resource: string | null}} Item
 * @param {Item[]} list
 * @param {Map<string, Item[]>} before
 * @param {Changes} changes
 * @returns {Map<string, Item[]>}
 */
function grouped(list, before, changes) {
    /** @type {Map<string, Item[]>} */
    const groups = new Map();
    for (const item of list) {
        if (item.resource === null) continue;
        const group = groups.get(item.resource);
        if (group) group.push(item);
        else groups.set(item.resource, [item]);
    }
    for (const id of [...before.keys(), ...groups.keys()]) changes.resources.add(id);
    return groups;
}
