// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { byID, element } from "./element.js";

/**
 * Asks the user before a loss. The button that keeps everything has the focus; Escape has the same effect.
 *
 * @param {{title: string, sentences: string[], action: string}} question `action` is the label of the button, a verb
 * @returns {Promise<boolean>} whether the user agrees
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
