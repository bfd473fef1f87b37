// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { ownURL } from "./actions.js";
import { byID, element, setAttribute, setCutText, setText } from "./element.js";
import { readable, visible } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Place} Place */

/** The served places: their addresses for players, with buttons to play a file and to copy an address. */
export class Places {
    #model;
    #section = byID("places-section");
    #list = byID("places");
    #note = byID("places-note");

    /** @param {Model} model @param {(place: Place) => void} play */
    constructor(model, play) {
        this.#model = model;
        this.#list.addEventListener("click", (event) => {
            const button = event.target instanceof Element ? event.target.closest("button") : null;
            const index = [...this.#list.children].findIndex((item) => item.contains(button));
            if (!button) return;
            if (button.dataset.does === "play") play(model.places[index]);
            else void this.#copy(model.places[index]);
        });
    }

    /** @param {Changes} changes */
    update(changes) {
        if (!changes.members.has("places")) return;
        const { places } = this.#model;
        this.#section.hidden = places.length === 0;
        this.#list.replaceChildren(...places.map(made));
        setText(this.#note, "");
    }

    /** @param {Place} place */
    async #copy(place) {
        const isCopied = await navigator.clipboard?.writeText(ownURL(place.url)).then(() => true, () => false);
        setText(this.#note, isCopied
            ? `The address of ${visible(place.name)} was copied: open it in a player.`
            : "The browser does not allow the page to copy; copy the link instead.");
    }
}

/** @param {Place} place */
function made(place) {
    const name = visible(place.name);
    const isFolder = place.url.endsWith("/");
    const heading = element("div", { class: "item-heading" });
    const link = element("a", { href: ownURL(place.url), target: "_blank", rel: "noopener" });
    setCutText(link, readable(place.source));
    setAttribute(link, "dir", "auto");
    heading.append(link);
    if (!isFolder) {
        heading.append(element("button", { type: "button", "data-does": "play", "aria-label": `Play ${name}` }, "Play"));
    }
    heading.append(
        element("button", { type: "button", "data-does": "copy", "aria-label": `Copy the address of ${name}` }, "Copy address"),
    );
    const item = element("li", {}, heading);
    if (!isFolder) return item;
    const list = element("a", { href: ownURL(`${place.url}?m3u`) }, "playlist");
    item.append(element("p", { class: "quiet" }, "A folder: append a file's path to its address, or open its ", list, " in a player."));
    return item;
}
