// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, setText } from "./element.js";
import { counted } from "./format.js";

/** How long after an announcement the next one may come, in milliseconds: time enough to hear it. */
const interval = 10_000;

/**
 * Tells screen readers of trouble, politely and not too often: of several troubles, the last one and how many there
 * were before it.
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
