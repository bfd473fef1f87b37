// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { cellStates, extent } from "./cells.js";
import { drawColumn, fitCanvas } from "./drawing.js";
import { palette } from "./palette.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Reader} Reader */
/** @typedef {import("./model.js").Fetch} Fetch */

/** The width of a column of a strip, in CSS pixels: narrow enough for detail, wide enough for a shape. */
const columnWidth = 3;

/**
 * Draws the map of a resource as one line.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number}} size in CSS pixels
 * @param {Resource} resource
 * @param {Reader[]} readers of this resource
 * @param {Fetch[]} fetches of this resource
 */
export function drawStrip(canvas, size, resource, readers, fetches) {
    const context = canvas.getContext("2d");
    if (!context || size.width < columnWidth) return;
    if (!fitCanvas(canvas, size.width, size.height)) context.clearRect(0, 0, canvas.width, canvas.height);
    const length = Math.max(1, extent(resource, readers, fetches));
    const columns = Math.floor(size.width / columnWidth);
    const cells = cellStates(resource, readers, fetches, length / columns, length);
    const width = canvas.width / columns;
    // The cursors of readers extend above and below.
    const margin = Math.round(2 * devicePixelRatio);
    const height = canvas.height - 2 * margin;
    for (let index = 0; index < columns; index += 1) {
        const x = Math.round(index * width);
        const box = { x, y: margin, width: Math.round((index + 1) * width) - x, height };
        drawColumn(context, cells[index] ?? 0, box, index % 2 === 1);
    }
    for (const { at } of readers) drawCursor(context, Math.min(1, at / length) * canvas.width);
}

/**
 * Draws the position of a reader: a line with a margin in the background colour.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 */
export function drawCursor(context, x) {
    const { width, height } = context.canvas;
    const line = Math.max(1, Math.round(2 * devicePixelRatio));
    const left = Math.min(width - 2 * line, Math.max(line, Math.round(x - line / 2)));
    context.fillStyle = palette.surface;
    context.fillRect(left - line, 0, 3 * line, height);
    context.fillStyle = palette.ink;
    context.fillRect(left, 0, line, height);
}
