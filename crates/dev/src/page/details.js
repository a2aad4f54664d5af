// One object: the log of a reconcile, then and now with the difference, conditions, fields by manager, and actions.
import { $, about, ask, duration, endOf, entries, isReplica, make, objects, plain, seconds } from "./state.js";

const TABS = { log: "Log", object: "History", conditions: "Conditions", fields: "Fields by manager", edit: "Edit" };
const LINES = 500;
let subject = { key: "", entry: null };
let tab = "object";
/** The version that is shown, and what it is compared with. */
let version = null;
let compare = "before";
let serial = 0;

export const say = (error) => {
  $("message").hidden = !error;
  $("message").textContent = error ? plain(error.message ?? error) : "";
};

const run = async (order) => {
  say(null);
  try {
    return await ask(order);
  } catch (error) {
    say(error);
    return null;
  }
};
export const perform = run;

/** Returns the lines of two texts with what was removed and added. */
export const difference = (before, after) => {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [enda, endb] = [a.length, b.length];
  while (enda > start && endb > start && a[enda - 1] === b[endb - 1]) enda--, endb--;
  const lines = a.slice(0, start).map((text) => ["", text]);
  const [n, m] = [enda - start, endb - start];
  if (n * m > 4e6) {
    lines.push(...a.slice(start, enda).map((text) => ["-", text]), ...b.slice(start, endb).map((text) => ["+", text]));
  } else {
    const common = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
    for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--) common[i][j] = a[start + i] === b[start + j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    let [i, j] = [0, 0];
    while (i < n || j < m) {
      if (i < n && j < m && a[start + i] === b[start + j]) lines.push(["", a[start + i]]), i++, j++;
      else if (i < n && (j === m || common[i + 1][j] >= common[i][j + 1])) lines.push(["-", a[start + i++]]);
      else lines.push(["+", b[start + j++]]);
    }
  }
  return lines.concat(a.slice(enda).map((text) => ["", text]));
};

const text = (lines, isDifference) => {
  const pre = make("pre", { "aria-label": isDifference ? "Differences" : "Object as YAML" });
  let skipped = 0;
  lines.forEach(([sign, line], at) => {
    const near = !isDifference || lines.slice(Math.max(0, at - 3), at + 4).some(([sign]) => sign) || /^\S/.test(line) || /^ {2}name:/.test(line);
    if (!near) return skipped++;
    if (skipped) pre.append(make("span", { class: "line cut" }, `  … ${skipped} lines`));
    skipped = 0;
    pre.append(make("span", { class: `line ${{ "+": "add", "-": "remove" }[sign] ?? ""}` }, `${sign || " "} ${line}`));
  });
  if (skipped) pre.append(make("span", { class: "line cut" }, `  … ${skipped} lines`));
  return pre;
};

const button = (label, does, properties = {}) => make("button", { ...properties, on: { click: does } }, label);

/** Returns the reconcile that an entry is, or belongs to. */
const reconcileOf = (entry) => {
  if (!entry || entry.topic === "reconcile") return entry;
  const around = about(entry.key).filter((it) => it.topic === "reconcile" && it.at <= entry.at && endOf(it) >= entry.at);
  return around.at(-1) ?? null;
};

const log = () => {
  const { key, entry } = subject;
  const reconcile = reconcileOf(entry);
  const parts = [];
  let lines;
  if (reconcile) {
    const from = reconcile.at - 500;
    // The lines of a reconcile are in the output between the end of the one before it and its own end.
    const own = about(reconcile.key);
    const before = own.filter((it) => it.topic === "reconcile" && it.number < reconcile.number).at(-1)?.number ?? -1;
    lines = own.filter((it) =>
      it.topic === "log" ? it.number > before && it.number < reconcile.number : it.topic === "request" && it.at >= from && endOf(it) <= endOf(reconcile) + 500);
    // Requests for children are about other objects.
    const others = entries.filter((it) => it.key !== reconcile.key && it.topic === "request" && it.at >= from && endOf(it) <= endOf(reconcile) + 500);
    lines = [...lines, ...others].sort((a, b) => a.at - b.at);
    parts.push(make("h3", {}, `Reconcile at ${seconds(reconcile.at)} s: ${reconcile.text} after ${duration(reconcile.took)}`));
    if (reconcile.why) parts.push(make("p", { class: "bad" }, reconcile.why));
  } else if (key) {
    lines = about(key).filter((it) => it.topic === "log");
    parts.push(make("h3", {}, isReplica(key) ? "Log lines of the replica" : "Log lines about the object"));
  } else {
    const at = entry?.at ?? Infinity;
    lines = entries.filter((it) => it.topic === "log" && Math.abs(it.at - at) < 5e6);
    parts.push(make("h3", {}, "Log lines within five seconds"));
  }
  if (!lines.length) parts.push(make("p", { class: "muted" }, "No log lines. A line is linked to an object if the operator logs it during a reconcile."));
  else parts.push(make("pre", {}, lines.slice(-LINES).map((it) => make("span", { class: `line${it.failed ? " failed" : ""}` }, it.topic === "log" ? it.text : `${seconds(it.at)} → ${it.text}`))));
  if (entry) parts.unshift(make("p", { class: entry.failed ? "bad" : "" }, `${seconds(entry.at)} s ${entry.topic}: ${entry.text}`));
  return parts;
};

