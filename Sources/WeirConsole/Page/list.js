// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import { arrange, byID, setAttribute, setText } from "./element.js";
import { count, counted } from "./format.js";
import { drawSoon } from "./frames.js";
import { matching, orders } from "./order.js";
import { watchPalette } from "./palette.js";
import { resourcesOf } from "./playlists.js";
import { Row } from "./row.js";
import { visibleRange, windowShift } from "./scrolling.js";

/** @typedef {import("./model.js").Resource} Resource */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Changes} Changes */

/** The least time between two changes of the order because of messages from the server, in milliseconds. */
const orderInterval = 2_000;

/**
 * The list of resources; a playlist and its parts are one row. The document has only the rows in view, a few rows
 * beside them, and the row with the keyboard focus. A change draws only its own rows.
 *
 * Rows change places at most every two seconds, and not just after the user moved the pointer or the focus in the list:
 * another row must not take the place of a row that the user is about to press.
 */
export class ResourceList {
    #model;
    #choose;
    #scroller = byID("list-scroller");
    #list = byID("list");
    #filter = /** @type {HTMLInputElement} */ (byID("filter"));
    #order = /** @type {HTMLSelectElement} */ (byID("order"));
    #summary = byID("list-summary");
    #empty = byID("list-empty");
    /** @type {Resource[]} the shown resources and playlists, in order */
    #shown = [];
    /** @type {Map<string, Row>} the rows in the document */
    #rows = new Map();
    /** @type {Set<string>} rows whose resource changed */
    #stale = new Set();
    #isAllStale = true;
    #isUnordered = true;
    #orderedAt = 0;
    #orderTimer = 0;
    #touchedAt = 0;
    #opened = "";
    /** The resource whose row has the keyboard focus. */
    #active = "";
    #rowHeight = 0;
    #strip = { width: 0, height: 0 };
    #view = { top: 0, height: 0 };
    #draw = () => this.#drawRows();

