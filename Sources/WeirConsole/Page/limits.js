// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { ActionFailed } from "./actions.js";
import { confirmLoss } from "./dialogs.js";
import { byID, setAttribute, setText } from "./element.js";
import { forecast } from "./eviction.js";
import { bytes, counted } from "./format.js";
import { parseAge, parseSize, writeAge, writeSize } from "./quantities.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./actions.js").Actions} Actions */

/** The dialog that changes the cache's limits of size and age. */
export class LimitsDialog {
    #model;
    #actions;
    #dialog = /** @type {HTMLDialogElement} */ (byID("limits"));
    #form = /** @type {HTMLFormElement} */ (byID("limits-form"));
    #size = /** @type {HTMLInputElement} */ (byID("limit-size"));
    #age = /** @type {HTMLInputElement} */ (byID("limit-age"));
    #forecast = byID("limits-forecast");
    #message = byID("limits-message");

    /** @param {Model} model @param {Actions} actions */
    constructor(model, actions) {
        this.#model = model;
        this.#actions = actions;
        byID("change-limits").addEventListener("click", () => this.#open());
        byID("limits-cancel").addEventListener("click", () => this.#dialog.close());
        this.#form.addEventListener("input", () => this.#check());
        this.#form.addEventListener("submit", (event) => {
            event.preventDefault();
            void this.#submit();
        });
    }

    #open() {
        const { bytes: limit, age } = this.#model.cache.limits;
        this.#size.value = limit === null ? "none" : writeSize(limit);
        this.#age.value = age === null ? "none" : writeAge(age);
        setText(this.#message, "");
        this.#check();
        this.#dialog.showModal();
    }

    /** The values of the fields; undefined if one is not valid. */
    #read() {
        const size = readLimit(this.#size, parseSize, "Write a size such as 2 GB or 500 MB, or none.");
        const age = readLimit(this.#age, parseAge, "Write an age such as 30 days or 12 h, or none.");
        return size === undefined || age === undefined ? undefined : { size, age };
    }

    #check() {
        const limits = this.#read();
        setText(this.#forecast, limits ? this.#loss(limits).text : "");
    }

    /** @param {{size: number | null, age: number | null}} limits */
    #loss({ size, age }) {
        const { resources, cache } = this.#model;
        const gone = forecast(resources.values(), cache.bytes, size, age, Date.now());
        // The resources that are not listed are the least recently used, so the cache deletes them first.
        const least = cache.resources > resources.size ? "At least " : "";
        const loss = `${least}${counted(gone.count, "resource")} with ${bytes(gone.bytes)} will be deleted at once`;
        const sentences = [gone.count ? `${loss}, the least recently used first.` : "The cache deletes nothing now."];
        if (size !== null && gone.stays > size) {
            sentences.push(`${bytes(gone.stays)} stay, more than the limit: pinned and open resources are kept.`);
        }
        return { ...gone, text: sentences.join(" ") };
    }

    async #submit() {
        const limits = this.#read();
        if (!limits) {
            (this.#size.validity.valid ? this.#age : this.#size).focus();
            return;
        }
        const loss = this.#loss(limits);
        if (loss.count > 0 && !(await this.#confirm(loss))) return;
        const parameters = { bytes: String(limits.size ?? "none"), age: String(limits.age ?? "none") };
        try {
            await this.#actions.ask("limits", parameters);
            this.#dialog.close();
        } catch (error) {
            if (!(error instanceof ActionFailed)) throw error;
            setText(this.#message, error.message);
        }
    }

    /** @param {{text: string, bytes: number}} loss */
    #confirm(loss) {
        return confirmLoss({
            title: `Delete ${bytes(loss.bytes)} from the cache?`,
            sentences: [loss.text, "Weir fetches deleted bytes from their origin again when they are played."],
            action: `Change the limits and delete ${bytes(loss.bytes)}`,
        });
    }
}

/**
 * @param {HTMLInputElement} field
 * @param {(text: string) => number | null} parse
 * @param {string} hint
 * @returns {number | null | undefined} null for no limit, undefined for a mistake
 */
function readLimit(field, parse, hint) {
    const text = field.value.trim();
    const isNone = text === "" || text.toLowerCase() === "none";
    const value = isNone ? null : parse(text);
    const mistake = !isNone && value === null ? hint : "";
    field.setCustomValidity(mistake);
    setText(byID(`${field.id}-error`), mistake);
    setAttribute(field, "aria-invalid", String(mistake !== ""));
    return mistake ? undefined : value;
}