const object = async () => {
  const shown = await run({ do: "show", key: subject.key, index: version });
  if (!shown) return [];
  const last = shown.at.length - 1;
  version = shown.index === last ? null : shown.index;
  const go = (index) => {
    version = index >= last ? null : index;
    render();
  };
  const select = make("select", { "aria-label": "Compared with", on: { change: (event) => ((compare = event.target.value), render()) } },
    ...Object.entries({ before: "what it changed", now: "how it is now", nothing: "whole" }).map(([value, name]) => make("option", { value, selected: value === compare }, name)));
  const move = make("p", { class: "move" },
    button("◀", () => go(shown.index - 1), { "aria-label": "Version before", disabled: shown.index === 0 }),
    `version ${shown.index + 1} of ${last + 1} at ${seconds(shown.at[shown.index])} s`,
    button("▶", () => go(shown.index + 1), { "aria-label": "Version after", disabled: shown.index === last }),
    select,
    shown.deleted ? make("span", { class: "label bad" }, "deleted") : null);
  let lines = shown.text.split("\n").map((line) => ["", line]);
  let isDifference = false;
  if (compare === "before" && shown.before) [lines, isDifference] = [difference(shown.before, shown.text), true];
  if (compare === "now" && shown.index < last) {
    const current = await run({ do: "show", key: subject.key });
    if (current) [lines, isDifference] = [difference(shown.text, current.text), true];
  }
  if (isDifference && !lines.some(([sign]) => sign)) return [move, make("p", { class: "muted" }, "Only managed fields differ."), text(lines, false)];
  return [move, text(lines, isDifference)];
};

const conditions = async () => {
  const shown = await run({ do: "show", key: subject.key, index: version });
  const all = shown?.conditions ?? [];
  const events = about(subject.key).filter((it) => it.topic === "event").slice(-50).reverse();
  return [
    Array.isArray(all) && all.length
      ? all.map((it) => [
          make("h3", {}, make("span", { class: `label ${it.status === "True" ? "good" : it.status === "False" ? "bad" : "note"}` }, it.status), ` ${plain(it.type)} `, make("span", { class: "muted" }, it.reason)),
          make("p", {}, it.message, make("span", { class: "muted" }, ` ${plain(it.lastTransitionTime)}`)),
        ]).flat()
      : make("p", { class: "muted" }, "The object has no conditions."),
    make("h3", {}, "Events"),
    events.length ? make("ul", {}, events.map((it) => make("li", { class: it.failed ? "bad" : "" }, `${seconds(it.at)} s ${it.text}`))) : make("p", { class: "muted" }, "There are none."),
  ].flat();
};

const fields = async () => {
  const shown = await run({ do: "show", key: subject.key, index: version });
  return (shown?.managers ?? []).map((it) => [
    make("h3", {}, it.name, make("span", { class: "muted" }, ` ${plain(it.operation)}${it.subresource ? ` of ${plain(it.subresource)}` : ""} at ${plain(it.time)}`)),
    make("ul", {}, it.fields.map((path) => make("li", {}, make("code", {}, path)))),
  ]).flat();
};

/** A field for an object as YAML, which the server judges while one types. */
const editor = (value) => {
  const field = make("textarea", { "aria-label": "Object as YAML", spellcheck: "false", "aria-describedby": "verdict" });
  field.value = value;
  const verdict = make("p", { id: "verdict", class: "verdict muted", role: "status" }, "The server checks what you type.");
  const apply = button("Apply", () => attempt(false), { class: "primary" });
  let wait;
  let typed = 0;
  const attempt = async (isTrial) => {
    const own = ++typed;
    let [message, kind] = ["", "good"];
    try {
      const { verb } = await ask({ do: "apply", text: field.value, try: isTrial });
      message = isTrial ? `Valid: apply would ${verb} it.` : "Applied.";
    } catch (error) {
      [message, kind] = [error.message, "bad"];
    }
    if (own !== typed) return;
    verdict.textContent = plain(message);
    verdict.className = `verdict ${kind}`;
    field.setAttribute("aria-invalid", kind === "bad");
  };
  field.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => attempt(true), 300);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) attempt(false);
  });
  return [field, verdict, make("p", { class: "move" }, apply, make("span", { class: "muted" }, make("kbd", {}, "Ctrl"), " ", make("kbd", {}, "Enter")))];
};

