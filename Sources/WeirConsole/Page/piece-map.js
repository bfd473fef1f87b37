// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { blockSize, bytesPerCell, cellStates, extent, states } from "./cells.js";
import { describeInFull } from "./description.js";
import { drawCell, fitCanvas } from "./drawing.js";
import { byID, setAttribute, setText } from "./element.js";
import { bytes, count, counted } from "./format.js";
import { stateNames } from "./legend.js";
import { palette } from "./palette.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./playlists.js").Playlist} Playlist */
/** @typedef {import("./model.js").Reader} Reader */
/** @typedef {import("./model.js").Fetch} Fetch */

/** Edges of a cell with its gap, in CSS pixels, the largest first; the map uses the first edge with which it fits. */
const pitches = [18, 14, 12, 10, 8, 7, 6];

/** The largest height of the map before smaller cells are tried, in CSS pixels. */
const tallest = 320;

/** The text while the pointer is not at a cell. */
const hint = "Point at a cell to see its bytes.";

/**
 * The map of the opened resource: a cell for a block, or for several of a long resource.
 *
 * Only cells whose state changed are drawn again. A second canvas shows the positions of readers, so that the pixels of
 * the first canvas show only states.
 */
export class PieceMap {
    #canvas = /** @type {HTMLCanvasElement} */ (byID("map"));
    #cursors = /** @type {HTMLCanvasElement} */ (byID("map-cursors"));
    #frame = byID("map-frame");
    #scale = byID("map-scale");
    #probe = byID("map-probe");
    /** The drawn states; empty if all cells must be drawn. @type {Uint8Array} */
    #drawn = new Uint8Array(0);
    #geometry = { size: blockSize, length: 0, pitch: 0, columns: 0 };
    #width = 0;

    /** @param {() => void} resized requests a new drawing */
    constructor(resized) {
        new ResizeObserver(([entry]) => {
            this.#width = Math.floor(entry.contentRect.width);
            resized();
        }).observe(this.#frame);
        for (const event of /** @type {const} */ (["pointerdown", "pointermove"])) {
            this.#frame.addEventListener(event, (moved) => this.#point(moved));
        }
        this.#frame.addEventListener("pointerleave", () => setText(this.#probe, hint));
    }

    /** Makes the next drawing draw all cells: for another resource, or other colours. */
    reset() {
        this.#drawn = new Uint8Array(0);
        setText(this.#probe, hint);
    }

    /** @param {Resource | Playlist} resource @param {Reader[]} readers @param {Fetch[]} fetches */
    draw(resource, readers, fetches) {
        const length = extent(resource, readers, fetches);
        const size = bytesPerCell(length);
        const cells = cellStates(resource, readers, fetches, size, length);
        setAttribute(this.#canvas, "aria-label", `Piece map: ${describeInFull(resource, readers, fetches)}.`);
        setText(this.#scale, scale(resource, size, cells.length));
        if (this.#width < pitches[0]) return;
        this.#layOut(cells.length, size, length);
        this.#drawCells(cells);
        this.#drawCursors(readers);
    }

    /** @param {number} number @param {number} size @param {number} length */
    #layOut(number, size, length) {
        const rows = (/** @type {number} */ pitch) => Math.ceil(number / Math.floor(this.#width / pitch));
        const edge = pitches.find((pitch) => rows(pitch) * pitch <= tallest) ?? pitches[pitches.length - 1];
        const columns = Math.min(Math.max(1, number), Math.floor(this.#width / edge));
        const pitch = Math.round(edge * devicePixelRatio);
        const isNew = [this.#canvas, this.#cursors].map((canvas) => {
            const [wide, high] = [columns * pitch, Math.max(1, rows(edge)) * pitch];
            canvas.style.width = `${wide / devicePixelRatio}px`;
            canvas.style.height = `${high / devicePixelRatio}px`;
            return fitCanvas(canvas, wide / devicePixelRatio, high / devicePixelRatio);
        });
        if (isNew.includes(true)) this.#drawn = new Uint8Array(0);
        this.#geometry = { size, length, pitch, columns };
        const { dataset } = this.#canvas;
        dataset.cellWidth = dataset.cellHeight = String(pitch);
        dataset.columns = String(columns);
        dataset.bytesPerCell = String(size);
        dataset.length = String(length);
    }

    /** @param {Uint8Array} cells */
    #drawCells(cells) {
        const context = this.#canvas.getContext("2d");
        if (!context) return;
        const { pitch, columns } = this.#geometry;
        const gap = Math.max(1, Math.round(devicePixelRatio));
        const isAll = this.#drawn.length !== cells.length;
        if (isAll) context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
        for (const [index, state] of cells.entries()) {
            if (!isAll && this.#drawn[index] === state) continue;
            const box = this.#box(index, pitch, columns, pitch - gap);
            if (!isAll) context.clearRect(box.x, box.y, pitch, pitch);
            drawCell(context, state, box);
        }
        this.#drawn = cells;
    }

    /** @param {Reader[]} readers */
    #drawCursors(readers) {
        const context = this.#cursors.getContext("2d");
        if (!context) return;
        const { pitch, columns, size, length } = this.#geometry;
        context.clearRect(0, 0, this.#cursors.width, this.#cursors.height);
        const line = Math.max(2, Math.round(2 * devicePixelRatio));
        for (const { at } of readers) {
            const index = Math.floor(Math.min(at, Math.max(0, length - 1)) / size);
            const { x, y, width } = this.#box(index, pitch, columns, pitch);
            context.lineWidth = 2 * line;
            context.strokeStyle = palette.surface;
            context.strokeRect(x, y, width, width);
            context.lineWidth = line;
            context.strokeStyle = palette.ink;
            context.strokeRect(x, y, width, width);
        }
    }

    /** @param {number} index @param {number} pitch @param {number} columns @param {number} edge */
    #box(index, pitch, columns, edge) {
        return { x: (index % columns) * pitch, y: Math.floor(index / columns) * pitch, width: edge, height: edge };
    }

    /** Shows the bytes and the state of the cell under the pointer. @param {PointerEvent} event */
    #point(event) {
        const { pitch, columns, size, length } = this.#geometry;
        const bounds = this.#canvas.getBoundingClientRect();
        const column = Math.floor(((event.clientX - bounds.left) * devicePixelRatio) / pitch);
        const row = Math.floor(((event.clientY - bounds.top) * devicePixelRatio) / pitch);
        const index = row * columns + column;
        const isCell = column >= 0 && column < columns && index >= 0 && index < this.#drawn.length;
        const range = `${bytes(index * size)} to ${bytes(Math.min(length, (index + 1) * size))}`;
        setText(this.#probe, isCell ? `${range}: ${stateNames[states[this.#drawn[index]]]}.` : hint);
    }
}

/** The size of a cell, in words. @param {Resource | Playlist} resource @param {number} size @param {number} number */
function scale(resource, size, number) {
    const blocks = size / blockSize;
    const block = bytes(blockSize);
    const cell = blocks === 1 ? `one block of ${block}` : `${bytes(size)}, which is ${count(blocks)} blocks of ${block}`;
    const end = resource.length === null ? " The length is not known: the map ends at the last known byte." : "";
    const order = "parts" in resource ? " The parts in the cache follow one another." : "";
    return `One cell is ${cell}. ${counted(number, "cell")}.${end}${order}`;
}
