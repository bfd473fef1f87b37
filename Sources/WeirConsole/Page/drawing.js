// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Draws the states of pieces. Each has a colour and a shape, so that users need not distinguish the colours.
// The pixel in the middle of a cell always has the colour of its state.

import { states } from "./cells.js";
import { palette, stateColours } from "./palette.js";

/** @typedef {CanvasRenderingContext2D} Context */
/** @typedef {{x: number, y: number, width: number, height: number}} Box whole pixels of the bitmap */

/**
 * Draws a cell of a map.
 *
 * A verified cell is a full square; a held one lacks a corner; a part lacks the top; a bad one lacks all corners; a
 * fetched one is a bar; a wanted one is underlined.
 *
 * @param {Context} context
 * @param {number} state an index of `states`
 * @param {Box} box
 */
export function drawCell(context, state, box) {
    const { x, y, width, height } = box;
    context.fillStyle = stateColours[state];
    switch (states[state]) {
        case "held":
            cutCorners(context, box, Math.round(width * 0.45), false);
            break;
        case "bad":
            cutCorners(context, box, Math.round(width * 0.3), true);
            break;
        case "part": {
            const top = Math.floor(height * 0.4);
            context.fillRect(x, y + top, width, height - top);
            break;
        }
        case "fetched": {
            const margin = Math.round(height * 0.2);
            context.fillRect(x, y + margin, width, height - 2 * margin);
            break;
        }
        case "wanted": {
            const edge = Math.max(1, Math.round(height / 6));
            context.fillRect(x, y, width, height);
            context.fillStyle = palette["state-wanted-edge"];
            context.fillRect(x, y + height - edge, width, edge);
            break;
        }
        default:
            context.fillRect(x, y, width, height);
    }
}

/**
 * Draws a column of a strip: at least one pixel wide, and high.
 *
 * A verified column is full; a held one lacks the upper quarter, a part the upper half; a bad one is only the middle; a
 * wanted one is underlined; every other fetched column is low.
 *
 * @param {Context} context
 * @param {number} state an index of `states`
 * @param {Box} box
 * @param {boolean} isOdd whether the column's number is odd
 */
export function drawColumn(context, state, box, isOdd) {
    const { x, y, width, height } = box;
    const [from, to] = columnShapes[states[state]] ?? [0, 1];
    const top = Math.round(height * (states[state] === "fetched" && isOdd ? 0.35 : from));
    context.fillStyle = stateColours[state];
    context.fillRect(x, y + top, width, Math.round(height * to) - top);
    if (states[state] !== "wanted") return;
    const edge = Math.max(1, Math.round(height / 7));
    context.fillStyle = palette["state-wanted-edge"];
    context.fillRect(x, y + height - edge, width, edge);
}

/** The top and bottom of a column, as shares of the height from the top. @type {Record<string, [number, number]>} */
const columnShapes = { held: [0.25, 1], part: [0.5, 1], bad: [0.2, 0.8] };

/** @param {Context} context @param {Box} box @param {number} cut @param {boolean} all */
function cutCorners(context, { x, y, width, height }, cut, all) {
    const right = x + width;
    const bottom = y + height;
    context.beginPath();
    context.moveTo(x, y + (all ? cut : 0));
    if (all) context.lineTo(x + cut, y);
    context.lineTo(right - cut, y);
    context.lineTo(right, y + cut);
    if (all) {
        context.lineTo(right, bottom - cut);
        context.lineTo(right - cut, bottom);
        context.lineTo(x + cut, bottom);
        context.lineTo(x, bottom - cut);
    } else {
        context.lineTo(right, bottom);
        context.lineTo(x, bottom);
    }
    context.closePath();
    context.fill();
}

/**
 * Gives a canvas as many pixels as its area on the screen has.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {number} width in CSS pixels
 * @param {number} height in CSS pixels
 * @returns {boolean} whether the size changed; a change empties the canvas
 */
export function fitCanvas(canvas, width, height) {
    const wide = Math.round(width * devicePixelRatio);
    const high = Math.round(height * devicePixelRatio);
    if (canvas.width === wide && canvas.height === high) return false;
    canvas.width = wide;
    canvas.height = high;
    return true;
}
