// The timeline: a chart of the objects in view, and a list of all that happens.
import { $, List, TOPICS, about, duration, endOf, entries, make, now, plain, processes, replicaKey, said, seconds, shade, since, state, terms } from "./state.js";
import { inView, scrollBy } from "./tree.js";

const hidden = new Set(["log"]);
let shown = [];
let object = "";
let chosen = null;
let end = 0;
let picked = () => {};

const isShown = (entry) =>
  !hidden.has(entry.topic) && (!$("failures").checked || entry.failed) && (!$("only").checked || entry.key === object || replicaKey(entry.replica) === object || entry.topic === "process");

const list = new List($("steps"), {
  count: () => shown.length,
  draw: (row, index) => {
    const entry = shown[index];
    row.setAttribute("role", "option");
    row.classList.toggle("failed", shade(entry) === "bad");
    row.replaceChildren(
      make("time", {}, seconds(endOf(entry))),
      make("span", { class: `topic ${shade(entry)}` }, entry.topic),
      ...(state.replicas.length > 1 ? [make("span", { class: "replica", title: "replica" }, entry.replica || "")] : []),
      make("span", { class: "text" }, said(entry)),
      make("span", { class: "about" }, entry.key),
      make("span", { class: "took" }, entry.took === null ? "" : duration(entry.took)),
    );
    row.title = plain(said(entry));
  },
  select: (index) => pick(shown[index]),
});

const pick = (entry) => {
  if (!entry) return;
  chosen = entry;
  picked(entry);
  soon();
};

/** Calls `does` with an entry that was selected. */
export const onPick = (does) => (picked = does);

/** Reads all entries again. */
export const filter = () => {
  const wasAtEnd = list.atEnd();
  shown = entries.filter(isShown);
  list.current = chosen ? shown.indexOf(chosen) : -1;
  count();
  if (wasAtEnd) list.toEnd();
  else if (list.current >= 0) list.show(list.current);
  list.update();
};

const count = () => ($("step-count").textContent = shown.length === entries.length ? String(shown.length) : `${shown.length} of ${entries.length}`);

/** Adds new entries; what was forgotten is left out. */
export const add = (added) => {
  const wasAtEnd = list.atEnd();
  const before = shown.length;
  for (const entry of added) if (isShown(entry)) shown.push(entry);
  const first = entries[0]?.number ?? 0;
  const gone = shown.findIndex((entry) => entry.number >= first);
  if (gone > 1000) {
    shown.splice(0, gone);
    list.current = chosen ? shown.indexOf(chosen) : -1;
  }
  if (shown.length !== before) {
    count();
    if (wasAtEnd) list.toEnd();
    list.soon();
  }
  soon();
};

/** Says which object is selected, for the list of it alone. */
export const setObject = (key) => {
  object = key;
  if ($("only").checked) filter();
  soon();
};

const canvas = $("chart");
const drawn = [];
let pending;
const soon = () => (pending ??= requestAnimationFrame(draw));
export const redraw = soon;

/** Returns the time at the left edge and the span of the chart. */
const range = () => {
  if ($("follow").checked) end = now();
  const span = Number($("span").value) * 1e6 || Math.max(1e6, end);
  return [end - span, span];
};

let size = { width: 0, height: 0 };
let style;
/** Returns the colors of the theme, as the legend has them, and whether the objects are not beside the chart. */
const looks = () => {
  if (style && performance.now() - style.time < 500) return style;
  const color = {};
  for (const item of $("legend").children) color[item.className] = getComputedStyle(item).color;
  const line = getComputedStyle($("steps-title").parentElement).borderBottomColor;
  const narrow = getComputedStyle(document.querySelector(".objects")).display === "none";
  return (style = { color, line, narrow, time: performance.now() });
};

