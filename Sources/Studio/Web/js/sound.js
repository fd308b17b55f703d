// The source of the sound: the server's demo or devices, or this browser's microphone or file.

import { h } from "./dom.js";
import { tabStore } from "./store.js";

const HEADER = 16;
/** Without worklets: the samples of a block, the milliseconds from one look at what has played to the next, and the seconds after which it is not sent. */
const [BLOCK, PERIOD, LATEST] = [960, 20, 0.5];
/** The sound that this page has chosen, kept until its tab is closed: no other tab opens the microphone by itself. */
const CHOICE = "rustle-sound";

export class BrowserSound {
  /** Samples sent since it was opened. */
  sent = 0;
  /** The client as which the server has chosen it; null: it has not yet. */
  client = null;
  /** Whether its connection was lost since. */
  isBroken = false;
  /** The name of the file that plays; null: the microphone, or nothing. */
  file = null;
  #context = null;
  #stream = null;
  #sequence = 0;
  #turn = Promise.resolve();
  #isSelecting = false;

  /** Called when the microphone was taken away. */
  onlost = () => {};

  get isOpen() { return this.#context !== null; }

  /** Opens the microphone and sends its sound; throws with a reason for a person. */
  openMicrophone(link) { return this.#inTurn(() => this.#microphone(link)); }

  /** Plays a file again and again, here and to the engines; throws with a reason for a person. */
  openFile(link, file) { return this.#inTurn(() => this.#play(link, file)); }

  /** Closes the microphone or the file. */
  close() { return this.#inTurn(() => this.#end()); }

  /** Asks the server for this sound: at its beginning, and on each connection after the first one. */
  async select(link) {
    if (this.#isSelecting) return;
    this.#isSelecting = true;
    try {
      const { client } = link;
      const [track] = this.#stream?.getAudioTracks() ?? [];
      // By this name the meter knows its calibration.
      await link.act("sound/select", { kind: "browser", name: this.file ?? (track?.label || undefined) });
      if (this.isOpen) [this.client, this.isBroken] = [client, false];
    } finally {
      this.#isSelecting = false;
    }
  }

  /** Whether it is the microphone. */
  get hasMicrophone() { return this.#stream !== null; }

  /** Works after what was asked for before. */
  #inTurn(work) {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  // What cannot be opened leaves the sound before as it is.
  async #microphone(link) {
    if (!window.isSecureContext || !navigator.mediaDevices) {
      throw new Error("The browser gives its microphone to https and to this machine's own addresses only. Choose a device of the server.");
    }
    const audio = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio });
    } catch (error) {
      throw new Error(`The microphone was not opened: ${error.message}`);
    }
    await this.#end();
    [this.#context, this.#stream] = [new AudioContext(), stream];
    for (const track of stream.getTracks()) track.addEventListener("ended", () => { if (this.#stream === stream) this.onlost(); });
    await this.#start(link, this.#context.createMediaStreamSource(this.#stream));
  }

  async #play(link, file) {
    const context = new AudioContext();
    let buffer;
    try {
      buffer = await context.decodeAudioData(await file.arrayBuffer());
    } catch {
      await context.close();
      throw new Error(`${file.name} is no sound file that this browser plays`);
    }
    await this.#end();
    this.#context = context;
    const source = new AudioBufferSourceNode(context, { buffer, loop: true });
    source.connect(context.destination);
    this.file = file.name;
    await this.#start(link, source);
    source.start();
    if (!context.audioWorklet) this.#cut(link, buffer);
  }

  async #end() {
    const [context, stream] = [this.#context, this.#stream];
    [this.#context, this.#stream, this.file, this.client] = [null, null, null, null];
    stream?.getTracks().forEach((track) => track.stop());
    await context?.close();
  }

  async #start(link, source) {
    try {
      await this.#connect(link, source);
    } catch (error) {
      await this.#end();
      throw error;
    }
  }

  async #connect(link, source) {
    const context = this.#context;
    if (context.audioWorklet) {
      await context.audioWorklet.addModule("js/microphone.js");
      // The engines hear one channel: of more the mean.
      const node = new AudioWorkletNode(context, "rustle-microphone", { channelCount: 1, channelCountMode: "explicit", numberOfOutputs: 0 });
      node.port.onmessage = ({ data }) => this.#send(link, data);
      source.connect(node);
    }
    // Not awaited: of a page that nobody has touched it may wait for a touch.
    context.resume().catch(() => {});
    [this.sent, this.#sequence] = [0, 0];
    await this.select(link);
  }

  /** Sends a file as it plays, where the browser has no worklets: those of http in a network. */
  #cut(link, buffer) {
    const context = this.#context;
    const channels = Array.from({ length: buffer.numberOfChannels }, (_, channel) => buffer.getChannelData(channel));
    const sampleAt = (place) => channels.reduce((sum, samples) => sum + samples[place % buffer.length], 0) / channels.length;
    const played = () => Math.floor((context.currentTime - start) * context.sampleRate);
    const start = context.currentTime;
    let sent = 0;
    const timer = setInterval(() => {
      if (this.#context !== context) return clearInterval(timer);
      // What a hidden page has missed is over.
      if (played() - sent > LATEST * context.sampleRate) sent = played();
      for (; sent + BLOCK <= played(); sent += BLOCK) this.#send(link, Float32Array.from({ length: BLOCK }, (_, place) => sampleAt(sent + place)));
    }, PERIOD);
  }

  #send(link, samples) {
    // Before the server has chosen it nobody hears it.
    if (!this.#context || this.client === null || this.isBroken) return;
    const bytes = new ArrayBuffer(HEADER + 4 * samples.length);
    const view = new DataView(bytes);
    view.setUint8(0, 1);
    view.setUint8(1, 1);
    view.setUint16(2, 1, true);
    view.setUint32(4, this.#sequence++, true);
    view.setUint32(8, this.#context.sampleRate, true);
    view.setUint32(12, samples.length, true);
    samples.forEach((sample, place) => view.setFloat32(HEADER + 4 * place, sample, true));
    if (link.binary(bytes)) this.sent += samples.length;
  }
}

/** The name of a sound's source. */
export function sourceName(sound, { link, browserSound }) {
  switch (sound?.kind) {
    case "demo": return "Demo tone";
    case "device": return sound.devices.find((device) => device.name === sound.name)?.description || sound.name;
    case "browser": return sound.client === link.client ? browserSound.file ?? "This microphone" : "Another browser";
    default: return "No sound";
  }
}

/** The picker of the header. */
export function picker(app) {
  const { link, browserSound } = app;
  const file = h("input", { type: "file", accept: "audio/*", class: "hidden", tabindex: "-1", "aria-label": "Sound file",
    onchange: () => file.files[0] && app.attempt(() => browserSound.openFile(link, file.files[0])).finally(show) });
  // Arrow keys walk through the choices; Enter, or leaving the list, makes the choice.
  let isWalking = false;
  const decide = () => {
    if (isWalking) choose(select.value);
    isWalking = false;
  };
  const select = h("select", { id: "source-select", onchange: () => { if (!isWalking) choose(select.value); }, onblur: decide,
    onpointerdown: () => { isWalking = false; },
    onkeydown: ({ key }) => { if (key === "Enter") decide(); else if (key !== "Tab" && key !== "Shift") isWalking = true; } });
  const open = h("button", { type: "button", onclick: () => { file.value = ""; file.click(); } }, "File…");
  const choose = (value) => app.attempt(async () => {
    if (value === "now") return;
    if (value === "browser") return browserSound.openMicrophone(link);
    const [kind, name] = value.startsWith("device:") ? ["device", value.slice(7)] : [value, undefined];
    await link.act("sound/select", { kind, name });
    await browserSound.close();
  }).finally(show);
  browserSound.onlost = () => app.attempt(async () => {
    await browserSound.close();
    await link.act("sound/select", { kind: "none" });
    throw new Error("The microphone was taken away: it was unplugged, or the browser no longer gives it. Choose a sound again.");
  });
  const show = () => {
    const sound = link.states.sound ?? { kind: "none", devices: [] };
    const isFile = browserSound.file !== null && sound.kind === "browser" && sound.client === link.client;
    const options = [["none", "No sound"], ["demo", "Demo tone"], ["browser", "This microphone"]]
      .concat(sound.devices.map((device) => [`device:${device.name}`, `Server: ${device.description || device.name}`]));
    const isOther = sound.kind === "browser" && sound.client !== link.client;
    if (isOther || isFile) options.push(["now", sourceName(sound, app)]);
    const texts = options.flat().join("\n");
    if (select.dataset.options !== texts) {
      select.dataset.options = texts;
      select.replaceChildren(...options.map(([value, name]) => h("option", { value }, name)));
    }
    if (isWalking) return;
    select.value = isOther || isFile ? "now" : sound.kind === "device" ? `device:${sound.name}` : sound.kind;
  };
  // Whether the sound is the first news of a connection: then nobody has chosen none.
  let isGreeting = false;
  const restore = async ({ kind, name }) => {
    if (kind !== "browser") return link.act("sound/select", { kind, name });
    // Otherwise a question would come that nobody expects.
    const permission = await navigator.permissions.query({ name: "microphone" }).catch(() => null);
    if (permission?.state === "granted") await browserSound.openMicrophone(link);
  };
  link.addEventListener("status", () => {
    isGreeting = link.status === "live";
    if (!isGreeting) browserSound.isBroken = true;
  });
  link.addEventListener("state", ({ detail }) => {
    if (detail !== "sound") return;
    show();
    const { kind, name, client, error } = link.states.sound;
    if (error) app.report(error);
    const isOurs = kind === "browser" && client === link.client;
    const isNobodys = kind === "none" || kind === "browser" && client === browserSound.client;
    const wasGreeting = isGreeting;
    isGreeting = false;
    if (browserSound.client !== null && !isOurs) {
      // The server has started again, or has not noticed yet that the connection of before is gone.
      if (browserSound.isBroken && isNobodys) app.attempt(() => browserSound.select(link));
      else browserSound.close();
    }
    const chosen = JSON.parse(tabStore.get(CHOICE));
    // The page was loaded again; the server may still have its former client.
    const isLeft = kind === "none" || kind === "browser" && client === chosen?.client;
    if (wasGreeting && isLeft && chosen && !browserSound.isOpen) return void app.attempt(() => restore(chosen));
    const isKept = kind === "demo" || kind === "device" || isOurs && browserSound.hasMicrophone;
    if (isKept) tabStore.set(CHOICE, JSON.stringify({ kind, name, client }));
    else if (!wasGreeting) tabStore.remove(CHOICE);
  });
  show();
  return [h("label", { for: "source-select" }, "Sound"), select, open, file];
}
