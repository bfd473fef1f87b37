// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { bringIntoView, byID, element, setAttribute, setCutText, setText, setTime } from "./element.js";
import { describeInFull } from "./description.js";
import { bytes, count, exactBytes, percent } from "./format.js";
import { drawSoon } from "./frames.js";
import { watchPalette } from "./palette.js";
import { Parts } from "./parts.js";
import { PieceMap } from "./piece-map.js";
import { resourcesOf } from "./playlists.js";
import { isWhole } from "./resource-actions.js";
import { title, visible } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./playlists.js").Playlist} Playlist */

const factNames = [
    "Held", "Length", "Type", "Last used", "First seen", "Pinned", "Account", "Generation", "Source", "Identifier",
];

/** The opened resource or playlist: its map, its parts, its facts and its actions. */
export class Detail {
    #model;
    #closed;
    #parts;
    #section = byID("detail");
    #heading = byID("detail-title");
    #map = new PieceMap(() => drawSoon(this.#draw));
    /** @type {Map<string, HTMLElement>} */
    #facts = new Map();
    #times = { used: element("time"), created: element("time") };
    #id = "";
    #draw = () => this.#drawAll();

    /**
     * @param {Model} model
     * @param {() => void} closed is called when no resource is opened any more
     * @param {(id: string) => void} choose opens another resource
     */
    constructor(model, closed, choose) {
        this.#model = model;
        this.#closed = closed;
        this.#parts = new Parts(choose);
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
        const resource = this.#model.row(id);
        if (!resource) return;
        this.#id = resource.id;
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
        const resource = this.#model.row(this.#id);
        if (!resource) return this.close();
        // With its first part, the text of a playlist becomes one.
        this.#id = resource.id;
        if (changes.resources.has(this.#id)) drawSoon(this.#draw);
    }

    /** Brings relative times up to date. @param {number} now */
    tick(now) {
        const resource = this.#model.row(this.#id);
        if (!resource) return;
        setTime(this.#times.used, resource.used, now);
        setTime(this.#times.created, resource.created, now);
    }

    #drawAll() {
        const resource = this.#model.row(this.#id);
        if (!resource) return;
        const map = this.#model.layOut(resource);
        setCutText(this.#heading, title(resource));
        setText(byID("detail-summary"), `${describeInFull(map.resource, map.readers, map.fetches)}.`);
        setText(byID("pin"), resource.pinned ? "Unpin" : "Pin");
        setText(byID("export"), isWhole(resource) ? "Export" : "Fetch the rest");
        // The parts can be exported and verified one by one.
        const isPlaylist = "parts" in resource;
        byID("export").hidden = byID("verify").hidden = isPlaylist;
        byID("play").hidden = isPlaylist && !resource.own;
        this.#parts.show(resource, this.#model.playlistOf(this.#id));
        this.#showFacts(resource);
        this.#map.draw(map.resource, map.readers, map.fetches);
    }

    /** @param {Resource | Playlist} resource */
    #showFacts(resource) {
        const { held, length } = resource;
        const isPlaylist = "parts" in resource;
        const all = resourcesOf(resource);
        const pinned = all.filter((each) => each.pinned).length;
        const whichPinned = isPlaylist ? `${count(pinned)} of ${count(all.length)}` : "yes";
        const values = {
            Held: length === null ? exactBytes(held) : `${bytes(held)}, ${percent(held, length)}`,
            Length: isPlaylist ? "" : length === null ? "not known" : exactBytes(length),
            Type: resource.type ? visible(resource.type) : "not known",
            Pinned: pinned ? `${whichPinned}: no limit deletes it` : "no",
            Account: visible(resource.account) || "none",
            Generation: visible(resource.generation),
            Source: visible(resource.source),
            Identifier: isPlaylist ? (resource.own?.id ?? "") : visible(resource.id),
        };
        for (const [name, value] of Object.entries(values)) {
            const fact = this.#facts.get(name);
            if (!fact) continue;
            setText(fact, value);
            // A playlist has no length, and no generation and identifier without its text.
            if (fact.parentElement) fact.parentElement.hidden = value === "";
        }
        setAttribute(this.#section, "data-id", resource.id);
        this.tick(Date.now());
    }
}
