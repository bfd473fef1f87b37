// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { states } from "./cells.js";

// The colours of canvases: custom properties of the style sheet, which defines both appearances, light and dark.

const names = ["surface", "ink", "muted", "line", "served", "origin", "state-wanted-edge"];

/** By the name of the property without its dashes. @type {Record<string, string>} */
export const palette = {};

/** The colours of states, in the order of `states`. @type {string[]} */
export const stateColours = [];

/** @type {(() => void)[]} */
const watchers = [];

/** Reads the colours: at the start, and whenever the appearance changes. */
export function readPalette() {
    const style = getComputedStyle(document.documentElement);
    for (const name of names) palette[name] = style.getPropertyValue(`--${name}`).trim();
    states.forEach((state, index) => (stateColours[index] = style.getPropertyValue(`--state-${state}`).trim()));
    watchers.forEach((watcher) => watcher());
}

/** Adds a function that is called for new colours. @param {() => void} watcher */
export function watchPalette(watcher) {
    watchers.push(watcher);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readPalette);
