// Steps by keyboard on pictures of failures.
document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  const runs = document.querySelector(".runs");
  const steps = [...document.querySelectorAll(".step")];
  let current = -1;
  const go = (index) => {
    if (!steps[index]) return;
    steps[current]?.classList.remove("current");
    current = index;
    steps[current].classList.add("current");
    steps[current].focus({ preventScroll: true });
    steps[current].scrollIntoView({ block: "nearest" });
  };
  const next = (from, by) => {
    let index = from + by;
    while (steps[index] && !steps[index].checkVisibility()) index += by;
    go(index);
  };
  const first = (name) => go(steps.findIndex((step) => step.classList.contains(name)));
  const keys = {
    ArrowDown: () => next(current, 1),
    ArrowUp: () => next(current < 0 ? steps.length : current, -1),
    f: () => first("fault"),
    p: () => first("parting"),
    c: () => runs.classList.toggle("alone"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("pre, .scroll, summary")) return;
    const action = keys[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
  runs?.addEventListener("click", (event) => {
    const at = steps.indexOf(event.target.closest(".step"));
    if (at >= 0 && getSelection().isCollapsed) go(at);
  });
});
