// Runs in the audio thread: blocks of the first channel to the page.

const LENGTH = 960;

registerProcessor("rustle-microphone", class extends AudioWorkletProcessor {
  #block = new Float32Array(LENGTH);
  #filled = 0;

  process([input]) {
    for (const sample of input[0] ?? []) {
      this.#block[this.#filled++] = sample;
      if (this.#filled === LENGTH) {
        this.port.postMessage(this.#block.slice());
        this.#filled = 0;
      }
    }
    return true;
  }
});
