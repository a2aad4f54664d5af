// Puts the parts of the page together.
import { $, connect, state } from "./state.js";
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

const operator = () => {
  const { operator, network } = state;
  const label = $("operator");
  label.textContent = operator === "absent" ? "no operator" : `operator ${operator}${network ? "" : ", no network"}`;
  label.className = `label ${operator === "running" && network ? "good" : operator === "absent" ? "" : "bad"}`;
  const has = operator !== "absent";
  $("pause").textContent = operator === "paused" ? "Go on" : "Pause";
  $("network").textContent = network ? "Take the network away" : "Give the network back";
  $("pause").disabled = operator !== "running" && operator !== "paused";
  for (const id of ["restart", "network", "expire"]) $(id).disabled = !has;
  $("simulate").disabled = !has;
};
const does = {
  pause: () => details.perform({ do: state.operator === "paused" ? "continue" : "pause" }),
  restart: () => details.perform({ do: "restart" }),
  network: () => details.perform({ do: "network", on: !state.network }),
  expire: () => details.perform({ do: "expire", plural: "" }),
  simulate: () => details.perform({ do: "simulate" }),
  new: () => {
    if (isNarrow()) view("details");
    details.create();
  },
};
for (const [id, action] of Object.entries(does)) $(id).addEventListener("click", action);

let rebuilds;
/** The tree is read again at most three times a second. */
const rebuildSoon = () => (rebuilds ??= setTimeout(() => ((rebuilds = undefined), tree.rebuild()), 300));
let refreshes;
const refreshSoon = () => (refreshes ??= setTimeout(() => ((refreshes = undefined), details.refresh()), 500));

connect((what) => {
  if (what.lost) {
    $("operator").textContent = "kube-codegen dev does not answer";
    $("operator").className = "label bad";
    return;
  }
  if (what.state) operator();
  if (what.tree) rebuildSoon();
  else if (what.objects || what.state) tree.redraw();
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
