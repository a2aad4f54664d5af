// Steps by keyboard on pictures of runs.
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
  /** Goes to the next step of a kind, or to the first one. */
  const find = (name) => {
    const is = (step) => step.classList.contains(name);
    const after = steps.findIndex((step, at) => at > current && is(step));
    go(after < 0 ? steps.findIndex(is) : after);
  };
  const keys = {
    ArrowDown: () => next(current, 1),
    ArrowUp: () => next(current < 0 ? steps.length : current, -1),
    f: () => find("fault"),
    p: () => find("parting"),
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
