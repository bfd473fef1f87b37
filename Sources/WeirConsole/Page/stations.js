// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element, setCutText, setText } from "./element.js";
import { counted, span } from "./format.js";
import { visible } from "./text.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Station} Station */

/** @type {Record<string, string>} */
const stateNames = { idle: "idle", connecting: "connecting", live: "live", waiting: "waits", ended: "ended" };

/** The radio stations, each with a button that plays it. */
export class Stations {
    #model;
    #section = byID("stations-section");
    #list = byID("stations");

    /** @param {Model} model @param {(station: Station) => void} play */
    constructor(model, play) {
        this.#model = model;
        this.#list.addEventListener("click", (event) => {
            const button = event.target instanceof Element ? event.target.closest("button") : null;
            const index = [...this.#list.children].findIndex((item) => item.contains(button));
            if (button) play(model.stations[index]);
        });
    }

    /** @param {Changes} changes */
    update(changes) {
        if (!changes.members.has("stations")) return;
        const { stations } = this.#model;
        this.#section.hidden = stations.length === 0;
        while (this.#list.children.length > stations.length) this.#list.lastElementChild?.remove();
        while (this.#list.children.length < stations.length) this.#list.append(made());
        for (const [index, station] of stations.entries()) show(this.#list.children[index], station);
    }
}

/** @param {Element} item @param {Station} station */
function show(item, station) {
    const elements = /** @type {HTMLElement[]} */ ([...item.querySelectorAll("[data-part]")]);
    const [name, state, button, reason, playing, fill, text] = elements;
    setCutText(name, visible(station.name));
    setText(state, stateNames[station.state] ?? station.state);
    state.classList.toggle("is-live", station.state === "live");
    button.setAttribute("aria-label", `Play ${visible(station.name)}`);
    setText(reason, station.reason ? visible(station.reason) : "");
    setCutText(playing, station.title ? visible(station.title) : "");
    const share = station.timeShift > 0 ? Math.min(1, station.buffered / station.timeShift) : 0;
    fill.style.transform = `scaleX(${share})`;
    const parts = [`${span(station.buffered)} of ${span(station.timeShift)} kept behind the live end`];
    if (station.listeners) parts.push(counted(station.listeners, "listener"));
    if (station.reconnects) parts.push(counted(station.reconnects, "reconnect"));
    setText(text, parts.join("; "));
}

function made() {
    const name = element("bdi", { class: "item-name", "data-part": "" });
    const state = element("span", { class: "state", "data-part": "" });
    const button = element("button", { type: "button", "data-part": "" }, "Play");
    const reason = element("p", { class: "station-reason", dir: "auto", "data-part": "" });
    const playing = element("p", { class: "station-title", dir: "auto", "data-part": "" });
    const fill = element("span", { class: "bar-fill", "data-part": "" });
    const text = element("p", { class: "quiet", "data-part": "" });
    const heading = element("div", { class: "item-heading" }, name, state, button);
    const bar = element("span", { class: "bar", "aria-hidden": "true" }, fill);
    return element("li", {}, heading, reason, playing, bar, text);
}
