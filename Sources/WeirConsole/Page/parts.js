// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element, setAttribute, setCutText, setText } from "./element.js";
import { count } from "./format.js";
import { itemOf } from "./playlists.js";
import { size } from "./row.js";
import { readable, title } from "./text.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./playlists.js").Playlist} Playlist */

/** The most parts that are listed; a film of two hours has some 3,600. */
const listed = 200;

/** The parts of the opened playlist, or the playlist of the opened part. */
export class Parts {
    #section = byID("parts-section");
    #title = byID("parts-title");
    #list = byID("parts");
    #rest = byID("parts-rest");

    /** @param {(id: string) => void} choose opens a resource */
    constructor(choose) {
        this.#list.addEventListener("click", (event) => {
            const button = event.target instanceof Element ? event.target.closest("button") : null;
            if (button?.dataset.id) choose(button.dataset.id);
        });
    }

    /** @param {Resource | Playlist} opened @param {Playlist | undefined} playlist of the opened part */
    show(opened, playlist) {
        const parts = "parts" in opened ? opened.parts : [];
        const items = playlist ? [playlist] : parts.slice(0, listed);
        this.#section.hidden = items.length === 0;
        setText(this.#title, playlist ? "Playlist" : "Parts");
        while (this.#list.children.length > items.length) this.#list.lastElementChild?.remove();
        while (this.#list.children.length < items.length) this.#list.append(made());
        for (const [index, item] of items.entries()) {
            const [button, held] = /** @type {HTMLElement[]} */ ([...this.#list.children[index].children]);
            setCutText(button, playlist ? title(item) : readable(itemOf(item)));
            setAttribute(button, "data-id", item.id);
            setText(held, size(item));
        }
        const rest = parts.length - items.length;
        setText(this.#rest, rest > 0 ? `and ${count(rest)} more` : "");
    }
}

function made() {
    const button = element("button", { type: "button", class: "link", dir: "auto" });
    return element("li", { class: "item-heading" }, button, element("span", { class: "quiet" }));
}
