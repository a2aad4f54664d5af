// What the page knows: objects, entries of the timeline, and the state of the operator.

/** Makes characters visible that are invisible or reorder other text: those that `kube_codegen_formats::printable` escapes, which a test compares. */
export const plain = (text) =>
  String(text ?? "").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

/** Makes an element. Texts are never read as HTML. */
export const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") for (const [event, does] of Object.entries(value)) element.addEventListener(event, does);
    else if (name === "class") element.className = value;
    else if (name.startsWith("aria-")) element.setAttribute(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) element.append(child.nodeType ? child : plain(child));
  return element;
};

export const $ = (id) => document.getElementById(id);

export const objects = new Map();
export const byUid = new Map();
/** The entries, in the order in which they ended. */
export const entries = [];
const ofObject = new Map();
const eventsOf = new Map();
export const processes = [];
export let state = { now: 0, replicas: [], leases: {}, running: {}, limit: 100000 };
let received = performance.now();
let next = null;

/** Entries about an object. */
export const about = (key) => ofObject.get(key) ?? [];
/** The last Event of each reason about an object. */
export const eventsAbout = (key) => [...(eventsOf.get(key)?.values() ?? [])];
/** Microseconds since the start of the command, now. */
export const now = () => state.now + (performance.now() - received) * 1000;
export const endOf = (entry) => entry.at + (entry.took ?? 0);
export const seconds = (micros) => (micros / 1e6).toFixed(2);
export const duration = (micros) => (micros < 1000 ? `${micros} µs` : micros < 1e6 ? `${(micros / 1000).toFixed(1)} ms` : `${(micros / 1e6).toFixed(2)} s`);
/** Returns the index of the first entry that ended at this time or later. */
export const since = (list, time) => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(list[middle]) < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Returns the key of a replica's row. */
export const replicaKey = (number) => `replica/${number}`;
export const isReplica = (key) => /^replica\/\d+$/.test(key);
/** Returns the Leases that a replica holds. */
export const leasesOf = (number) => Object.keys(state.leases).filter((lease) => state.leases[lease] === number);
/** Returns the replica that leads: it holds the only Lease. */
export const leader = () => {
  const holders = Object.values(state.leases);
  return holders.length === 1 ? holders[0] : null;
};
/** From when to when a replica held a Lease. */
export const terms = [];

/** The last failure of each reconcile, and of each request, that has not succeeded since then. */
const failures = new Map();
/** A request that failed longer ago than this is no longer repeated, in microseconds. */
const RECENT = 60e6;
const judge = (entry) => {
  const { topic, key, text, failed } = entry;
  if (topic === "process") failures.clear();
  if (topic !== "reconcile" && topic !== "request") return;
  const id = topic === "reconcile" ? `reconcile ${key}` : text.split(":")[0];
  if (!failed) failures.delete(id);
  // A conflict is tried again.
  else if (!/: 409\b/.test(text)) failures.set(id, entry);
};
/** What fails now: reconciles until they succeed, and requests that are repeated. */
export const failing = () => [...failures.values()].filter(({ topic, key, at }) => (topic === "reconcile" ? !objects.get(key)?.deleted : at > now() - RECENT));
/** Why an entry failed, after what it says. */
export const said = ({ text, why }) => (why ? `${text}: ${why}` : text);
/** The color of an entry: Warnings are amber, other Events grey, and failures red. */
export const shade = ({ topic, failed }) => (topic === "event" ? (failed ? "note" : "muted") : failed ? "bad" : TOPICS[topic]);
export const TOPICS = { reconcile: "good", request: "link", watch: "violet", object: "muted", event: "note", log: "", process: "note", dev: "" };

const add = ([number, at, topic, key, text, took, failed, replica, held, why]) => {
  const entry = { number, at, topic, key, text, took, failed: failed === 1, replica, why };
  entries.push(entry);
  judge(entry);
  if (topic === "process") {
    processes.push(entry);
    const [lease, holds] = held ?? [];
    if (held) for (const term of terms) if (term.lease === lease) term.to ??= at;
    if (holds) terms.push({ lease, replica, from: at });
  }
  for (const about of replica ? [key, replicaKey(replica)] : [key]) {
    if (!about) continue;
    const list = ofObject.get(about);
    if (list) list.push(entry);
    else ofObject.set(about, [entry]);
  }
  if (!key) return entry;
  if (topic === "event") {
    let events = eventsOf.get(key);
    if (!events) eventsOf.set(key, (events = new Map()));
    events.set(text.split(":")[0], entry);
  }
  return entry;
};

