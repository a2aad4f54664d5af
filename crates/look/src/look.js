// The theme and copy buttons of all pages of kube-codegen.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("scripted");
  // Some browsers reject storage to pages of the file system.
  const remembered = (theme) => {
    try {
      if (theme !== undefined) localStorage.setItem("theme", theme);
      return localStorage.getItem("theme");
    } catch {
      return theme;
    }
  };
  const shown = () => root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const theme = remembered();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without the right to use the clipboard, the text is selected in a field.
      const field = document.createElement("textarea");
      field.value = text;
      field.className = "hidden";
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus();
    }
    const label = button.dataset.label ?? (button.dataset.label = button.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1200);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button");
    if (!button) return;
    if ("themeSwitch" in button.dataset) {
      root.dataset.theme = shown() === "dark" ? "light" : "dark";
      remembered(root.dataset.theme);
    } else if (button.dataset.copy !== undefined) {
      copy(button, button.dataset.copy);
    } else if (button.dataset.copyFrom) {
      copy(button, document.querySelector(button.dataset.copyFrom).textContent);
    }
  });
})();
