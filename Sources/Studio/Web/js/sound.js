// The source of the sound: the server's demo or devices, or this browser's microphone.

import { h } from "./dom.js";

const HEADER = 16;

export class Microphone {
  /** Samples sent since it was opened. */
  sent = 0;
  #context = null;
  #stream = null;
  #sequence = 0;

  get isOpen() { return this.#context !== null; }

  /** Opens the microphone and sends its sound; throws with a reason for a person. */
  async open(link) {
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
    await this.#context.audioWorklet.addModule("js/microphone.js");
    const node = new AudioWorkletNode(this.#context, "rustle-microphone");
    node.port.onmessage = ({ data }) => this.#send(link, data);
    this.#context.createMediaStreamSource(this.#stream).connect(node);
    await this.#context.resume();
    [this.sent, this.#sequence] = [0, 0];
    await link.act("sound/select", { kind: "browser" });
  }

  /** Closes the microphone. */
  async close() {
    this.#stream?.getTracks().forEach((track) => track.stop());
    await this.#context?.close();
    [this.#context, this.#stream] = [null, null];
  }

  #send(link, samples) {
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
export function sourceName(sound, link) {
  switch (sound?.kind) {
    case "demo": return "Demo tone";
    case "device": return sound.name;
    case "browser": return sound.client === link.client ? "This microphone" : "Another browser's microphone";
    default: return "No sound";
  }
}

/** The picker of the header. */
export function picker(app) {
  const { link, microphone } = app;
  const select = h("select", { id: "source-select", onchange: () => choose(select.value) });
  const choose = (value) => app.attempt(async () => {
    if (value === "browser") return microphone.open(link);
    await microphone.close();
    const [kind, name] = value.startsWith("device:") ? ["device", value.slice(7)] : [value, undefined];
    await link.act("sound/select", { kind, name });
  }).finally(show);
  const show = () => {
    const sound = link.states.sound ?? { kind: "none", devices: [] };
    const options = [["none", "No sound"], ["demo", "Demo tone"], ["browser", "This microphone"]]
      .concat(sound.devices.map((device) => [`device:${device.name}`, `Server: ${device.name}`]));
    const isOther = sound.kind === "browser" && sound.client !== link.client;
    if (isOther) options.push(["other", sourceName(sound, link)]);
    select.replaceChildren(...options.map(([value, name]) => h("option", { value }, name)));
    select.value = isOther ? "other" : sound.kind === "device" ? `device:${sound.name}` : sound.kind;
  };
  link.addEventListener("state", ({ detail }) => {
    if (detail !== "sound") return;
    show();
    const { kind, client, error } = link.states.sound;
    if (error) app.report(error);
    if (microphone.isOpen && (kind !== "browser" || client !== link.client)) microphone.close();
  });
  show();
  return [h("label", { for: "source-select" }, "Sound"), select];
}
