// Where the fixtures are in the picture of a camera: it films the lamps while they are lit in patterns.

import { blank, choice, figure, fixed, h, plot, say, speak, table } from "./dom.js";
import { FlashLimit } from "./flashes.js";

/** A frame's version and kind, and its bytes before the pixels. */
const [VERSION, KIND, HEADER] = [1, 2, 8];
/** The most pixels of a frame: those of the longest message. */
const PIXELS = (64 << 10) - HEADER;
/** The milliseconds from one frame to the next: every second one of most cameras. A timer, as the times of frames are less even. */
const PERIOD = 66;
/** The milliseconds without a new picture after which a camera has stopped. */
const FROZEN = 2000;
/** The most fixtures whose names and mirror images are drawn. */
const NAMED = 60;
const PHASES = { delay: "Measures how late frames are", schedule: "Lights the patterns", again: "Lights once more what was not found", done: "Done" };
const METHODS = { coded: "Bits of the ids", checked: "Bits, and checks", sequential: "One after the other" };
const SCENES = { dark: "A dark room", club: "A club", hard: "People, mirrors, flicker" };
const NOTHING = "Check that the lamps are lit in patterns, that the camera sees them, and that the room is dark; then light each pattern for more frames.";
const REASONS = { dark: "No light in any frame", hidden: "Something was in front of it", saturated: "The picture is white there", ambiguous: "May be another one's light", lowContrast: "Hardly above the noise" };

/** What a person does, one after the other; the first two on the screen of the lights. */
const STEPS = { show: "Start the show", arm: "Arm its output", open: "Open the camera", start: "Start the mapping", map: "Take the map" };
const OF_LIGHTS = ["show", "arm"];

/** The camera of this browser, which stays open while a mapping runs. */
class Camera {
  /** The frames that were not sent, since the connection was behind. */
  lost = 0;
  /** The frames so far. */
  count = 0;
  /** The cameras of this browser, once one was opened: before that they have no names. */
  devices = [];
  /** The one to open; empty: the browser's choice. */
  device = "";
  /** Is called when it opens or closes. */
  onchange = () => {};
  /** Is called when it has ended by itself. */
  onend = () => {};
  picture = h("canvas", {});
  #video = h("video", { ".muted": true, ".playsInline": true });
  #context = this.picture.getContext("2d", { willReadFrequently: true });
  #stream = null;
  #opening = null;

