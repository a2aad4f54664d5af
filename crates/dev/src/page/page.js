// Puts the parts of the page together.
import { $, connect, failing, leader, make, plain, said, state } from "./state.js";
import * as tree from "./tree.js";
import * as timeline from "./timeline.js";
import * as details from "./details.js";

const main = document.querySelector("main");
const view = (name) => {
  main.dataset.view = name;
  for (const tab of document.querySelectorAll(".views button")) tab.setAttribute("aria-selected", tab.dataset.view === name);
  timeline.redraw();
};
document.querySelector(".views").addEventListener("click", (event) => event.target.dataset.view && view(event.target.dataset.view));
const isNarrow = () => getComputedStyle(document.querySelector(".views")).display !== "none";

tree.onPick((key, event) => {
  timeline.setObject(key);
  details.show(key, event ?? null);
  if (isNarrow()) view("details");
});
timeline.onPick((entry) => {
  if (entry.key) tree.mark(entry.key);
  timeline.setObject(entry.key);
  details.show(entry.key, entry);
  if (isNarrow()) view("details");
});
tree.onDraw(timeline.redraw);

/** Returns the replicas that the buttons are for: their numbers, and what the server is asked for. */
const chosen = () => {
  const all = [...state.replicas.keys()].map((it) => it + 1);
  const value = $("replica").value;
  const only = all.length < 2 || value === "all" ? null : value === "leader" ? leader() : Number(value);
  return only === null ? { numbers: all, order: {} } : { numbers: [only], order: { replica: only } };
};
const is = (what) => chosen().numbers.some((number) => what(state.replicas[number - 1]));

const choices = () => {
  const select = $("replica");
  const all = [...state.replicas.keys()].map((it) => it + 1);
  select.hidden = all.length < 2;
  const options = [["all", "all replicas"], ...(leader() ? [["leader", `the leader (replica ${leader()})`]] : []), ...all.map((it) => [String(it), `replica ${it}`])];
  const text = JSON.stringify(options);
  if (select.dataset.options === text) return;
  const { value } = select;
  select.dataset.options = text;
  select.replaceChildren(...options.map(([value, name]) => make("option", { value }, name)));
  select.value = options.some((it) => it[0] === value) ? value : "all";
};

const operator = () => {
  choices();
  const { replicas } = state;
  const label = $("operator");
  const bad = replicas.some((it) => it.operator !== "running" || !it.network);
  const has = replicas.some((it) => it.operator !== "absent");
  const one = (it) => `${it.operator}${it.network ? "" : ", no network"}`;
  if (!has) label.textContent = "no operator";
  else if (replicas.length === 1) label.textContent = `operator ${one(replicas[0])}`;
  else label.textContent = replicas.map((it, at) => `${at + 1}${leader() === at + 1 ? " leads" : ""}: ${one(it)}`).join(" · ");
  const failures = has ? failing() : [];
  if (failures.length) label.textContent += ` · ${failures.length} failing`;
  label.title = plain(failures.slice(0, 5).map((it) => `${it.key} ${said(it)}`.trim()).join("\n"));
  label.className = `label ${!has ? "" : bad || failures.length ? "bad" : "good"}`;
  $("pause").textContent = is((it) => it.operator === "paused") ? "Resume" : "Pause";
  $("network").textContent = is((it) => !it.network) ? "Restore network" : "Cut network";
  $("pause").disabled = !is((it) => it.operator === "running" || it.operator === "paused");
  // Without an operator, they would do nothing.
  for (const id of ["pause", "restart", "network", "expire", "simulate"]) $(id).hidden = !has;
  $("kubeconfig").textContent = plain(`export KUBECONFIG=${state.kubeconfig}`);
  const { simulation } = state;
  const simulates = simulation?.state === "running";
  $("simulate").disabled = simulates;
  $("simulate").textContent = simulates ? "Simulating …" : "Simulate from here";
  $("failure").hidden = !simulation?.picture;
};
$("replica").addEventListener("change", operator);
const ask = (order) => details.perform({ ...order, ...chosen().order });
const does = {
  pause: () => ask({ do: is((it) => it.operator === "paused") ? "continue" : "pause" }),
  restart: () => ask({ do: "restart" }),
  network: () => ask({ do: "network", on: is((it) => !it.network) }),
  expire: () => ask({ do: "expire", plural: "" }),
  simulate: () => details.perform({ do: "simulate" }),
  new: () => {
    if (isNarrow()) view("details");
    details.create();
  },
};
$("first").addEventListener("click", does.new);
for (const [id, action] of Object.entries(does)) $(id).addEventListener("click", action);

let rebuilds;
/** The tree is read again at most three times a second. */
const rebuildSoon = () => (rebuilds ??= setTimeout(() => ((rebuilds = undefined), tree.rebuild()), 300));
let refreshes;
const refreshSoon = () => (refreshes ??= setTimeout(() => ((refreshes = undefined), details.refresh()), 500));

let replicas = "";
connect((what) => {
  if (what.lost) {
    $("operator").textContent = "kube-codegen dev does not answer";
    $("operator").className = "label bad";
    return;
  }
  if (what.state) operator();
  const now = JSON.stringify([state.replicas, state.leases]);
  if (what.tree || now !== replicas) rebuildSoon();
  else if (what.objects || what.state) tree.redraw();
  replicas = now;
  timeline.add(what.entries);
  if (what.entries.some((entry) => entry.key === details.selected())) refreshSoon();
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    if (isNarrow()) view("objects");
    $("find").focus();
  }
});
// While the chart follows the time, it moves.
setInterval(() => $("follow").checked && !document.hidden && timeline.redraw(), 250);
