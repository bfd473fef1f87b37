// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element, setText, setTime } from "./element.js";
import { visible } from "./text.js";
import { eventLimit } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */
/** @typedef {import("./model.js").Event} Event */

/** The list of events, the newest first. A new event is inserted before the others; their elements stay. */
export class Events {
    #model;
    #list = byID("events");
    #empty = byID("events-empty");
    #isOnlyTrouble = /** @type {HTMLInputElement} */ (byID("only-trouble"));

    /** @param {Model} model */
    constructor(model) {
        this.#model = model;
        this.#isOnlyTrouble.addEventListener("change", () => {
            this.#list.classList.toggle("only-trouble", this.#isOnlyTrouble.checked);
        });
    }

    /** @param {Changes} changes */
    update(changes) {
        if (!changes.members.has("events")) return;
        const isNew = changes.members.has("server");
        if (isNew) this.#list.replaceChildren();
        const events = isNew ? this.#model.events : changes.events;
        const now = Date.now();
        this.#list.prepend(...events.map((event) => made(event, now)).reverse());
        while (this.#list.children.length > eventLimit) this.#list.lastElementChild?.remove();
        setText(this.#empty, this.#list.children.length ? "" : "Nothing has happened yet.");
    }

    /** Updates relative times. @param {number} now */
    tick(now) {
        for (const time of this.#list.querySelectorAll("time")) setTime(time, time.dateTime, now);
    }
}

/** @param {Event} event @param {number} now */
function made(event, now) {
    const time = element("time");
    setTime(time, event.time, now);
    const item = element("li", event.isTrouble ? { class: "is-trouble" } : {});
    const heading = element("p", { class: "event-heading" }, time);
    if (event.isTrouble) heading.append(element("strong", {}, "Trouble"));
    if (event.subject) {
        const subject = visible(event.subject);
        heading.append(element("bdi", { title: subject }, subject));
    }
    item.append(heading, element("p", { class: "event-text", dir: "auto" }, visible(event.text)));
    return item;
}