  get isOpen() { return this.#stream !== null && !this.isOpening; }
  get isOpening() { return this.#opening !== null; }

  /** Opens it, once however often it is asked to, and calls back with each frame, drawn into the picture; throws with a reason for a person. */
  open(work) {
    this.#opening ??= this.#open(work).finally(() => { this.#opening = null; this.onchange(); });
    this.onchange();
    return this.#opening;
  }

  async #open(work) {
    if (!window.isSecureContext || !navigator.mediaDevices) {
      throw new Error("The browser gives its camera to https and to this machine's own addresses only. Open the page there, or film with rustle map run.");
    }
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 }, ...this.device ? { deviceId: { exact: this.device } } : { facingMode: "environment" } } });
      this.close();
      this.#video.srcObject = this.#stream = stream;
      await this.#video.play();
      this.devices = (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");
    } catch (error) {
      this.close();
      throw new Error(error.name === "NotFoundError" ? "This browser has no camera. Connect one, or choose another one." : `The camera was not opened: ${error.message}`);
    }
    const [width, height] = [this.#video.videoWidth, this.#video.videoHeight];
    const scale = Math.min(1, Math.sqrt(PIXELS / (width * height)));
    [this.picture.width, this.picture.height] = [Math.floor(width * scale), Math.floor(height * scale)];
    this.lost = 0;
    this.#film(this.#stream, work);
  }

  close() {
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = this.#video.srcObject = null;
    this.onchange();
  }

  #film(stream, work) {
    const end = () => {
      if (this.#stream !== stream) return;
      this.close();
      this.onend();
    };
    for (const track of stream.getTracks()) for (const event of ["ended", "mute"]) track.addEventListener(event, end);
    let [place, moved] = [-1, performance.now()];
    const timer = setInterval(() => {
      if (this.#stream !== stream) return clearInterval(timer);
      const now = performance.now();
      if (this.#video.currentTime !== place) [place, moved] = [this.#video.currentTime, now];
      else if (now - moved > FROZEN) return end();
      this.count += 1;
      this.#context.drawImage(this.#video, 0, 0, this.picture.width, this.picture.height);
      work();
    }, PERIOD);
  }

  /** The picture as a message: the gray of each pixel. */
  message() {
    const { width, height } = this.picture;
    const colours = this.#context.getImageData(0, 0, width, height).data;
    const bytes = new Uint8Array(HEADER + width * height);
    const head = new DataView(bytes.buffer);
    head.setUint8(0, VERSION);
    head.setUint8(1, KIND);
    head.setUint16(2, width, true);
    head.setUint16(4, height, true);
    for (let place = HEADER, from = 0; place < bytes.length; place++, from += 4) {
      bytes[place] = (77 * colours[from] + 150 * colours[from + 1] + 29 * colours[from + 2]) >> 8;
    }
    return bytes;
  }
}

/** Draws the path, or a text at a place, in a colour that is seen on dark and on bright ground. */
function edged(context, colour, text, x, y) {
  const width = context.lineWidth;
  context.strokeStyle = "#0d0d14";
  context.lineWidth = width + 2;
  if (text) context.strokeText(text, x, y); else context.stroke();
  context.lineWidth = width;
  context.strokeStyle = context.fillStyle = colour;
  if (text) context.fillText(text, x, y); else context.stroke();
}

const camera = new Camera();

export function mapping(app) {
  const { link } = app;
  /** Whether the newest map is of this camera, and whether it is being made. */
  const isOfOurs = () => link.states.mapping.source === "browser" && link.states.mapping.client === link.client;
  const isOurs = () => link.states.mapping.running && isOfOurs();
  const source = choice("Camera", [], () => { edition += 1; show(); });
  const sources = (hasServer) => [{ id: "browser", name: "This browser's camera" }, ...hasServer ? [{ id: "server", name: "The server's camera" }] : [],
    { id: "simulated", name: "Simulated camera and lamps" }];
  const device = choice("Which camera", [], (id) => app.attempt(async () => {
    camera.device = id;
    await film();
  }));
  const scene = choice("Scene", [], () => {});
  const method = choice("Method", [], () => {});
  const hold = h("input", { type: "number", id: "hold", min: "1", max: "1000", step: "1", value: "2" });
  const again = h("input", { type: "checkbox", ".checked": true });
  const open = h("button", { type: "button", onclick: () => app.attempt(async () => {
    if (source.select.value === "server") await link.act("mapping/camera", { open: !link.states.mapping.camera.open });
    else if (camera.isOpen) camera.close();
    else await film();
  }).finally(() => show()) }, "Open the camera");
  const start = h("button", { type: "button", class: "primary", onclick: () => app.attempt(begin).finally(() => show()) }, "Start");
  const steps = new Map(Object.entries(STEPS).map(([id, name]) => {
    const [mark, spoken] = [h("span", { "aria-hidden": "true" }), h("span", { class: "hidden" })];
    return [id, { mark, spoken, item: h("li", {}, mark, " ", OF_LIGHTS.includes(id) ? h("a", { href: "#/lights" }, name) : name, spoken) }];
  }));
  /** Marks the steps: `done`, by their ids; those that are not there are not needed. */
  const showSteps = (done) => {
    const next = Object.keys(done).find((id) => !done[id]);
    for (const [id, { mark, spoken, item }] of steps) {
      item.hidden = !(id in done);
      const [sign, word] = done[id] ? ["✓", "done"] : id === next ? ["●", "now"] : ["○", "to come"];
      item.dataset.mark = sign;
      say(mark, sign);
      say(spoken, `: ${word}`);
      if (id === next) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
    }
  };
  const output = h("p", { class: "note" });
  const input = h("p", { role: "status" });
  const status = h("p", { role: "status" });
  const bar = h("progress", { max: "1", "aria-label": "Progress of the phase" });
  const failure = h("p", { class: "error", role: "alert" });
  const counts = { found: figure("Found", ""), frames: figure("Frames", ""), lost: figure("Frames lost", ""), delay: figure("Delay", "frames") };
  const list = table("Fixtures", ["Fixture", "Place in pixels", "Confidence", "Notes"]);
  list.element.classList.add("tall");
  list.element.hidden = true;
  const download = h("a", { class: "button", download: "map.json", hidden: true }, "Download the map");
  const none = h("p", { class: "note" }, "No map yet.");
  const gray = h("canvas", {});
  let [number, map, cells, sequence] = [0, null, [], -1];
  /** The newest frame that was offered to be shown. */
  let offered = "";
  /** Of what is drawn: it grows with each change. */
  let edition = 0;

  const begin = async () => {
    if (link.states.mapping.running) return link.act("mapping/stop");
    const settings = { source: source.select.value, method: method.select.value, hold: Number(hold.value), again: again.checked };
    if (settings.source === "simulated") return link.act("mapping/start", { ...settings, scene: scene.select.value });
    if (settings.source === "server") return link.act("mapping/start", settings);
    if (!camera.isOpen) await film();
    // No lamp is lit before the server has a frame.
    if (!link.binary(camera.message())) throw new Error("The connection is behind: try again.");
    await link.act("mapping/start", { ...settings, width: camera.picture.width, height: camera.picture.height });
  };
  const film = () => camera.open(() => {
    if (isOurs()) {
      if (!link.binary(camera.message())) camera.lost += 1;
    } else if (location.hash !== "#/mapping") camera.close();
  });
  camera.onchange = () => { edition += 1; show(); };
  camera.onend = () => {
    app.report("The camera stopped.");
    if (isOurs()) app.attempt(() => link.act("mapping/stop"));
  };

  const seen = () => (camera.isOpen && source.select.value === "browser" ? camera.picture : gray);
  /** What is shown of it, and whether there is nothing. */
  const picture = h("canvas", {});
  let isBlank = true;
  const limit = new FlashLimit();
  const view = plot("Picture of the camera with the places that were found; the table below says the same", 0, (context, width, height) => {
    context.clearRect(0, 0, width, height);
    if (isBlank) return void blank(context, width, height, { browser: "No camera is open", server: "No frame has come yet" }[source.select.value] ?? "Start shows the simulated camera");
    context.drawImage(picture, 0, 0, width, height);
    // Places of one camera say nothing in the picture of another.
    const chosen = source.select.value;
    if (!map || (chosen === "browser" ? camera.isOpen && !isOfOurs() : link.states.mapping.source !== chosen)) return;
    const [across, down] = [width / map.width, height / map.height];
    context.font = "12px Roboto, sans-serif";
    context.lineWidth = 2;
    context.lineJoin = "round";
    const isNamed = map.fixtures.length <= NAMED;
    // Many marks are small, so that their middles stay apart.
    const size = isNamed ? 8 : Math.min(8, Math.max(1.5, Math.sqrt(width * height / map.fixtures.length) / 5));
    if (!isNamed) context.lineWidth = Math.min(2, size / 2);
    for (const { id, found, x, y, sure, mirror } of map.fixtures) {
      if (!found) continue;
      const [left, top] = [(x + 0.5) * across, (y + 0.5) * down];
      const colour = sure ? "#58e69a" : "#ffc689";
      context.beginPath();
      // Unsure ones are squares.
      if (sure) context.arc(left, top, size, 0, 7); else context.rect(left - size, top - size, 2 * size, 2 * size);
      edged(context, colour);
      if (!isNamed) continue;
      const name = cells[id] ?? String(id);
      // Beside the light, on its other side where the picture ends.
      const length = context.measureText(name).width;
      edged(context, colour, name, left + 14 + length < width ? left + 14 : left - 14 - length, top + 4);
      if (!mirror) continue;
      const [over, under] = [(mirror[0] + 0.5) * across, (mirror[1] + 0.5) * down];
      context.beginPath();
      for (const slope of [1, -1]) {
        context.moveTo(over - 5, under - 5 * slope);
        context.lineTo(over + 5, under + 5 * slope);
      }
      edged(context, "#d0a5ff");
    }
  });
  view.canvas.classList.add("camera");

  const showMap = () => {
    list.set((map?.fixtures ?? []).map(({ id, found, x, y, confidence, sure, reason, mirror }) => [cells[id] ?? String(id),
      found ? `${fixed(x)}, ${fixed(y)}` : "–", found ? `${fixed(100 * confidence, 0)} %` : "Not found",
      found ? [sure ? "" : "Unsure", mirror ? "Has a mirror image" : ""].filter(Boolean).join(", ") || "–" : REASONS[reason] ?? reason ?? "–"]));
    list.element.hidden = !map;
    none.hidden = Boolean(map);
    URL.revokeObjectURL(download.href);
    if (map) download.href = URL.createObjectURL(new Blob([JSON.stringify(map)], { type: "application/json" }));
    download.hidden = !map;
    edition += 1;
    // A map is no motion: its marks are drawn on a page that is paused, too.
    if (link.paused) view.draw(edition);
  };
  const load = () => app.attempt(async () => {
    ({ map, cells } = await link.act("mapping/result"));
    showMap();
  });
  const showCounts = (state) => {
    bar.value = state.part ?? 0;
    say(counts.found.output, state.phase ? `${state.found} of ${state.count}` : "–");
    say(counts.frames.output, state.frames === undefined ? "–" : String(state.frames));
    say(counts.lost.output, state.frames === undefined ? "–" : String(state.lost + (isOurs() ? camera.lost : 0)));
    say(counts.delay.output, fixed(state.delay ?? NaN));
  };
  const show = () => {
    const { mapping: state, lights } = link.states;
    if (!state) return;
    const chosen = state.running ? state.source : source.select.value;
    const [isSimulated, isServers] = [chosen === "simulated", chosen === "server"];
    say(start, state.running ? "Stop" : "Start");
    say(open, (isServers ? state.camera.open : camera.isOpen) ? "Close the camera" : "Open the camera");
    open.hidden = isSimulated;
    open.disabled = isServers ? state.running : isOurs() || camera.isOpening;
    const fault = isServers ? state.camera.error : null;
    const { name, width, height } = state.camera ?? {};
    say(input, fault ? `${name}: ${fault.message}. ${fault.advice ?? ""}` : width ? `${name}: ${width} × ${height} pixels.` : state.camera?.open ? `${name}: waits for its first frame.` : name ? `Frames come from ${name}.` : "");
    input.className = fault ? "error" : "note";
    input.hidden = !isServers;
    scene.element.hidden = !isSimulated;
    device.set(camera.devices.map(({ deviceId, label }, place) => ({ id: deviceId, name: label || `Camera ${place + 1}` })), camera.device || undefined);
    device.element.hidden = chosen !== "browser" || camera.devices.length < 2;
    device.select.disabled = state.running || camera.isOpening;
    for (const each of [source.select, scene.select, method.select, hold, again]) each.disabled = state.running;
    const target = lights?.output ? `The lamps of ${lights.output} are lit in patterns, at full whatever the master is, and then are the show's again.` : "No output is armed: start the show on the screen of the lights, and arm it.";
    const isDark = Boolean(lights?.blackout) && !state.running;
    say(output, isSimulated ? "Nothing is sent to lamps: simulated ones are lit." : isDark ? "The light is out: restore it first." : target);
    const isDone = !state.running && state.phase === "done";
    showSteps({ ...isSimulated ? {} : { show: Boolean(lights?.running), arm: Boolean(lights?.output), open: isServers ? Boolean(width) : camera.isOpen }, start: state.running || isDone, map: isDone });
    const isReady = isServers ? Boolean(width) : !camera.isOpening;
    start.disabled = !state.running && !isSimulated && (!isReady || isDark || !lights?.output);
  };

  return {
    title: "Mapping", lead: "A camera that stands still finds which lamp is where. It goes on past lamps that stay dark: each lamp gets a place, or the reason why it has none.",
    topics: ["camera"],
    elements: [h("div", { class: "cards" },
      h("section", { class: "card wide" }, h("ol", { class: "steps numbered", "aria-label": "Steps" }, [...steps.values()].map(({ item }) => item)),
        h("div", { class: "row" }, source.element, device.element, scene.element, method.element, h("label", { for: "hold" }, "Frames for each pattern"), hold, h("label", {}, again, "Light once more what was not found")),
        output, h("div", { class: "row" }, start, open), input, failure, status, bar, view.canvas,
        h("div", { class: "figures" }, Object.values(counts).map((each) => each.element)),
        h("p", { class: "note" }, "Rings are sure, squares unsure, crosses mirror images. All clients that show this screen see the picture. Lamps flash in patterns: look away from them if that harms you.")),
      h("section", { class: "card wide" }, h("h2", {}, "Fixtures"), h("div", { class: "row" }, download, h("a", { href: "#/lights", class: "note" }, "The lights")), none, list.element))],
    state(name, state) {
      if (name === "lights") show();
      if (name !== "mapping") return;
      // The camera may have stopped before the start of its mapping was known here.
      if (isOurs() && !camera.isOpen) app.attempt(() => link.act("mapping/stop"));
      source.set(sources(state.camera), state.running ? state.source : undefined);
      method.set(state.methods.map((id) => ({ id, name: METHODS[id] ?? id })), state.running ? state.method : undefined);
      scene.set(state.scenes.map((id) => ({ id, name: SCENES[id] ?? id })));
      if (state.running) {
        [hold.value, again.checked] = [state.hold, state.again];
      }
      if (number !== state.map) { number = state.map; load(); }
      const word = state.phase ? PHASES[state.phase] : state.running ? PHASES.delay : "";
      speak(status, state.running ? `${word}…` : state.phase === "done" ? `Done: ${state.found} of ${state.count} found${state.found === 0 ? `. ${NOTHING}` : ""}` : state.phase && !state.error ? "Stopped" : "");
      say(failure, state.error ? `${state.error.message}. ${state.error.advice ?? ""}` : "");
      failure.hidden = !state.error;
      bar.hidden = !state.running;
      if (!link.paused) showCounts(state);
      show();
    },
    draw() {
      const value = link.values.camera;
      if (value && value.sequence !== sequence) {
        sequence = value.sequence;
        const [width, height] = [value.view.getUint16(0, true), value.view.getUint16(2, true)];
        const image = new ImageData(width, height);
        for (let place = 0; place < width * height; place++) image.data.fill(value.bytes[4 + place], 4 * place, 4 * place + 3);
        for (let place = 3; place < image.data.length; place += 4) image.data[place] = 255;
        [gray.width, gray.height] = [width, height];
        gray.getContext("2d").putImageData(image, 0, 0);
      }
      const source = seen();
      const frame = source === gray ? `server ${sequence}` : `browser ${camera.count}`;
      const isNothing = source === gray && sequence < 0;
      if (isNothing !== isBlank) {
        isBlank = isNothing;
        edition += 1;
      }
      if (frame !== offered && !isBlank) {
        offered = frame;
        limit.offer(source, () => {
          [picture.width, picture.height] = [source.width, source.height];
          picture.getContext("2d").drawImage(source, 0, 0);
          view.canvas.style.aspectRatio = `${picture.width} / ${picture.height}`;
          edition += 1;
        });
      }
      view.draw(edition);
    },
  };
}
