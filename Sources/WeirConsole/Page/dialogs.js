// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element } from "./element.js";

/**
 * Asks before something is lost. The button that keeps everything has the focus; Escape is the same as pressing it.
 *
 * @param {{title: string, sentences: string[], action: string}} question `action` is what the button does, as a verb
 * @returns {Promise<boolean>} whether it is to be done
 */
export function confirmLoss({ title, sentences, action }) {
    const dialog = /** @type {HTMLDialogElement} */ (byID("confirmation"));
    byID("confirmation-title").textContent = title;
    byID("confirmation-text").replaceChildren(...sentences.map((sentence) => element("p", { dir: "auto" }, sentence)));
    byID("confirmation-do").textContent = action;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => resolve(dialog.returnValue === "do"), { once: true });
    });
}
