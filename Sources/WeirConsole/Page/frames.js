// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/** @type {Set<() => void>} */
const waiting = new Set();
let isDue = false;

/**
 * Calls a drawing function once before the browser paints next, however often it is requested.
 *
 * A hidden tab paints nothing: the function is then called when the tab is visible.
 *
 * @param {() => void} draw the same function at each call
 */
export function drawSoon(draw) {
    waiting.add(draw);
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(drawAll);
}

/** The loop also visits functions that are added while it runs, so they belong to the same frame. */
function drawAll() {
    try {
        for (const draw of waiting) {
            waiting.delete(draw);
            draw();
        }
    } finally {
        isDue = false;
    }
}