    /**
     * @param {Model} model
     * @param {(id: string) => void} choose opens a resource
     */
    constructor(model, choose) {
        this.#model = model;
        this.#choose = choose;
        this.#filter.addEventListener("input", () => this.#orderNow(true));
        this.#order.addEventListener("change", () => this.#orderNow(true));
        this.#scroller.addEventListener("scroll", () => {
            this.#view.top = this.#scroller.scrollTop;
            drawSoon(this.#draw);
        }, { passive: true });
        this.#list.addEventListener("pointermove", () => (this.#touchedAt = Date.now()), { passive: true });
        this.#list.addEventListener("click", (event) => this.#clicked(event));
        this.#list.addEventListener("keydown", (event) => this.#keyPressed(event));
        this.#list.addEventListener("focusin", (event) => this.#focused(event));
        new ResizeObserver(() => this.#measure()).observe(this.#scroller);
        watchPalette(() => this.#staleAll());
    }

    /** @param {Changes} changes */
    update(changes) {
        for (const id of changes.resources) if (this.#rows.has(id)) this.#stale.add(id);
        const isMoved = orders[this.#order.value].keys.some((key) => changes.keys.has(key));
        if (changes.membership) {
            // With its first part, the text of a playlist becomes one.
            [this.#opened, this.#active] = [this.#opened, this.#active].map((id) => this.#model.row(id)?.id ?? id);
            this.#dropGone();
        }
        if (changes.membership || isMoved) this.#orderSoon();
        if (changes.members.has("cache")) this.#summarise();
        if (this.#stale.size) drawSoon(this.#draw);
    }

    /** Updates relative times. @param {number} now */
    tick(now) {
        for (const [id, row] of this.#rows) {
            const resource = this.#model.row(id);
            if (resource) row.tick(resource, now);
        }
    }

    /** Marks the row of the opened resource. @param {string} id empty for none */
    mark(id) {
        for (const each of [this.#opened, id]) this.#stale.add(each);
        this.#opened = id;
        // A part without a row of its own is in the row of its playlist.
        if (id) this.#active = this.#indexOf(id) < 0 ? (this.#model.playlistOf(id)?.id ?? id) : id;
        drawSoon(this.#draw);
    }

    /** Moves the keyboard focus to the row that had it last. */
    focus() {
        this.#moveTo(Math.max(0, this.#indexOf(this.#active)));
    }

    #orderSoon() {
        this.#isUnordered = true;
        if (this.#orderTimer) return;
        const due = Math.max(this.#orderedAt, this.#touchedAt) + orderInterval - Date.now();
        const order = () => {
            this.#orderTimer = 0;
            if (Date.now() < this.#touchedAt + orderInterval) this.#orderSoon();
            else drawSoon(this.#draw);
        };
        // The first resources are shown at once.
        if (this.#shown.length === 0) drawSoon(this.#draw);
        else this.#orderTimer = setTimeout(order, Math.max(0, due));
    }

    /** @param {boolean} isAsked whether the user requested it: then the list scrolls to its top */
    #orderNow(isAsked) {
        this.#isUnordered = false;
        this.#orderedAt = Date.now();
        const found = matching(this.#model.rows, this.#filter.value);
        this.#take(orders[this.#order.value].sort(found), isAsked);
    }

    /** Removes the rows of removed resources at once; the order of the others does not change yet. */
    #dropGone() {
        const left = this.#shown.filter(({ id }) => this.#model.row(id));
        if (left.length === this.#shown.length) return;
        const index = this.#indexOf(this.#active);
        this.#take(left, false);
        // The row at the same place gets the focus.
        if (index < 0 || this.#indexOf(this.#active) >= 0) return;
        this.#active = left[Math.min(index, left.length - 1)]?.id ?? "";
    }

    /** Shows other resources, or the same in another order. @param {Resource[]} resources @param {boolean} isAtTop */
    #take(resources, isAtTop) {
        const shift = isAtTop ? -this.#view.top : windowShift(this.#shown, resources, this.#view, this.#rowHeight);
        this.#shown = resources;
        this.#list.style.height = `${resources.length * this.#rowHeight}px`;
        if (shift !== 0) {
            this.#view.top = Math.max(0, this.#view.top + shift);
            this.#scroller.scrollTop = this.#view.top;
        }
        this.#summarise();
        drawSoon(this.#draw);
    }

    #summarise() {
        const { resources, cache } = this.#model;
        const listed = resources.size;
        const shown = this.#shown.flatMap(({ id }) => {
            const row = this.#model.row(id);
            return row ? resourcesOf(row) : [];
        }).length;
        const filtered = this.#filter.value.trim() ? `${count(shown)} of ` : "";
        const isCut = cache.resources > listed;
        const left = isCut ? `; the most recently used of ${count(cache.resources)}` : "";
        setText(this.#summary, `${filtered}${counted(listed, "resource")}${left}`);
        const nothing = "The cache is empty. Media that Weir plays appear here.";
        setText(this.#empty, this.#shown.length ? "" : listed ? "Nothing matches the filter." : nothing);
    }

    #staleAll() {
        this.#isAllStale = true;
        drawSoon(this.#draw);
    }

    /** Reads sizes from the browser, only when the list's area changed. */
    #measure() {
        const style = getComputedStyle(this.#scroller);
        this.#rowHeight = parseFloat(style.getPropertyValue("--row-height"));
        this.#view = { top: this.#scroller.scrollTop, height: this.#scroller.clientHeight };
        this.#strip = { width: 0, height: 0 };
        this.#list.style.height = `${this.#shown.length * this.#rowHeight}px`;
        this.#staleAll();
    }

    #drawRows() {
        if (!this.#rowHeight) return;
        if (this.#isUnordered && (this.#shown.length === 0 || !this.#orderTimer)) this.#orderNow(false);
        const hadFocus = this.#list.contains(document.activeElement);
        const [from, to] = visibleRange(this.#view, this.#rowHeight, this.#shown.length);
        const indices = new Set(Array.from({ length: to - from }, (_, index) => from + index));
        const active = this.#indexOf(this.#active);
        // One row is reachable by keyboard, and it is always in the document.
        indices.add(active >= 0 ? active : 0);
        this.#settle([...indices].filter((index) => index < this.#shown.length).sort((one, other) => one - other));
        if (!this.#strip.width) this.#measureStrip();
        this.#showStale();
        if (hadFocus && !this.#list.contains(document.activeElement)) {
            this.#rows.get(this.#active)?.button.focus({ preventScroll: true });
        }
    }

    /** Makes the document have the rows of the indices, in their order. @param {number[]} indices */
    #settle(indices) {
        const wanted = new Set(indices.map((index) => this.#shown[index].id));
        for (const [id, row] of this.#rows) {
            if (wanted.has(id)) continue;
            row.element.remove();
            this.#rows.delete(id);
        }
        const rows = indices.map((index) => {
            const { id } = this.#shown[index];
            const row = this.#rows.get(id) ?? new Row(id);
            if (!this.#rows.has(id)) this.#stale.add(id);
            this.#rows.set(id, row);
            row.place(index, this.#shown.length, this.#rowHeight);
            return row.element;
        });
        arrange(this.#list, rows);
    }

    #measureStrip() {
        const canvas = this.#list.querySelector("canvas");
        if (canvas) this.#strip = { width: canvas.clientWidth, height: canvas.clientHeight };
    }

    #showStale() {
        const active = this.#indexOf(this.#active) >= 0 ? this.#active : this.#shown[0]?.id;
        for (const [id, row] of this.#rows) {
            setAttribute(row.button, "tabindex", id === active ? "0" : "-1");
            if (!this.#isAllStale && !this.#stale.has(id)) continue;
            setAttribute(row.button, "aria-expanded", String(id === this.#opened));
            const resource = this.#model.row(id);
            if (resource) row.show(resource, this.#model, this.#strip);
        }
        this.#stale.clear();
        this.#isAllStale = false;
    }

    /** @param {string} id */
    #indexOf(id) {
        return id ? this.#shown.findIndex((resource) => resource.id === id) : -1;
    }

    /** @param {globalThis.Event} event */
    #idOf(event) {
        const row = event.target instanceof Element ? event.target.closest("li") : null;
        return row?.dataset.id ?? "";
    }

    /** @param {MouseEvent} event */
    #clicked(event) {
        const id = this.#idOf(event);
        // A user who selects text in a row wants to copy it.
        if (id && getSelection()?.isCollapsed !== false) this.#choose(id);
    }

    /** @param {FocusEvent} event */
    #focused(event) {
        this.#touchedAt = Date.now();
        this.#active = this.#idOf(event) || this.#active;
        drawSoon(this.#draw);
    }

    /** @param {KeyboardEvent} event */
    #keyPressed(event) {
        const index = this.#indexOf(this.#active);
        const page = Math.max(1, Math.floor(this.#view.height / this.#rowHeight) - 1);
        const last = this.#shown.length - 1;
        const targets = {
            ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: last,
        };
        const target = targets[/** @type {keyof targets} */ (event.key)];
        if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        this.#moveTo(Math.min(last, Math.max(0, target)));
    }

    /** Scrolls to a row, and moves the keyboard focus to it. @param {number} index */
    #moveTo(index) {
        if (index >= this.#shown.length) return;
        this.#active = this.#shown[index].id;
        const top = index * this.#rowHeight;
        const lowest = top + this.#rowHeight - this.#view.height;
        this.#view.top = Math.min(top, Math.max(lowest, this.#view.top));
        this.#scroller.scrollTop = this.#view.top;
        this.#drawRows();
        this.#rows.get(this.#active)?.button.focus({ preventScroll: true });
    }
}
