// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { describe } from "./description.js";
import { element, setAttribute, setCutText, setText, setTime } from "./element.js";
import { bytes, counted, percent } from "./format.js";
import { drawStrip } from "./strip.js";
import { readable, title } from "./text.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./playlists.js").Playlist} Playlist */

/** One resource, or one playlist with its parts, in the list. */
export class Row {
    element;
    button = element("button", { type: "button", "aria-controls": "detail", tabindex: "-1" });
    #name = element("bdi");
    #source = element("bdi");
    #marks = element("span", { class: "row-marks" });
    #strip = element("canvas", { role: "img", class: "row-strip" });
    #size = element("span", { class: "row-size" });
    #used = element("time");

    /** @param {string} id of the resource */
    constructor(id) {
        this.#strip.id = `strip-${id}`;
        this.button.append(this.#name);
        this.button.setAttribute("aria-describedby", this.#strip.id);
        const heading = element("span", { class: "row-name" }, this.button, this.#marks);
        const source = element("span", { class: "row-source" }, this.#source);
        const used = element("span", { class: "row-used" }, this.#used);
        this.element = element("li", { class: "row", "data-id": id }, heading, source, this.#strip, this.#size, used);
    }

    /**
     * Sets the row's place, and the number of all rows.
     *
     * @param {number} index
     * @param {number} count
     * @param {number} height of a row, in CSS pixels
     */
    place(index, count, height) {
        setAttribute(this.element, "aria-posinset", String(index + 1));
        setAttribute(this.element, "aria-setsize", String(count));
        const transform = `translateY(${index * height}px)`;
        if (this.element.style.transform !== transform) this.element.style.transform = transform;
    }

    /**
     * Shows a resource as it is now.
     *
     * @param {Resource | Playlist} resource
     * @param {Model} model
     * @param {{width: number, height: number}} strip the strip's size in CSS pixels
     */
    show(resource, model, strip) {
        const map = model.layOut(resource);
        setCutText(this.#name, title(resource));
        setCutText(this.#source, readable(resource.source));
        setText(this.#marks, marks(resource, map.fetches.some(({ state }) => state !== "lingering")));
        setText(this.#size, size(resource));
        setAttribute(this.#strip, "aria-label", describe(map.resource, map.readers));
        drawStrip(this.#strip, strip, map.resource, map.readers, map.fetches);
        this.tick(resource, Date.now());
    }

    /** Updates the relative time. @param {Resource} resource @param {number} now */
    tick(resource, now) {
        setTime(this.#used, resource.used, now);
    }
}

/** @param {Resource | Playlist} resource @param {boolean} isFetched whether bytes are being fetched */
function marks(resource, isFetched) {
    const isPlaylist = "parts" in resource;
    const words = isPlaylist ? [counted(resource.parts.length, "part")] : [];
    // The strip of a playlist may be too short to show the fetch of a part.
    if (isPlaylist && isFetched) words.push("being fetched");
    if (resource.pinned) words.push("pinned");
    if (resource.open) words.push("open");
    return words.join(", ");
}

/** How much is held: `12.4 MB`, `62 % of 12.4 MB`, `12.4 MB held`. @param {Resource} resource */
export function size({ held, length }) {
    if (length === null) return `${bytes(held)} held`;
    return held === length ? bytes(length) : `${percent(held, length)} of ${bytes(length)}`;
}
