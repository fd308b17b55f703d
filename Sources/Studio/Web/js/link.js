// The connection to the server: one WebSocket, states, and the newest value of each topic.

const TOPICS = ["", "prices", "meter", "spectrum", "pitch", "tempo", "lights", "levels", "voice", "recording", "candles", "camera"];
/** The topics of the sound. */
export const SOUND = ["meter", "spectrum", "pitch", "levels", "voice"];
const HEADER = 20;
/** The most bytes of what an action is given: the server takes 64 KiB with its name. */
const LONGEST = (1 << 16) - 256;
/** Why a connection is closed: the rules of access refuse it, or the session of the account has ended. */
const REFUSED = 1008;
const ENDED = "the session has ended";
const [FIRST_WAIT, LONGEST_WAIT] = [250, 8000];
/** The milliseconds without a message after which the server is gone: it sends one every 15 s, whatever else it sends. */
const SILENCE = 25000;
/** How much faster one of two clocks may run. */
const DRIFT = 200e-6;
/** The most values of a topic that wait for the next picture. */
const MOST = 100;

export class Link extends EventTarget {
  states = {};
  values = {};
  /** How many values of each topic were lost since the page was opened: newer ones replaced them before they were sent or drawn. */
  losses = {};
  client = 0;
  /** connecting, live, lost, or refused: the token is another one. */
  status = "connecting";
  paused = false;
  /** How often values began anew: what came meanwhile was not lost. */
  renewals = 0;
  /** Whether the server has started anew since the connection before. */
  isRestarted = false;

  #run = null;
  #socket = null;
  #topics = new Set();
  /** The values since the last picture, of the topics of which each one is drawn. */
  #fresh = {};
  #wait = FIRST_WAIT;
  /** The timer of the next try; null: none waits. */
  #retry = null;
  /** The timer that ends a silent connection. */
  #silence = 0;
  #isRenewed = false;
  /** What actions wait for while the page makes its connection anew: `promise`, and `end`, which fulfils it; null: it does not. */
  #renewal = null;
  /**
   * How far this page's clock is ahead of the server's, in ms, by the value with the shortest way, and when that was known; -Infinity: before
   * this connection.
   */
  #clock = null;
  /** The time at which the values stand still; null: they go on. */
  #stopped = null;
  #requests = new Map();
  #next = 1;

