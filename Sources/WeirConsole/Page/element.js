// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Finds, makes and changes elements of the document. No function in this file parses markup from a string.

import { ago, exactTime } from "./format.js";

/**
 * The page's own element with an identifier.
 *
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @returns {Kind}
 */
export function byID(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`The page has no element #${id}.`);
    return /** @type {Kind} */ (found);
}

/**
 * Makes an element with attributes and children.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children strings are text
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

/**
 * Scrolls to the top of an element, unless it is in the upper half of the window already.
 *
 * @param {Element} target
 */
export function bringIntoView(target) {
    const { top } = target.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) target.scrollIntoView({ block: "start" });
}

/**
 * Makes elements the children of a parent, in their order. It does not move the element with the focus, because a moved
 * element loses the focus.
 *
 * @param {Element} parent which has no other children
 * @param {Element[]} elements
 */
export function arrange(parent, elements) {
    const fixed = Math.max(0, elements.findIndex((each) => each.contains(document.activeElement)));
    if (elements.length && elements[fixed].parentElement !== parent) parent.prepend(elements[fixed]);
    for (let index = fixed - 1; index >= 0; index -= 1) {
        const next = elements[index + 1];
        if (next.previousElementSibling !== elements[index]) next.before(elements[index]);
    }
    for (let index = fixed + 1; index < elements.length; index += 1) {
        const previous = elements[index - 1];
        if (previous.nextElementSibling !== elements[index]) previous.after(elements[index]);
    }
}

/** Sets a text if it differs: an unchanged one costs no layout. @param {Element} target @param {string} text */
export function setText(target, text) {
    if (target.textContent !== text) target.textContent = text;
}

/** Sets an attribute if it differs. @param {Element} target @param {string} name @param {string} value */
export function setAttribute(target, name, value) {
    if (target.getAttribute(name) !== value) target.setAttribute(name, value);
}

/**
 * Sets a text that the screen may cut; the title has all of it.
 *
 * @param {HTMLElement} target
 * @param {string} text
 */
export function setCutText(target, text) {
    setText(target, text);
    setAttribute(target, "title", text);
}

/**
 * Shows how long ago a time was; the title has the exact time.
 *
 * @param {HTMLTimeElement} target
 * @param {string} moment as the server writes it
 * @param {number} now
 */
export function setTime(target, moment, now) {
    const time = Date.parse(moment);
    if (Number.isNaN(time)) {
        setText(target, "not known");
        return;
    }
    setText(target, ago(time, now));
    // Formatting a date is slow, and the time rarely changes.
    if (target.dateTime === moment) return;
    target.dateTime = moment;
    target.title = exactTime(time);
}
