// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, setText } from "./element.js";
import { counted } from "./format.js";

/** The least time between two announcements, in milliseconds: enough to hear one. */
const interval = 10_000;

/**
 * Announces troubles to screen readers, politely and not too often. Of several troubles it announces the last one, and
 * the number of the earlier ones.
 */
export class Announcer {
    #region = byID("announcements");
    #text = "";
    #passed = 0;
    #timer = 0;
    #saidAt = 0;

    /** @param {string} text */
    say(text) {
        if (this.#text) this.#passed += 1;
        this.#text = text;
        this.#timer ||= setTimeout(() => this.#announce(), Math.max(0, this.#saidAt + interval - Date.now()));
    }

    #announce() {
        const before = this.#passed ? `${counted(this.#passed, "other trouble", "other troubles")} before. ` : "";
        setText(this.#region, before + this.#text);
        this.#saidAt = Date.now();
        this.#text = "";
        this.#passed = 0;
        this.#timer = 0;
    }
}
