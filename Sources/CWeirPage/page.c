// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#include "CWeirPage.h"

// C embeds these files quickly; as Swift literals they would take the compiler 15 s.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char actions_js[] = {
#embed "../WeirConsole/Page/actions.js"
};
static const unsigned char announcer_js[] = {
#embed "../WeirConsole/Page/announcer.js"
};
static const unsigned char banner_js[] = {
#embed "../WeirConsole/Page/banner.js"
};
static const unsigned char cells_js[] = {
#embed "../WeirConsole/Page/cells.js"
};
static const unsigned char chart_js[] = {
#embed "../WeirConsole/Page/chart.js"
};
static const unsigned char connection_js[] = {
#embed "../WeirConsole/Page/connection.js"
};
static const unsigned char description_js[] = {
#embed "../WeirConsole/Page/description.js"
};
static const unsigned char detail_js[] = {
#embed "../WeirConsole/Page/detail.js"
};
static const unsigned char dialogs_js[] = {
#embed "../WeirConsole/Page/dialogs.js"
};
static const unsigned char drawing_js[] = {
#embed "../WeirConsole/Page/drawing.js"
};
static const unsigned char element_js[] = {
#embed "../WeirConsole/Page/element.js"
};
static const unsigned char events_js[] = {
#embed "../WeirConsole/Page/events.js"
};
static const unsigned char eviction_js[] = {
#embed "../WeirConsole/Page/eviction.js"
};
static const unsigned char fetches_js[] = {
#embed "../WeirConsole/Page/fetches.js"
};
static const unsigned char format_js[] = {
#embed "../WeirConsole/Page/format.js"
};
static const unsigned char frames_js[] = {
#embed "../WeirConsole/Page/frames.js"
};
static const unsigned char index_html[] = {
#embed "../WeirConsole/Page/index.html"
};
static const unsigned char legend_js[] = {
#embed "../WeirConsole/Page/legend.js"
};
static const unsigned char limits_js[] = {
#embed "../WeirConsole/Page/limits.js"
};
static const unsigned char lines_js[] = {
#embed "../WeirConsole/Page/lines.js"
};
static const unsigned char list_js[] = {
#embed "../WeirConsole/Page/list.js"
};
static const unsigned char media_errors_js[] = {
#embed "../WeirConsole/Page/media-errors.js"
};
static const unsigned char model_js[] = {
#embed "../WeirConsole/Page/model.js"
};
static const unsigned char order_js[] = {
#embed "../WeirConsole/Page/order.js"
};
static const unsigned char page_css[] = {
#embed "../WeirConsole/Page/page.css"
};
static const unsigned char palette_js[] = {
#embed "../WeirConsole/Page/palette.js"
};
static const unsigned char parts_js[] = {
#embed "../WeirConsole/Page/parts.js"
};
static const unsigned char piece_map_js[] = {
#embed "../WeirConsole/Page/piece-map.js"
};
static const unsigned char places_js[] = {
#embed "../WeirConsole/Page/places.js"
};
static const unsigned char player_js[] = {
#embed "../WeirConsole/Page/player.js"
};
static const unsigned char playlists_js[] = {
#embed "../WeirConsole/Page/playlists.js"
};
static const unsigned char quantities_js[] = {
#embed "../WeirConsole/Page/quantities.js"
};
static const unsigned char ranges_js[] = {
#embed "../WeirConsole/Page/ranges.js"
};
static const unsigned char resource_actions_js[] = {
#embed "../WeirConsole/Page/resource-actions.js"
};
static const unsigned char row_js[] = {
#embed "../WeirConsole/Page/row.js"
};
static const unsigned char scrolling_js[] = {
#embed "../WeirConsole/Page/scrolling.js"
};
static const unsigned char secret_js[] = {
#embed "../WeirConsole/Page/secret.js"
};
static const unsigned char start_js[] = {
#embed "../WeirConsole/Page/start.js"
};
static const unsigned char stations_js[] = {
#embed "../WeirConsole/Page/stations.js"
};
static const unsigned char strip_js[] = {
#embed "../WeirConsole/Page/strip.js"
};
static const unsigned char text_js[] = {
#embed "../WeirConsole/Page/text.js"
};
static const unsigned char time_bar_js[] = {
#embed "../WeirConsole/Page/time-bar.js"
};
static const unsigned char totals_js[] = {
#embed "../WeirConsole/Page/totals.js"
};

#define FILE(name, bytes) {name, bytes, sizeof(bytes)}

static const weir_page_file files[] = {
    FILE("actions.js", actions_js),
    FILE("announcer.js", announcer_js),
    FILE("banner.js", banner_js),
    FILE("cells.js", cells_js),
    FILE("chart.js", chart_js),
    FILE("connection.js", connection_js),
    FILE("description.js", description_js),
    FILE("detail.js", detail_js),
    FILE("dialogs.js", dialogs_js),
    FILE("drawing.js", drawing_js),
    FILE("element.js", element_js),
    FILE("events.js", events_js),
    FILE("eviction.js", eviction_js),
    FILE("fetches.js", fetches_js),
    FILE("format.js", format_js),
    FILE("frames.js", frames_js),
    FILE("index.html", index_html),
    FILE("legend.js", legend_js),
    FILE("limits.js", limits_js),
    FILE("lines.js", lines_js),
    FILE("list.js", list_js),
    FILE("media-errors.js", media_errors_js),
    FILE("model.js", model_js),
    FILE("order.js", order_js),
    FILE("page.css", page_css),
    FILE("palette.js", palette_js),
    FILE("parts.js", parts_js),
    FILE("piece-map.js", piece_map_js),
    FILE("places.js", places_js),
    FILE("player.js", player_js),
    FILE("playlists.js", playlists_js),
    FILE("quantities.js", quantities_js),
    FILE("ranges.js", ranges_js),
    FILE("resource-actions.js", resource_actions_js),
    FILE("row.js", row_js),
    FILE("scrolling.js", scrolling_js),
    FILE("secret.js", secret_js),
    FILE("start.js", start_js),
    FILE("stations.js", stations_js),
    FILE("strip.js", strip_js),
    FILE("text.js", text_js),
    FILE("time-bar.js", time_bar_js),
    FILE("totals.js", totals_js),
};

const weir_page_file *weir_page_file_at(size_t index) {
    return index < sizeof(files) / sizeof(files[0]) ? &files[index] : NULL;
}