const draw = () => {
  pending = undefined;
  const { width, height } = size;
  if (!width) return;
  const ratio = devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const paint = canvas.getContext("2d");
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.clearRect(0, 0, width, height);
  const { color, line, narrow } = looks();
  const [left, span] = range();
  const x = (time) => ((time - left) / span) * width;
  drawn.length = 0;
  paint.font = "11px sans-serif";
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300, 600, 1800, 3600, 7200, 36000].find((step) => (step * 1e6 * width) / span > 70) ?? 86400;
  for (let tick = Math.ceil(left / 1e6 / step) * step; tick * 1e6 < left + span; tick += step) {
    if (tick < 0) continue;
    paint.fillStyle = line;
    paint.fillRect(x(tick * 1e6), 0, 1, height);
    paint.fillStyle = color.muted;
    paint.fillText(`${Number(tick.toFixed(1))} s`, x(tick * 1e6) + 3, height - 4);
  }
  for (const { key, name, y } of inView()) {
    if (key === object) {
      paint.globalAlpha = 0.12;
      paint.fillStyle = color.link;
      paint.fillRect(0, y, width, 24);
      paint.globalAlpha = 1;
    }
    paint.fillStyle = line;
    paint.fillRect(0, y + 23, width, 1);
    const all = about(key);
    const last = {};
    for (let at = since(all, left); at < all.length; at++) {
      const entry = all[at];
      if (entry.topic === "log" || entry.at > left + span) continue;
      const [from, to] = [Math.max(0, x(entry.at)), x(endOf(entry))];
      const long = Math.max(entry.topic === "reconcile" ? 3 : 2, to - from);
      // What would be on the same pixels is drawn once.
      const place = `${entry.topic}${entry.failed}`;
      if (from + long - (last[place] ?? -9) < 0.5) continue;
      last[place] = from + long;
      paint.fillStyle = color[shade(entry)] ?? color.muted;
      const [top, tall] = { reconcile: [3, 9], request: [13, 4], watch: [18, 3], object: [18, 3], event: [3, 18] }[entry.topic] ?? [3, 3];
      if (entry.topic === "reconcile" && !entry.failed) paint.globalAlpha = 0.75;
      paint.fillRect(from, y + top, entry.topic === "event" ? 2 : long, tall);
      paint.globalAlpha = 1;
      if (entry === chosen) {
        paint.strokeStyle = color.link;
        paint.lineWidth = 2;
        paint.strokeRect(from - 2, y + 1, long + 4, 21);
      }
      if (drawn.length < 20000) drawn.push({ entry, from, to: from + long, y });
    }
    for (const term of terms) {
      if (replicaKey(term.replica) !== key) continue;
      paint.fillStyle = color.note;
      paint.fillRect(Math.max(0, x(term.from)), y + 21, x(term.to ?? now()) - Math.max(0, x(term.from)), 2);
    }
    const since_ = state.running[key];
    if (since_ !== undefined) {
      paint.strokeStyle = color.note;
      paint.lineWidth = 1.5;
      paint.strokeRect(Math.max(0, x(since_)), y + 3, x(now()) - Math.max(0, x(since_)), 9);
    }
    if (narrow) {
      paint.fillStyle = color.muted;
      paint.fillText(plain(name).slice(0, 30), 4, y + 12);
    }
  }
  for (const entry of processes) {
    if (entry.at < left || entry.at > left + span) continue;
    paint.fillStyle = entry.failed ? color.bad : color.note;
    for (let y = 0; y < height; y += 6) paint.fillRect(x(entry.at), y, 1.5, 3);
    drawn.push({ entry, from: x(entry.at), to: x(entry.at), y: -1 });
  }
};

canvas.addEventListener("click", (event) => {
  const { offsetX: x, offsetY: y } = event;
  let best = null;
  for (const it of drawn) {
    if (it.y >= 0 && (y < it.y || y >= it.y + 24)) continue;
    const distance = x < it.from ? it.from - x : x > it.to ? x - it.to : 0;
    // A reconcile is under what happens in it.
    const rank = distance + (it.entry.topic === "reconcile" ? (y - it.y < 12 ? -1 : 2) : 0) + (it.y < 0 ? 3 : 0);
    if (distance < 8 && (!best || rank < best.rank)) best = { rank, entry: it.entry };
  }
  if (!best) return;
  pick(best.entry);
  list.current = shown.indexOf(best.entry);
  if (list.current >= 0) list.show(list.current);
  list.update();
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (!event.shiftKey && !event.deltaX) return scrollBy(event.deltaY);
  $("follow").checked = false;
  end += ((event.deltaX || event.deltaY) / canvas.clientWidth) * range()[1];
  soon();
}, { passive: false });
new ResizeObserver(() => {
  size = { width: canvas.clientWidth, height: canvas.clientHeight };
  style = undefined;
  soon();
}).observe(canvas);

for (const topic of Object.keys(TOPICS)) {
  const box = make("input", { type: "checkbox", checked: !hidden.has(topic) });
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(topic);
    else hidden.add(topic);
    filter();
  });
  $("topics").append(make("label", {}, box, make("span", { class: TOPICS[topic] }, topic)));
}
for (const id of ["failures", "only"]) $(id).addEventListener("change", filter);
for (const id of ["span", "follow"]) $(id).addEventListener("change", soon);