/** Forgets the oldest entries, some at a time. */
const trim = () => {
  const spare = Math.max(1000, state.limit / 20);
  if (entries.length < state.limit + spare) return;
  entries.splice(0, entries.length - state.limit);
  const first = entries[0].number;
  while (processes.length && processes[0].number < first) processes.shift();
  for (const [key, list] of ofObject) {
    const kept = list.findIndex((entry) => entry.number >= first);
    if (kept < 0) {
      ofObject.delete(key);
      eventsOf.delete(key);
    } else if (kept > 0) list.splice(0, kept);
  }
};

const change = (row) => {
  const old = objects.get(row.key);
  const isNew = !old || old.deleted !== row.deleted || old.owner !== row.owner || old.uid !== row.uid;
  row.order = `${String(row.rank).padStart(4, "0")} ${row.namespace} ${row.name}`;
  objects.set(row.key, row);
  if (old) byUid.delete(old.uid);
  if (!row.deleted) byUid.set(row.uid, row);
  return isNew;
};

/** Connects to the server, and calls `changed` with what is new in each message. */
export const connect = (changed) => {
  const source = new EventSource(next === null ? "events" : `events?known=${next}`);
  source.onmessage = (message) => {
    const data = JSON.parse(message.data);
    const what = { entries: [], tree: false, state: false };
    if (data.state) {
      state = data.state;
      received = performance.now();
      what.state = true;
    }
    for (const row of data.objects ?? []) what.tree = change(row) || what.tree;
    if (data.entries) {
      what.entries = data.entries.filter((entry) => next === null || entry[0] >= next).map(add);
      what.tree ||= what.entries.some((entry) => entry.topic === "event");
      trim();
    }
    if (data.next !== undefined) next = data.next;
    what.objects = Boolean(data.objects);
    changed(what);
  };
  source.onerror = () => {
    source.close();
    changed({ entries: [], lost: true });
    setTimeout(() => connect(changed), 1000);
  };
};

/** Asks the server to do something. */
export const ask = async (order) => {
  const answer = await fetch("do", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(order) });
  const text = await answer.text();
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(text);
  }
  if (!answer.ok || value.error !== undefined) throw new Error(value.error ?? text);
  return value;
};

/** A list that only has elements for the rows in view. */
export class List {
  constructor(element, { count, draw, select, key, height = 24 }) {
    Object.assign(this, { element, count, draw, select, key, height, current: -1, rows: [] });
    this.space = make("div", { class: "space", role: "presentation" });
    element.append(this.space);
    element.addEventListener("scroll", () => this.soon(), { passive: true });
    element.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.go(row.index, event);
    });
    element.addEventListener("keydown", (event) => this.press(event));
    // Reading it in each frame would lay out the page again.
    this.view = 0;
    new ResizeObserver(() => {
      this.view = element.clientHeight;
      this.soon();
    }).observe(element);
  }
  soon() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = undefined;
      this.update();
    });
  }
  press(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.ctrlKey || event.metaKey || event.altKey || this.key?.(event) || !(event.key in steps) || !this.count()) return;
    event.preventDefault();
    this.go(Math.max(0, Math.min(this.count() - 1, this.current + steps[event.key])), event);
  }
  go(index, event) {
    this.current = index;
    this.show(index);
    this.select(index, event);
    this.update();
  }
  show(index) {
    const { scrollTop } = this.element;
    const clientHeight = this.view;
    const top = index * this.height;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.element.scrollTop = top + this.height - clientHeight;
  }
  atEnd() {
    return this.element.scrollTop + this.view >= (this.rowCount ?? 0) * this.height - this.height;
  }
  toEnd() {
    this.space.style.height = `${this.count() * this.height}px`;
    this.rowCount = this.count();
    this.element.scrollTop = this.rowCount * this.height;
  }
  update() {
    const top = this.element.scrollTop;
    const count = (this.rowCount = this.count());
    const height = `${count * this.height}px`;
    if (this.space.style.height !== height) this.space.style.height = height;
    const first = Math.max(0, Math.floor(top / this.height) - 2);
    const wanted = Math.max(0, Math.min(count - first, Math.ceil(this.view / this.height) + 4));
    while (this.rows.length < wanted) {
      const row = make("div", { class: "row" });
      this.rows.push(row);
      this.element.append(row);
    }
    while (this.rows.length > wanted) this.rows.pop().remove();
    for (let at = 0; at < wanted; at++) {
      const [row, index] = [this.rows[at], first + at];
      row.index = index;
      row.id = `${this.element.id}-${index}`;
      row.style.transform = `translateY(${index * this.height}px)`;
      row.setAttribute("aria-setsize", count);
      row.setAttribute("aria-posinset", index + 1);
      row.setAttribute("aria-selected", index === this.current);
      this.draw(row, index);
    }
    const shown = this.current >= first && this.current < first + wanted;
    if (shown) this.element.setAttribute("aria-activedescendant", `${this.element.id}-${this.current}`);
    else this.element.removeAttribute("aria-activedescendant");
    this.after?.();
  }
}
