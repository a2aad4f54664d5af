// The objects as a tree by owner, with their printer columns, and Events at their object.
import { $, List, byUid, duration, eventsAbout, failing, leader, leasesOf, make, now, objects, plain, replicaKey, said, shade, state } from "./state.js";

const closed = new Set();
let rows = [];
let wanted = "";
let selected = "";
let picked = () => {};

const matches = (row) => !wanted || `${row.kind} ${row.namespace}/${row.name} ${row.cells.join(" ")}`.toLowerCase().includes(wanted);

/** Returns the row of a replica of the operator. */
const replica = (number) => {
  const { operator, network } = state.replicas[number - 1];
  const leases = leasesOf(number);
  const role = leader() === number ? "leader" : leases.length ? `holds ${leases.join(", ")}` : "";
  return { key: replicaKey(number), kind: "Operator", namespace: "", name: `replica ${number}`, columns: ["", "", ""], cells: [role, operator, network ? "" : "no network"] };
};

/** Returns the rows that are open, from the top to the bottom. */
const flatten = () => {
  const children = new Map();
  const roots = [];
  const all = [...objects.values()].filter((row) => !row.deleted).sort((a, b) => (a.order < b.order ? -1 : 1));
  for (const row of all) {
    const owner = row.owner && byUid.get(row.owner);
    if (!owner) roots.push(row);
    else if (children.has(owner.key)) children.get(owner.key).push(row);
    else children.set(owner.key, [row]);
  }
  const shown = [];
  const seen = new Set();
  const add = (row, level, above) => {
    if (seen.has(row.key)) return false;
    seen.add(row.key);
    const at = shown.length;
    const own = children.get(row.key) ?? [];
    const events = eventsAbout(row.key);
    const inner = own.length + events.length > 0;
    const isMatch = above || matches(row);
    const open = inner && (wanted !== "" || !closed.has(row.key));
    shown.push({ row, level, inner, open });
    if (open && isMatch && !wanted) for (const event of events.slice(-3)) shown.push({ row, event, level: level + 1 });
    let found = isMatch;
    if (open || wanted) for (const child of own) found = add(child, level + 1, isMatch && wanted !== "") || found;
    if (!found) shown.length = at;
    return found;
  };
  // Of several replicas, each has a row.
  if (state.replicas.length > 1) for (const number of state.replicas.keys()) add(replica(number + 1), 1, false);
  for (const row of roots) add(row, 1, false);
  return { shown, count: all.length };
};

const draw = (element, index) => {
  const { row, event, level, inner, open } = rows[index];
  element.setAttribute("role", "treeitem");
  element.setAttribute("aria-level", level);
  if (inner) element.setAttribute("aria-expanded", open);
  else element.removeAttribute("aria-expanded");
  element.style.paddingLeft = `${0.8 + (level - 1) * 1.1}rem`;
  if (event) {
    element.replaceChildren(make("span", { class: "twist" }), make("span", { class: `text ${shade(event)}` }, event.text));
    element.title = plain(event.text);
    return;
  }
  const cells = row.cells.map((cell, at) => `${row.columns[at]} ${cell}`.trim()).filter(Boolean).join("  ");
  const running = state.running[row.key];
  const failure = failures.get(row.key);
  element.replaceChildren(
    make("span", { class: "twist", "aria-hidden": "true" }, inner ? (open ? "▾" : "▸") : ""),
    make("span", { class: "name" }, failure ? make("span", { class: "bad", role: "img", "aria-label": "failing" }, "● ") : null, make("span", { class: "kind" }, row.kind), row.namespace && row.namespace !== "default" ? `${row.namespace}/${row.name}` : row.name),
    make("span", { class: "cells" }, running === undefined ? cells : `reconciles since ${duration(Math.max(0, now() - running))}`),
  );
  element.title = plain(`${row.kind} ${row.namespace}/${row.name}  ${failure ? said(failure) : cells}`);
};

const toggle = (index, open) => {
  const { row, inner } = rows[index] ?? {};
  if (!inner) return;
  if (open) closed.delete(row.key);
  else closed.add(row.key);
  rebuild();
};

/** The last failure of each object that fails. */
let failures = new Map();

const list = new List($("tree"), {
  count: () => rows.length,
  draw,
  select: (index, event) => {
    if (event?.target?.classList?.contains("twist")) toggle(index, !rows[index].open);
    selected = rows[index]?.row.key ?? "";
    picked(selected, rows[index]?.event);
  },
  key: (event) => {
    const at = rows[list.current];
    if (!at || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return false;
    event.preventDefault();
    if (event.key === "ArrowLeft" && !(at.inner && at.open)) {
      for (let above = list.current; above >= 0; above--) if (rows[above].level < at.level) return list.go(above) ?? true;
    } else toggle(list.current, event.key === "ArrowRight");
    return true;
  },
});

/** Reads the objects again. */
export const rebuild = () => {
  const { shown, count } = flatten();
  rows = shown;
  list.current = rows.findIndex((it) => it.row.key === selected && !it.event);
  $("object-count").textContent = String(count);
  $("empty").hidden = count > 0;
  redraw();
};
export const redraw = () => {
  failures = new Map(failing().map((entry) => [entry.key, entry]));
  list.update();
};
/** Calls `does` with the key of an object that was selected, and with an Event of it. */
export const onPick = (does) => (picked = does);
/** Calls `does` after the rows in view have changed. */
export const onDraw = (does) => (list.after = does);
export const scrollBy = (pixels) => ($("tree").scrollTop += pixels);

/** Selects an object without another notice. */
export const mark = (key) => {
  selected = key;
  list.current = rows.findIndex((it) => it.row.key === key && !it.event);
  if (list.current >= 0) list.show(list.current);
  list.update();
};

/** Returns the keys of the rows in view, with the position of each. */
export const inView = () => {
  const { scrollTop } = $("tree");
  const first = Math.floor(scrollTop / list.height);
  const view = [];
  const height = list.view || innerHeight;
  for (let at = first; at < rows.length && at * list.height < scrollTop + height; at++) {
    if (!rows[at].event) view.push({ key: rows[at].row.key, name: rows[at].row.name, y: at * list.height - scrollTop });
  }
  return view;
};

$("find").addEventListener("input", (event) => {
  wanted = event.target.value.trim().toLowerCase();
  rebuild();
});
$("find").addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "Enter") {
    event.preventDefault();
    $("tree").focus();
    if (rows.length) list.go(Math.max(0, list.current));
  }
});
