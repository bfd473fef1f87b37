// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/** @type {Set<() => void>} */
const waiting = new Set();
let isDue = false;

/**
 * Has something drawn before the browser paints next: once, however often it was asked for.
 *
 * A hidden tab paints nothing: there it waits until the tab is seen.
 *
 * @param {() => void} draw the same function at each call
 */
export function drawSoon(draw) {
    waiting.add(draw);
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(drawAll);
}

/** What is asked for while others are drawn belongs to the same frame: the set is visited as it grows. */
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