const edit = async () => {
  const shown = await run({ do: "show", key: subject.key });
  return shown ? editor(shown.text) : [];
};

/** Makes room for what is selected. */
const open = () => document.querySelector("main").classList.remove("idle");

/** Shows a field for an object that does not exist yet, with the text of one of its kind. */
export const create = async () => {
  open();
  subject = { key: "", entry: null };
  const first = [...objects.values()].find((it) => it.custom && !it.deleted);
  const shown = first && (await run({ do: "show", key: first.key }));
  const value = shown
    ? shown.text.replace(/^status:\n( .*\n|-.*\n)*/m, "").replace(/^ {2}(uid|resourceVersion|generation|creationTimestamp|selfLink): .*\n/gm, "").replace(/^ {2}name: .*$/m, "  name: new")
    : "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\n  namespace: default\ndata: {}\n";
  $("subject").textContent = "New object";
  $("actions").replaceChildren();
  $("detail-tabs").replaceChildren();
  serial++;
  $("panel").replaceChildren(...editor(value));
  $("panel").querySelector("textarea").focus();
};

const actions = async () => {
  const { key } = subject;
  const row = objects.get(key);
  if (!row || row.deleted) return $("actions").replaceChildren();
  const shown = await run({ do: "show", key });
  if (!shown || key !== subject.key) return;
  const parts = [];
  if (shown.scale !== null) {
    const number = make("input", { type: "number", min: "0", value: shown.scale, "aria-label": "Replicas" });
    parts.push(number, button("Scale", () => run({ do: "scale", key, replicas: Number(number.value) })));
  }
  if (shown.pod !== null) parts.push(button(shown.pod ? "Heal" : "Crash", async () => (await run({ do: "crash", key, on: !shown.pod }), setTimeout(actions, 500))));
  const remove = button("Delete", () => {
    if (remove.textContent === "Delete") {
      remove.textContent = "Really delete?";
      remove.classList.add("bad");
      return setTimeout(() => ((remove.textContent = "Delete"), remove.classList.remove("bad")), 4000);
    }
    run({ do: "delete", key });
  });
  parts.push(remove);
  $("actions").replaceChildren(...parts);
};

const render = async () => {
  const own = ++serial;
  const tabs = Object.entries(TABS).filter(([name]) => (subject.key && !isReplica(subject.key)) || name === "log");
  if (!tabs.some(([name]) => name === tab)) tab = "log";
  $("detail-tabs").replaceChildren(...tabs.map(([name, label]) =>
    button(label, () => ((tab = name), render()), { role: "tab", id: `tab-${name}`, "aria-selected": name === tab, "aria-controls": "panel", tabindex: name === tab ? "0" : "-1" })));
  const parts = await { log, object, conditions, fields, edit }[tab]();
  if (own === serial) $("panel").replaceChildren(...parts);
};

$("detail-tabs").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...$("detail-tabs").children];
  tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length]?.click();
  $(`tab-${tab}`)?.focus();
});

/** Shows an object, or an entry with its object as it was then. */
export const show = async (key, entry) => {
  open();
  const isOther = key !== subject.key;
  subject = { key, entry };
  version = null;
  const row = objects.get(key);
  $("subject").replaceChildren(...(row ? [make("span", { class: "muted" }, `${plain(row.kind)} `), plain(row.namespace ? `${row.namespace}/${row.name}` : row.name)] : [plain(isReplica(key) ? key.replace("/", " ") : key || entry?.text || "Nothing is selected")]));
  if (entry && ["reconcile", "log", "process", "dev"].includes(entry.topic)) tab = "log";
  else if (entry && tab === "log") tab = entry.topic === "object" ? "object" : "log";
  else if (!entry && tab === "edit" && isOther) tab = "object";
  if (entry && key && !isReplica(key)) {
    try {
      const { at } = await ask({ do: "show", key });
      const then = at.findLastIndex((time) => time <= endOf(entry) + 1000);
      version = then >= 0 && then < at.length - 1 ? then : null;
    } catch {
      // It is no longer in the history; the panel says so.
    }
  }
  if (isOther) actions();
  render();
};

/** Shows what has changed of the selected object. */
export const refresh = () => {
  if (tab === "edit" || version !== null || !subject.key || subject.entry) return;
  const [start] = [getSelection()];
  if (start && !start.isCollapsed) return;
  render();
};
export const selected = () => subject.key;
