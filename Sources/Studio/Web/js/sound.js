// The source of the sound: the server's demo or devices, or this browser's microphone or file.

import { h } from "./dom.js";

const HEADER = 16;

export class BrowserSound {
  /** Samples sent since it was opened. */
  sent = 0;
  /** The name of the file that plays; null: the microphone, or nothing. */
  file = null;
  #context = null;
  #stream = null;
  #sequence = 0;

  get isOpen() { return this.#context !== null; }

  /** Opens the microphone and sends its sound; throws with a reason for a person. */
  async openMicrophone(link) {
    await this.close();
    if (!window.isSecureContext || !navigator.mediaDevices) {
      throw new Error("The browser gives its microphone to https and to this machine's own addresses only. Choose a device of the server.");
    }
    const audio = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio });
    } catch (error) {
      throw new Error(`The microphone was not opened: ${error.message}`);
    }
    this.#context = new AudioContext();
    await this.#start(link, this.#context.createMediaStreamSource(this.#stream));
  }

  /** Plays a file again and again, here and to the engines; throws with a reason for a person. */
  async openFile(link, file) {
    await this.close();
    const context = new AudioContext();
    let buffer;
    try {
      buffer = await context.decodeAudioData(await file.arrayBuffer());
    } catch {
      await context.close();
      throw new Error(`${file.name} is no sound file that this browser plays`);
    }
    this.#context = context;
    const source = new AudioBufferSourceNode(context, { buffer, loop: true });
    source.connect(context.destination);
    this.file = file.name;
    await this.#start(link, source);
    source.start();
  }

  /** Closes the microphone or the file. */
  async close() {
    const [context, stream] = [this.#context, this.#stream];
    [this.#context, this.#stream, this.file] = [null, null, null];
    stream?.getTracks().forEach((track) => track.stop());
    await context?.close();
  }

  async #start(link, source) {
    const context = this.#context;
    await context.audioWorklet.addModule("js/microphone.js");
    // The engines hear one channel: of more the mean.
    const node = new AudioWorkletNode(context, "rustle-microphone", { channelCount: 1, channelCountMode: "explicit", numberOfOutputs: 0 });
    node.port.onmessage = ({ data }) => this.#send(link, data);
    source.connect(node);
    await context.resume();
    [this.sent, this.#sequence] = [0, 0];
    await link.act("sound/select", { kind: "browser" });
  }

  #send(link, samples) {
    if (!this.#context) return;
    const bytes = new ArrayBuffer(HEADER + 4 * samples.length);
    const view = new DataView(bytes);
    view.setUint8(0, 1);
    view.setUint8(1, 1);
    view.setUint16(2, 1, true);
    view.setUint32(4, this.#sequence++, true);
    view.setUint32(8, this.#context.sampleRate, true);
    view.setUint32(12, samples.length, true);
    samples.forEach((sample, place) => view.setFloat32(HEADER + 4 * place, sample, true));
    link.sound(bytes);
    this.sent += samples.length;
  }
}

/** The name of a sound's source. */
export function sourceName(sound, { link, browserSound }) {
  switch (sound?.kind) {
    case "demo": return "Demo tone";
    case "device": return sound.name;
    case "browser": return sound.client === link.client ? browserSound.file ?? "This microphone" : "Another browser";
    default: return "No sound";
  }
}

/** The picker of the header. */
export function picker(app) {
  const { link, browserSound } = app;
  const file = h("input", { type: "file", accept: "audio/*", class: "hidden", tabindex: "-1", "aria-label": "Sound file",
    onchange: () => file.files[0] && app.attempt(() => browserSound.openFile(link, file.files[0])).finally(show) });
  const select = h("select", { id: "source-select", onchange: () => choose(select.value) });
  const choose = (value) => app.attempt(async () => {
    if (value === "file") {
      file.value = "";
      return file.click();
    }
    if (value === "browser") return browserSound.openMicrophone(link);
    await browserSound.close();
    const [kind, name] = value.startsWith("device:") ? ["device", value.slice(7)] : [value, undefined];
    await link.act("sound/select", { kind, name });
  }).finally(show);
  const show = () => {
    const sound = link.states.sound ?? { kind: "none", devices: [] };
    const isFile = browserSound.file !== null && sound.kind === "browser" && sound.client === link.client;
    const options = [["none", "No sound"], ["demo", "Demo tone"], ["browser", "This microphone"], ["file", "A file…"]]
      .concat(sound.devices.map((device) => [`device:${device.name}`, `Server: ${device.name}`]));
    const isOther = sound.kind === "browser" && sound.client !== link.client;
    if (isOther || isFile) options.push(["now", sourceName(sound, app)]);
    select.replaceChildren(...options.map(([value, name]) => h("option", { value }, name)));
    select.value = isOther || isFile ? "now" : sound.kind === "device" ? `device:${sound.name}` : sound.kind;
  };
  link.addEventListener("state", ({ detail }) => {
    if (detail !== "sound") return;
    show();
    const { kind, client, error } = link.states.sound;
    if (error) app.report(error);
    if (browserSound.isOpen && (kind !== "browser" || client !== link.client)) browserSound.close();
  });
  show();
  return [h("label", { for: "source-select" }, "Sound"), select, file];
}
