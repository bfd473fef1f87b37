// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, setText } from "./element.js";
import { timeOfDay } from "./format.js";
import { visible } from "./text.js";

/** @typedef {import("./connection.js").Status} Status */

const words = { open: "live", lost: "connection lost", refused: "refused", none: "connecting" };

/** Shows the state of the connection: a word in the page's head, and a banner with a countdown when it is lost. */
export class Banner {
    #banner = byID("banner");
    #reason = byID("banner-reason");
    #next = byID("banner-next");
    #word = byID("connection");
    #countdown = 0;
    #heardAt = 0;

    /** @param {() => void} tryNow */
    constructor(tryNow) {
        byID("try-now").addEventListener("click", tryNow);
    }

    /** The page is up to date as of now. */
    heard() {
        this.#heardAt = Date.now();
    }

    /** @param {Status} status */
    show(status) {
        clearInterval(this.#countdown);
        this.#banner.hidden = status.kind !== "lost";
        setText(this.#word, words[status.kind]);
        if (status.kind !== "lost") {
            // Screen readers announce only a changed text; without this they would not announce the next loss.
            setText(this.#reason, "");
            return;
        }
        const old = this.#heardAt ? ` The page shows the state of ${timeOfDay(this.#heardAt)}.` : "";
        setText(this.#reason, `The connection is lost: ${visible(status.reason)}${old}`);
        const count = () => {
            const seconds = Math.ceil((status.next - Date.now()) / 1000);
            setText(this.#next, status.next && seconds > 0 ? `Next try in ${seconds} s.` : "Trying now.");
        };
        count();
        if (status.next) this.#countdown = setInterval(count, 500);
    }
}
