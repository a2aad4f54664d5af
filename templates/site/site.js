// Search, links to fields, and copying of their paths, on reference pages.
(() => {
  "use strict";
  const base = document.currentScript.dataset.root;

  // All fields as {page, anchor, name, type}; read when they are first needed.
  let entries;
  const load = () => (load.started ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${base}search.js`;
    script.onload = () => {
      entries = [];
      for (const page of window.kubeCodegenIndex.pages) {
        entries.push({ page, anchor: "", name: page.kind, type: "", others: page.names, depth: 0 });
        const path = [];
        for (const line of page.fields.split("\n")) {
          const text = line.trimStart();
          if (!text) continue;
          const depth = line.length - text.length;
          const space = text.indexOf(" ");
          path.length = depth;
          path.push(text.slice(0, space));
          const anchor = path.join(".");
          entries.push({ page, anchor, name: anchor.slice(anchor.lastIndexOf(".") + 1), type: text.slice(space + 1), depth: anchor.split(".").length });
        }
      }
      done();
    };
    document.head.append(script);
  }));

  // How well an entry matches, the smaller the better; nothing if it does not.
  const rank = (entry, words) => {
    // The page that is open is what most people mean.
    let total = location.pathname.endsWith(`/${entry.page.path}`) ? -1.5 : 0;
    total += entry.depth / 8 + (entry.anchor && entry.anchor.startsWith("status") ? 0.5 : 0);
    const name = entry.name.toLowerCase();
    const whole = `${entry.page.kind} ${entry.anchor}`.toLowerCase();
    for (const word of words) {
      if (name === word) total += 0;
      else if (name.startsWith(word)) total += 2 + (entry.anchor ? 0 : -1);
      else if (entry.others?.some((other) => other.startsWith(word))) total += 2;
      else if (name.includes(word)) total += 5;
      else if (whole.includes(word)) total += 8;
      else return undefined;
    }
    return total;
  };

  const find = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = [];
    for (const entry of entries) {
      const value = rank(entry, words);
      if (value !== undefined) found.push([value, entry]);
    }
    return found.sort((a, b) => a[0] - b[0]).slice(0, 40).map(([, entry]) => entry);
  };

  const marked = (text, words) => {
    const out = document.createElement("b");
    const lower = text.toLowerCase();
    const word = words.find((word) => lower.includes(word));
    const last = word ? lower.indexOf(word, lower.lastIndexOf(".") + 1) : -1;
    const at = last < 0 && word ? lower.indexOf(word) : last;
    if (at < 0) {
      out.textContent = text;
      return out;
    }
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + word.length);
    out.append(text.slice(0, at), mark, text.slice(at + word.length));
    return out;
  };

  const search = () => {
    const input = document.getElementById(":search");
    const list = document.getElementById(":results");
    let selected = -1;
    const select = (index) => {
      const items = list.children;
      items[selected]?.setAttribute("aria-selected", "false");
      selected = items.length ? (index + items.length) % items.length : -1;
      input.removeAttribute("aria-activedescendant");
      if (selected < 0) return;
      items[selected].setAttribute("aria-selected", "true");
      input.setAttribute("aria-activedescendant", items[selected].id);
      items[selected].scrollIntoView({ block: "nearest" });
    };
    const close = () => {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const go = (entry) => {
      close();
      input.blur();
      const hash = entry.anchor ? `#${entry.anchor}` : "";
      location.href = `${base}${entry.page.path}${hash}`;
      if (hash) reveal();
    };
    const show = async () => {
      await load();
      const query = input.value;
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      const found = find(query);
      list.replaceChildren(...found.map((entry, index) => {
        const item = document.createElement("li");
        item.id = `:result-${index}`;
        item.role = "option";
        item.setAttribute("aria-selected", "false");
        const where = document.createElement("span");
        where.textContent = entry.anchor
          ? `${entry.page.kind} · ${entry.page.group}/${entry.page.version} · ${entry.type}`
          : `${entry.page.group}/${entry.page.version}`;
        item.append(marked(entry.anchor || entry.name, words), where);
        item.addEventListener("mousedown", (event) => event.preventDefault());
        item.addEventListener("click", () => go(entry));
        item.entry = entry;
        return item;
      }));
      if (query.trim() && !found.length) {
        const item = document.createElement("li");
        item.role = "option";
        item.textContent = "Nothing found";
        list.append(item);
      }
      list.hidden = !list.children.length;
      input.setAttribute("aria-expanded", String(!list.hidden));
      selected = -1;
      select(0);
    };
    input.addEventListener("focus", load);
    input.addEventListener("input", show);
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") select(selected + 1);
      else if (event.key === "ArrowUp") select(selected - 1);
      else if (event.key === "Enter") {
        const entry = list.children[selected]?.entry;
        if (entry) go(entry);
      } else if (event.key === "Escape") {
        close();
        input.blur();
      } else return;
      event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
      const isShortcut = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
      const isCommand = event.key === "k" && (event.ctrlKey || event.metaKey);
      if ((isShortcut && !isTyping) || isCommand) {
        event.preventDefault();
        input.focus();
        input.select();
      }
    });
    if (document.activeElement === input) load();
  };

  // Shows the field of the fragment. One in a type with a section has its anchor there, at another path.
  const reveal = () => {
    let anchor = location.hash.slice(1);
    if (!anchor) return;
    let found = document.getElementById(anchor);
    for (let steps = 0; !found && steps < 50; steps++) {
      const names = anchor.split(".");
      let rest = [];
      let around;
      while (names.length && !around) {
        around = document.getElementById(names.join("."));
        if (!around) rest.unshift(names.pop());
      }
      if (!around) return;
      const see = around.dataset.see;
      if (!see || see === around.id && !rest.length) {
        found = around;
        break;
      }
      anchor = [see, ...rest].join(".");
      found = document.getElementById(anchor);
      if (!found && see === around.id) found = around;
    }
    if (!found) return;
    for (let at = found; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    document.querySelector(".f.target")?.classList.remove("target");
    if (found.classList.contains("f")) {
      const own = found.querySelector(":scope > details");
      if (own) own.open = true;
      found.classList.add("target");
    }
    found.scrollIntoView({ behavior: "auto", block: "start" });
    // Another version of the kind is shown at the same field.
    for (const link of document.querySelectorAll(".switch a")) link.hash = location.hash;
  };

  // The field in use gets buttons that copy its path.
  const offer = (event) => {
    const heading = event.target.closest?.(".f > .h");
    if (!heading || heading.querySelector(".tools") || !heading.parentElement.id) return;
    document.querySelector(".h .tools")?.remove();
    const path = decodeURIComponent(heading.parentElement.id);
    const explain = document.querySelector(".command button")?.dataset.copy;
    const tools = document.createElement("span");
    tools.className = "tools";
    const button = (label, text, title) => {
      const button = document.createElement("button");
      button.textContent = label;
      button.dataset.copy = text;
      button.title = title;
      tools.append(button);
    };
    button("Copy path", path, `Copy ${path}`);
    if (explain) {
      const command = explain.replace(/^(kubectl explain \S+)/, `$1.${path}`);
      button("Copy explain", command, `Copy ${command}`);
    }
    heading.append(tools);
  };

  document.addEventListener("DOMContentLoaded", () => {
    search();
    reveal();
    addEventListener("hashchange", reveal);
    document.addEventListener("pointerover", offer);
    document.addEventListener("focusin", offer);
    document.addEventListener("click", (event) => {
      const open = event.target.closest?.("[data-expand]")?.dataset.expand;
      if (open) for (const it of document.querySelectorAll(".f details")) it.open = open === "open";
    });
  });
})();
