// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element, setAttribute, setCutText, setText } from "./element.js";
import { bytes } from "./format.js";
import { title } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Fetch} Fetch */

/** The most fetches that are listed; Weir runs sixteen to a host. */
const listed = 50;

/** The reasons for a fetch. @type {Record<string, string>} */
const reasons = { reader: "for a reader", filling: "to fetch the missing bytes", download: "for a download" };

/** The running requests to origins. */
export class Fetches {
    #model;
    #list = byID("fetches");
    #empty = byID("fetches-empty");

    /** @param {Model} model @param {(id: string) => void} choose opens a resource */
    constructor(model, choose) {
        this.#model = model;
        this.#list.addEventListener("click", (event) => {
            const button = event.target instanceof Element ? event.target.closest("button") : null;
            if (button?.dataset.id) choose(button.dataset.id);
        });
    }

    /** @param {Changes} changes */
    update(changes) {
        if (!changes.members.has("fetches")) return;
        const fetches = this.#model.fetches.slice(0, listed);
        while (this.#list.children.length > fetches.length) this.#list.lastElementChild?.remove();
        while (this.#list.children.length < fetches.length) this.#list.append(made());
        for (const [index, fetch] of fetches.entries()) this.#show(this.#list.children[index], fetch);
        const rest = this.#model.fetches.length - fetches.length;
        setText(this.#empty, fetches.length ? (rest ? `and ${rest} more` : "") : "No fetches are running.");
    }

    /** @param {Element} item @param {Fetch} fetch */
    #show(item, fetch) {
        const resource = this.#model.resources.get(fetch.resource);
        const parts = /** @type {HTMLElement[]} */ ([...item.querySelectorAll("[data-part]")]);
        const [button, state, progress, text] = parts;
        setCutText(button, resource ? title(resource) : "a resource that is not listed");
        setAttribute(button, "data-id", fetch.resource);
        setText(state, fetch.state);
        const end = fetch.to ?? resource?.length ?? null;
        const place = fetch.at === null ? "at the end" : `at ${bytes(fetch.at)}, to ${end === null ? "the end" : bytes(end)}`;
        setText(text, `${reasons[fetch.reason] ?? fetch.reason}; ${place}`);
        const share = end === null || end <= 0 || fetch.at === null ? 0 : fetch.at / end;
        progress.style.transform = `scaleX(${Math.min(1, Math.max(0, share))})`;
    }
}

function made() {
    const button = element("button", { type: "button", class: "link", dir: "auto", "data-part": "" });
    const state = element("span", { class: "state", "data-part": "" });
    const fill = element("span", { class: "bar-fill", "data-part": "" });
    const text = element("p", { class: "quiet", "data-part": "" });
    const heading = element("div", { class: "item-heading" }, button, state);
    return element("li", {}, heading, element("span", { class: "bar", "aria-hidden": "true" }, fill), text);
}
