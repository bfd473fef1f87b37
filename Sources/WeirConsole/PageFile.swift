// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirProxy
import WeirSource

/// A file of the page, which is a part of the program.
struct PageFile: Sendable {
    let type: String
    let bytes: [UInt8]

    /// The answer to a request for it.
    var answer: PageAnswer { PageAnswer(type: self.type, self.bytes) }

    private static func script(_ bytes: [UInt8]) -> PageFile {
        PageFile(type: "text/javascript; charset=utf-8", bytes: bytes)
    }

    /// The files by their paths after `/page`.
    static let all: [String: PageFile] = [
        "/": PageFile(type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
        "/page.css": PageFile(type: "text/css; charset=utf-8", bytes: PackageResources.page_css),
        "/actions.js": .script(PackageResources.actions_js),
        "/announcer.js": .script(PackageResources.announcer_js),
        "/banner.js": .script(PackageResources.banner_js),
        "/cells.js": .script(PackageResources.cells_js),
        "/chart.js": .script(PackageResources.chart_js),
        "/connection.js": .script(PackageResources.connection_js),
        "/description.js": .script(PackageResources.description_js),
        "/detail.js": .script(PackageResources.detail_js),
        "/dialogs.js": .script(PackageResources.dialogs_js),
        "/drawing.js": .script(PackageResources.drawing_js),
        "/element.js": .script(PackageResources.element_js),
        "/events.js": .script(PackageResources.events_js),
        "/eviction.js": .script(PackageResources.eviction_js),
        "/fetches.js": .script(PackageResources.fetches_js),
        "/format.js": .script(PackageResources.format_js),
        "/frames.js": .script(PackageResources.frames_js),
        "/legend.js": .script(PackageResources.legend_js),
        "/limits.js": .script(PackageResources.limits_js),
        "/lines.js": .script(PackageResources.lines_js),
        "/list.js": .script(PackageResources.list_js),
        "/media-errors.js": .script(PackageResources.media_errors_js),
        "/model.js": .script(PackageResources.model_js),
        "/order.js": .script(PackageResources.order_js),
        "/palette.js": .script(PackageResources.palette_js),
        "/piece-map.js": .script(PackageResources.piece_map_js),
        "/places.js": .script(PackageResources.places_js),
        "/player.js": .script(PackageResources.player_js),
        "/quantities.js": .script(PackageResources.quantities_js),
        "/ranges.js": .script(PackageResources.ranges_js),
        "/resource-actions.js": .script(PackageResources.resource_actions_js),
        "/row.js": .script(PackageResources.row_js),
        "/scrolling.js": .script(PackageResources.scrolling_js),
        "/secret.js": .script(PackageResources.secret_js),
        "/start.js": .script(PackageResources.start_js),
        "/stations.js": .script(PackageResources.stations_js),
        "/strip.js": .script(PackageResources.strip_js),
        "/text.js": .script(PackageResources.text_js),
        "/time-bar.js": .script(PackageResources.time_bar_js),
        "/totals.js": .script(PackageResources.totals_js),
    ]
}
