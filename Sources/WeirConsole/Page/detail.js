// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { bringIntoView, byID, element, setAttribute, setCutText, setText, setTime } from "./element.js";
import { describeInFull } from "./description.js";
import { bytes, exactBytes, percent } from "./format.js";
import { drawSoon } from "./frames.js";
import { watchPalette } from "./palette.js";
import { PieceMap } from "./piece-map.js";
import { isWhole } from "./resource-actions.js";
import { title, visible } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Resource} Resource */

const factNames = [
    "Held", "Length", "Type", "Last used", "First seen", "Pinned", "Account", "Generation", "Source", "Identifier",
];

/** The opened resource: its map, its facts and its actions. */
export class Detail {
    #model;
    #closed;
    #section = byID("detail");
    #heading = byID("detail-title");
    #map = new PieceMap(() => drawSoon(this.#draw));
    /** @type {Map<string, HTMLElement>} */
    #facts = new Map();
    #times = { used: element("time"), created: element("time") };
    #id = "";
    #draw = () => this.#drawAll();

    /** @param {Model} model @param {() => void} closed is called when no resource is opened any more */
    constructor(model, closed) {
        this.#model = model;
        this.#closed = closed;
        for (const name of factNames) {
            const value = element("dd", { dir: "auto" });
            this.#facts.set(name, value);
            byID("facts").append(element("div", {}, element("dt", {}, name), value));
        }
        this.#facts.get("Last used")?.append(this.#times.used);
        this.#facts.get("First seen")?.append(this.#times.created);
        byID("detail-close").addEventListener("click", () => this.close());
        this.#section.addEventListener("keydown", (event) => {
            if (event.key === "Escape") this.close();
        });
        watchPalette(() => {
            this.#map.reset();
            drawSoon(this.#draw);
        });
    }

    /** The identifier of the opened resource, empty for none. */
    get id() {
        return this.#id;
    }

    /** @param {string} id */
    open(id) {
        if (!this.#model.resources.has(id)) return;
        this.#id = id;
        this.#map.reset();
        this.#section.hidden = false;
        this.#drawAll();
        this.#heading.focus({ preventScroll: true });
        bringIntoView(this.#section);
    }

    close() {
        if (!this.#id) return;
        this.#id = "";
        this.#section.hidden = true;
        this.#closed();
    }

    /** @param {Changes} changes */
    update(changes) {
        if (!this.#id) return;
        if (!this.#model.resources.has(this.#id)) this.close();
        else if (changes.resources.has(this.#id)) drawSoon(this.#draw);
    }

    /** Brings relative times up to date. @param {number} now */
    tick(now) {
        const resource = this.#model.resources.get(this.#id);
        if (!resource) return;
        setTime(this.#times.used, resource.used, now);
        setTime(this.#times.created, resource.created, now);
    }

    #drawAll() {
        const resource = this.#model.resources.get(this.#id);
        if (!resource) return;
        const readers = this.#model.readersOf(this.#id);
        const fetches = this.#model.fetchesOf(this.#id);
        setCutText(this.#heading, title(resource));
        setText(byID("detail-summary"), `${describeInFull(resource, readers, fetches)}.`);
        setText(byID("pin"), resource.pinned ? "Unpin" : "Pin");
        setText(byID("export"), isWhole(resource) ? "Export" : "Fetch the rest");
        this.#showFacts(resource);
        this.#map.draw(resource, readers, fetches);
    }

    /** @param {Resource} resource */
    #showFacts(resource) {
        const { held, length } = resource;
        const values = {
            Held: length === null ? exactBytes(held) : `${bytes(held)}, ${percent(held, length)}`,
            Length: length === null ? "not known" : exactBytes(length),
            Type: resource.type ? visible(resource.type) : "not known",
            Pinned: resource.pinned ? "yes: no limit deletes it" : "no",
            Account: visible(resource.account) || "none",
            Generation: visible(resource.generation),
            Source: visible(resource.source),
            Identifier: visible(resource.id),
        };
        for (const [name, value] of Object.entries(values)) {
            const fact = this.#facts.get(name);
            if (fact) setText(fact, value);
        }
        setAttribute(this.#section, "data-id", resource.id);
        this.tick(Date.now());
    }
}
