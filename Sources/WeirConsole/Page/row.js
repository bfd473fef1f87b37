// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { describe } from "./description.js";
import { element, setAttribute, setCutText, setText, setTime } from "./element.js";
import { bytes, percent } from "./format.js";
import { drawStrip } from "./strip.js";
import { readable, title } from "./text.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Model} Model */

/** One resource in the list. */
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
     * @param {Resource} resource
     * @param {Model} model
     * @param {{width: number, height: number}} strip the strip's size in CSS pixels
     */
    show(resource, model, strip) {
        const readers = model.readersOf(resource.id);
        setCutText(this.#name, title(resource));
        setCutText(this.#source, readable(resource.source));
        setText(this.#marks, marks(resource));
        setText(this.#size, size(resource));
        setAttribute(this.#strip, "aria-label", describe(resource, readers));
        drawStrip(this.#strip, strip, resource, readers, model.fetchesOf(resource.id));
        this.tick(resource, Date.now());
    }

    /** Updates the relative time. @param {Resource} resource @param {number} now */
    tick(resource, now) {
        setTime(this.#used, resource.used, now);
    }
}

/** @param {Resource} resource */
function marks(resource) {
    const words = [];
    if (resource.pinned) words.push("pinned");
    if (resource.open) words.push("open");
    return words.join(", ");
}

/** @param {Resource} resource */
function size({ held, length }) {
    if (length === null) return `${bytes(held)} held`;
    return held === length ? bytes(length) : `${percent(held, length)} of ${bytes(length)}`;
}
