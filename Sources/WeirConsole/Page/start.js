// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Starts the page: makes its parts, and passes messages from the server to them.

import { Actions } from "./actions.js";
import { Announcer } from "./announcer.js";
import { Banner } from "./banner.js";
import { Chart } from "./chart.js";
import { Connection } from "./connection.js";
import { Detail } from "./detail.js";
import { byID, setText, setTime } from "./element.js";
import { Events } from "./events.js";
import { Fetches } from "./fetches.js";
import { drawSoon } from "./frames.js";
import { fillLegend } from "./legend.js";
import { LimitsDialog } from "./limits.js";
import { ResourceList } from "./list.js";
import { Changes, Model } from "./model.js";
import { readPalette } from "./palette.js";
import { Places } from "./places.js";
import { Player } from "./player.js";
import { ResourceActions } from "./resource-actions.js";
import { takeSecret } from "./secret.js";
import { Stations } from "./stations.js";
import { visible } from "./text.js";
import { Totals } from "./totals.js";

/** The time between two updates of relative times, in milliseconds. */
const tickInterval = 10_000;

readPalette();
fillLegend();

const model = new Model();
const actions = new Actions();
const announcer = new Announcer();
const banner = new Banner(() => connection.tryNow());
const player = new Player(model);
const resourceActions = new ResourceActions(model, actions, (resource, url) => player.playResource(resource, url));
const detail = new Detail(model, () => {
    list.mark("");
    list.focus();
}, (id) => open(id));
const list = new ResourceList(model, (id) => (id === detail.id ? detail.close() : open(id)));
const views = [
    new Totals(model),
    new Chart(model),
    list,
    detail,
    player,
    new Places(model, (place) => player.playPlace(place)),
    new Stations(model, (station) => player.playStation(station)),
    new Fetches(model, (id) => open(id)),
    new Events(model),
];
new LimitsDialog(model, actions);
const connection = new Connection(receive, report);

/** The changes since the page was drawn last. */
let changes = new Changes();

/** @param {string} id */
function open(id) {
    detail.open(id);
    list.mark(detail.id);
    resourceActions.show(detail.id);
}

/** @param {any} message */
function receive(message) {
    const made = model.apply(message);
    for (const event of made.events) {
        if (event.isTrouble) announcer.say(visible(event.text));
    }
    changes.add(made);
    banner.heard();
    drawSoon(update);
}

function update() {
    const due = changes;
    changes = new Changes();
    views.forEach((view) => view.update(due));
    // Tests wait for it: this frame shows this message, or a later one.
    document.documentElement.dataset.sequence = String(model.sequence);
    if (!due.members.has("server")) return;
    byID("server").hidden = false;
    setText(byID("version"), visible(model.server.version));
    tick();
}

/** Updates relative times. */
function tick() {
    const now = Date.now();
    setTime(byID("started"), model.server.started, now);
    views.forEach((view) => "tick" in view && view.tick(now));
}

/** @param {import("./connection.js").Status} status */
function report(status) {
    document.documentElement.dataset.connection = status.kind;
    banner.show(status);
    if (status.kind === "refused") {
        enter("Weir does not accept this page’s secret.", "Weir may have been started again since then.");
    } else if (status.kind === "open") {
        byID("entry").hidden = true;
        byID("console").hidden = false;
    }
}

/** Shows only how to get access to the page. @param {string} title @param {string} reason */
function enter(title, reason) {
    player.close();
    detail.close();
    byID("console").hidden = true;
    byID("entry").hidden = false;
    setText(byID("entry-title"), title);
    setText(byID("entry-reason"), reason);
}

function begin() {
    const secret = takeSecret();
    actions.use(secret);
    if (secret) connection.open(secret);
    else enter("This page needs its secret.", "The opened address does not have it.");
}

// If the user enters another address of this page into the same tab, the browser does not load the page again.
addEventListener("hashchange", begin);
byID("skip").addEventListener("click", () => list.focus());
setInterval(() => drawSoon(tick), tickInterval);
begin();
