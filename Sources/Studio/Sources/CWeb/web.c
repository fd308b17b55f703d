#include "web.h"

static const unsigned char index_html[] = {
#embed "../../Web/index.html"
};
static const unsigned char studio_css[] = {
#embed "../../Web/studio.css"
};
static const unsigned char icon_svg[] = {
#embed "../../Web/icon.svg"
};
static const unsigned char manifest[] = {
#embed "../../Web/manifest.webmanifest"
};
static const unsigned char openapi_json[] = {
#embed "../../Web/openapi.json"
};
static const unsigned char main_js[] = {
#embed "../../Web/js/main.js"
};
static const unsigned char link_js[] = {
#embed "../../Web/js/link.js"
};
static const unsigned char dom_js[] = {
#embed "../../Web/js/dom.js"
};
static const unsigned char sound_js[] = {
#embed "../../Web/js/sound.js"
};
static const unsigned char microphone_js[] = {
#embed "../../Web/js/microphone.js"
};
static const unsigned char overview_js[] = {
#embed "../../Web/js/overview.js"
};
static const unsigned char ticker_js[] = {
#embed "../../Web/js/ticker.js"
};
static const unsigned char spectrum_js[] = {
#embed "../../Web/js/spectrum.js"
};
static const unsigned char readings_js[] = {
#embed "../../Web/js/readings.js"
};
static const unsigned char tuner_js[] = {
#embed "../../Web/js/tuner.js"
};
static const unsigned char meter_js[] = {
#embed "../../Web/js/meter.js"
};
static const unsigned char equalizer_js[] = {
#embed "../../Web/js/equalizer.js"
};
static const unsigned char shelf_js[] = {
#embed "../../Web/js/shelf.js"
};
static const unsigned char store_js[] = {
#embed "../../Web/js/store.js"
};
static const unsigned char history_js[] = {
#embed "../../Web/js/history.js"
};
static const unsigned char recorder_js[] = {
#embed "../../Web/js/recorder.js"
};
static const unsigned char voice_js[] = {
#embed "../../Web/js/voice.js"
};
static const unsigned char tempo_js[] = {
#embed "../../Web/js/tempo.js"
};
static const unsigned char flashes_js[] = {
#embed "../../Web/js/flashes.js"
};
static const unsigned char lights_js[] = {
#embed "../../Web/js/lights.js"
};
static const unsigned char fixtures_js[] = {
#embed "../../Web/js/fixtures.js"
};
static const unsigned char setup_js[] = {
#embed "../../Web/js/setup.js"
};
static const unsigned char mapping_js[] = {
#embed "../../Web/js/mapping.js"
};
static const unsigned char account_js[] = {
#embed "../../Web/js/account.js"
};
static const unsigned char session_js[] = {
#embed "../../Web/js/session.js"
};
static const unsigned char kinds_js[] = {
#embed "../../Web/js/kinds.js"
};
static const unsigned char setting_js[] = {
#embed "../../Web/js/setting.js"
};
static const unsigned char profile_js[] = {
#embed "../../Web/js/profile.js"
};
static const unsigned char sync_js[] = {
#embed "../../Web/js/sync.js"
};
static const unsigned char regular_woff2[] = {
#embed "../../Web/fonts/roboto-regular.woff2"
};
static const unsigned char medium_woff2[] = {
#embed "../../Web/fonts/roboto-medium.woff2"
};

#define FILE(path, bytes) {path, bytes, sizeof bytes}
static const struct {
  const char *path;
  const unsigned char *bytes;
  size_t length;
} files[] = {
    FILE("index.html", index_html),
    FILE("studio.css", studio_css),
    FILE("icon.svg", icon_svg),
    FILE("openapi.json", openapi_json),
    FILE("manifest.webmanifest", manifest),
    FILE("js/main.js", main_js),
    FILE("js/link.js", link_js),
    FILE("js/dom.js", dom_js),
    FILE("js/sound.js", sound_js),
    FILE("js/microphone.js", microphone_js),
    FILE("js/overview.js", overview_js),
    FILE("js/ticker.js", ticker_js),
    FILE("js/spectrum.js", spectrum_js),
    FILE("js/readings.js", readings_js),
    FILE("js/tuner.js", tuner_js),
    FILE("js/meter.js", meter_js),
    FILE("js/equalizer.js", equalizer_js),
    FILE("js/shelf.js", shelf_js),
    FILE("js/store.js", store_js),
    FILE("js/history.js", history_js),
    FILE("js/recorder.js", recorder_js),
    FILE("js/voice.js", voice_js),
    FILE("js/tempo.js", tempo_js),
    FILE("js/flashes.js", flashes_js),
    FILE("js/lights.js", lights_js),
    FILE("js/fixtures.js", fixtures_js),
    FILE("js/setup.js", setup_js),
    FILE("js/mapping.js", mapping_js),
    FILE("js/account.js", account_js),
    FILE("js/session.js", session_js),
    FILE("js/kinds.js", kinds_js),
    FILE("js/setting.js", setting_js),
    FILE("js/profile.js", profile_js),
    FILE("js/sync.js", sync_js),
    FILE("fonts/roboto-regular.woff2", regular_woff2),
    FILE("fonts/roboto-medium.woff2", medium_woff2),
};

size_t rustle_web_count(void) { return sizeof files / sizeof files[0]; }
const char *rustle_web_path(size_t index) { return files[index].path; }
size_t rustle_web_length(size_t index) { return files[index].length; }
unsigned char rustle_web_byte(size_t index, size_t offset) { return files[index].bytes[offset]; }
