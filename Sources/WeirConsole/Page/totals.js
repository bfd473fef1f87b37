// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element, setAttribute, setText } from "./element.js";
import { bytes, count, percent, span } from "./format.js";
import { visible } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */

/**
 * The counters, in the order of the page, with their labels and formats.
 *
 * @type {[string, string, (number: number) => string][]}
 */
const rows = [
    ["requests", "Requests", count],
    ["served", "Served", bytes],
    ["failures", "Failed", count],
    ["refused", "Refused", count],
    ["origin", "Fetched", bytes],
    ["originRequests", "Origin requests", count],
    ["retries", "Retries", count],
    ["evictions", "Evicted", count],
    ["reconnects", "Reconnects", count],
    ["underruns", "Ran dry", count],
];

/** The cache's size and limits, and the counters since the server started. */
export class Totals {
    #model;
    #used = byID("disk-used");
    #of = byID("disk-of");
    #meter = byID("disk-meter");
    #change = byID("change-limits");
    #fill = byID("disk-fill");
    #details = byID("disk-details");
    #trouble = byID("trouble");
    /** @type {Map<string, HTMLElement>} */
    #values = new Map();

    /** @param {Model} model */
    constructor(model) {
        this.#model = model;
        for (const [key, name] of rows) {
            const value = element("dd");
            this.#values.set(key, value);
            byID("counts").append(element("div", {}, element("dt", {}, name), value));
        }
    }

    /** @param {Changes} changes */
    update(changes) {
        if (changes.members.has("cache")) this.#showCache();
        if (!changes.members.has("counts")) return;
        for (const [key, , write] of rows) {
            const value = this.#values.get(key);
            if (value) setText(value, write(this.#model.counts[key] ?? 0));
        }
    }

    #showCache() {
        const { cache } = this.#model;
        const limit = cache.limits.bytes;
        // If another process owns the cache, neither the free space nor the limits are known.
        const isKnown = cache.free !== null;
        // Without a limit, the cache can fill the disk.
        const most = limit ?? cache.bytes + (cache.free ?? 0);
        setText(this.#used, bytes(cache.bytes));
        setText(this.#of, limit === null ? (isKnown ? "without a limit" : "") : `of ${bytes(limit)}`);
        this.#meter.hidden = !isKnown;
        this.#change.hidden = !isKnown;
        const share = most > 0 ? Math.min(1, cache.bytes / most) : 0;
        setAttribute(this.#meter, "aria-valuenow", String(Math.round(share * 100)));
        const whole = limit === null ? "the room on the disk" : "the limit";
        setAttribute(this.#meter, "aria-valuetext", `${percent(cache.bytes, most)} of ${whole}`);
        this.#fill.style.transform = `scaleX(${share})`;
        setText(this.#details, details(cache));
        setText(this.#trouble, cache.trouble ? visible(cache.trouble) : "");
        this.#trouble.hidden = !cache.trouble;
    }
}

/** @param {import("./model.js").Cache} cache */
function details({ free, limits }) {
    const parts = free === null ? [] : [`${bytes(free)} free on the disk`];
    if (limits.reserve !== null) parts.push(`at least ${bytes(limits.reserve)} stay free`);
    if (limits.resources !== null) parts.push(`${count(limits.resources)} resources at most`);
    if (limits.age !== null) parts.push(`resources unused for ${span(limits.age)} are deleted`);
    return parts.join("; ");
}