  connect() {
    this.#retry = null;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      this.#listen(socket);
      if (typeof data === "string") this.#text(JSON.parse(data));
      else this.#frame(data);
    };
    socket.onclose = ({ code, reason }) => this.#lost(reason === ENDED ? 1000 : code);
    this.#socket = socket;
    this.#listen(socket);
  }

  /** Waits for the next message: a server that was cut off closes nothing. */
  #listen(socket) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      // Its end would wait for the server, too.
      socket.onmessage = socket.onclose = null;
      socket.close();
      this.#lost();
    }, SILENCE);
  }

  /** Tries now where a try waits for its time: the page is seen again, or the network is back. */
  hurry() {
    if (this.#retry === null) return;
    clearTimeout(this.#retry);
    this.#wait = FIRST_WAIT;
    this.connect();
  }

  /** Connects anew, with the cookies of now. */
  reconnect() {
    if (this.#retry !== null) return this.hurry();
    // Nothing is sent by the one that closes.
    [this.#isRenewed, this.status] = [true, "connecting"];
    if (!this.#renewal) {
      this.#renewal = {};
      this.#renewal.promise = new Promise((end) => { this.#renewal.end = end; });
    }
    this.#socket.close();
  }

  /** Receives these topics from now on, and no others; `courses`: those of which a picture shows each value, and not only the newest. */
  want(topics, courses = []) {
    const before = this.#topics;
    this.#topics = new Set(topics);
    const subscribe = [...this.#topics].filter((topic) => !before.has(topic));
    const unsubscribe = [...before].filter((topic) => !this.#topics.has(topic));
    for (const topic of unsubscribe) delete this.values[topic];
    this.#fresh = Object.fromEntries(courses.map((topic) => [topic, this.values[topic] ? [this.values[topic]] : []]));
    if (subscribe.length || unsubscribe.length) this.#send({ subscribe, unsubscribe });
  }

  /** The values of each course since the last call, oldest first. */
  take() {
    const fresh = this.#fresh;
    this.#fresh = Object.fromEntries(Object.keys(fresh).map((topic) => [topic, []]));
    return fresh;
  }

  /** Lets the values stand still, or go on. */
  pause(paused) {
    if (paused !== this.paused) this.#stopped = paused ? this.now : null;
    this.paused = paused;
    this.renewals += 1;
    this.#send({ pause: paused || document.hidden });
  }

  /** Performs an action; rejects with the server's error, or with one that `isUncertain`: the server may have performed it. */
  act(name, argument = {}) {
    // The next connection is there in a moment.
    if (this.#renewal) return this.#renewal.promise.then(() => this.act(name, argument));
    if (!this.#isOpen) return Promise.reject(new Error("not connected"));
    // The server ends a connection with a longer message.
    if (new Blob([JSON.stringify(argument)]).size > LONGEST) return Promise.reject(new Error("expected at most 64 KiB, got more"));
    const id = this.#next++;
    const answer = new Promise((resolve, reject) => this.#requests.set(id, { resolve, reject }));
    this.#send({ id, do: name, with: argument });
    return answer;
  }

  /** The time of an event in microseconds since the server's start; undefined before the first value has come. */
  time({ timeStamp }) { return Number.isFinite(this.#clock?.at) ? Math.max(0, Math.round(1000 * (timeStamp - this.#clock.ahead))) : undefined; }

  /** Now, in milliseconds since the server's start, as the times of the values are, which stand still in a pause; 0 before the first one. */
  get now() { return this.#stopped ?? (this.#clock ? performance.now() - this.#clock.ahead : 0); }

  /** Sends a block of sound or a frame of a camera, unless there is no connection or it is behind; returns whether it did. */
  binary(bytes) {
    if (!this.#isOpen || this.#socket.bufferedAmount >= 1 << 18) return false;
    this.#socket.send(bytes);
    return true;
  }

  /** Whether the socket takes messages: one that either end closes does not, also before its event of the end. */
  get #isOpen() { return this.status === "live" && this.#socket.readyState === WebSocket.OPEN; }

  #send(message) {
    if (this.#isOpen) this.#socket.send(JSON.stringify({ v: 1, ...message }));
  }

  #text(message) {
    if (message.type === "hello") {
      [this.status, this.client, this.#wait] = ["live", message.client, FIRST_WAIT];
      this.#endRenewal();
      this.states = message.states;
      this.isRestarted = this.#run !== null && this.#run !== message.run;
      this.#run = message.run;
      if (this.isRestarted) this.values = {};
      // One of the two may have stood still.
      if (this.#clock) this.#clock.at = -Infinity;
      this.renewals += 1;
      this.#send({ subscribe: ["account", ...this.#topics], pause: this.paused || document.hidden });
      this.#report("status");
      for (const name of Object.keys(this.states)) this.#report("state", name);
    } else if (message.type === "state") {
      this.states[message.name] = message.state;
      this.#report("state", message.name);
    } else if (message.type === "account" || message.type === "preview") {
      this.#report("account", message);
    } else if (message.id !== undefined) {
      const request = this.#requests.get(message.id);
      this.#requests.delete(message.id);
      if (message.error) {
        request?.reject(Object.assign(new Error(message.error.message), message.error));
      } else request?.resolve(message.result);
    }
  }

  #frame(data) {
    const view = new DataView(data);
    if (data.byteLength < HEADER || view.getUint8(0) !== 1) return;
    const at = performance.now();
    const time = Number(view.getBigUint64(8, true)) / 1000;
    const ahead = at - time;
    this.#clock = { ahead: this.#clock ? Math.min(ahead, this.#clock.ahead + DRIFT * (at - this.#clock.at)) : ahead, at };
    const topic = TOPICS[view.getUint8(1)];
    const lost = view.getUint32(16, true);
    // Those before the first value that is shown, too.
    if (topic && lost) this.losses[topic] = (this.losses[topic] ?? 0) + lost;
    // Also one that was on its way when its screen was left.
    if (!this.#topics.has(topic) || this.paused) return;
    // One that was on its way when the sound ended.
    if (this.states.sound?.kind === "none" && SOUND.includes(topic)) return;
    const value = { view: new DataView(data, HEADER), bytes: new Uint8Array(data, HEADER), sequence: view.getUint32(4, true), time, at };
    this.values[topic] = value;
    const course = this.#fresh[topic];
    if (!course) return;
    course.push(value);
    if (course.length <= MOST) return;
    // No picture was drawn for long.
    course.shift();
    this.losses[topic] = (this.losses[topic] ?? 0) + 1;
  }

  #lost(code) {
    clearTimeout(this.#silence);
    this.status = code === REFUSED ? "refused" : this.#isRenewed ? "connecting" : "lost";
    for (const { reject } of this.#requests.values()) reject(Object.assign(new Error("the connection was lost"), { isUncertain: true }));
    this.#requests.clear();
    if (!this.#isRenewed) this.#endRenewal();
    this.#report("status");
    if (code === REFUSED) return;
    this.#retry = setTimeout(() => this.connect(), this.#isRenewed ? 0 : this.#wait * (0.75 + Math.random() / 2));
    this.#isRenewed = false;
    this.#wait = Math.min(LONGEST_WAIT, 2 * this.#wait);
  }

  #endRenewal() {
    this.#renewal?.end();
    this.#renewal = null;
  }

  #report(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}
