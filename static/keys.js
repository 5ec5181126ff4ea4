// Single keys for what a page offers. An element says its key itself: data-key="a" on a link, button or field presses or
// focuses it; data-item on rows lets j and k move among them, and a key inside a row means the row that has the focus.
// data-key="mod+Enter" (Ctrl or Command) works while typing too. Single keys never act in fields, during composition of
// characters, with a modifier, behind an open dialog, or where the person turned them off (data-keys="off" on <html>).

const FIELD = "input:not([type=checkbox], [type=radio], [type=submit], [type=button]), textarea, select, [contenteditable]";
const off = document.documentElement.dataset.keys === "off";
const help = document.getElementById("keys");
let place = -1;

const isShown = (one) => one.checkVisibility() && !one.disabled;
const items = () => [...document.querySelectorAll("[data-item]")].filter(isShown);
const item = () => document.activeElement?.closest("[data-item]") ?? null;

function meant(key) {
  const known = [...document.querySelectorAll("[data-key]")].filter((one) => one.dataset.key === key && isShown(one));
  const around = [item(), document.activeElement?.closest("form")].filter(Boolean);
  for (const near of around) {
    const found = known.find((one) => near.contains(one));
    if (found) return found;
  }
  return known.find((one) => !one.closest("[data-item]"));
}

function use(one) {
  if (!one.matches(FIELD)) return one.click();
  one.focus();
  one.select?.();
}

function focus(one) {
  if (!one) return;
  if (!one.matches("a, button, input")) one.tabIndex = -1;
  one.focus();
  one.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const all = items();
  const at = all.indexOf(item());
  focus(all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]);
}

function name(one) {
  const label = one.labels?.[0]?.textContent;
  return (one.dataset.keyName ?? one.getAttribute("aria-label") ?? label ?? one.textContent).trim();
}

function showHelp() {
  const list = help.querySelector("dl");
  list.querySelectorAll(".told").forEach((row) => row.remove());
  const told = new Map();
  for (const row of list.querySelectorAll("[data-moves]")) row.hidden = !document.querySelector(row.dataset.moves);
  for (const one of document.querySelectorAll("[data-key]:not([data-key=x], [data-key=Enter])")) {
    if (isShown(one) && !told.has(one.dataset.key)) told.set(one.dataset.key, name(one));
  }
  for (const [key, words] of told) {
    const row = document.createElement("div");
    row.className = "told";
    const term = row.appendChild(document.createElement("dt"));
    term.appendChild(document.createElement("kbd")).textContent = key.replace("mod", "Ctrl");
    row.appendChild(document.createElement("dd")).textContent = words;
    list.append(row);
  }
  help.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
  const { key, target } = event;
  const modified = event.ctrlKey || event.metaKey;
  let one = null;
  if (modified && key === "Enter") {
    one = meant("mod+Enter");
  } else if (off || modified || event.altKey || target.closest?.(FIELD) || document.querySelector("dialog[open]")) {
    return;
  } else if (event.shiftKey && key.toLowerCase() !== key.toUpperCase()) {
    return;
  } else if ((key === "j" || key === "k") && items().length) {
    event.preventDefault();
    return move(key === "j" ? 1 : -1);
  } else if (key === "Enter" && !target.matches?.("[data-item]")) {
    return;
  } else if (!event.repeat) {
    one = meant(key);
  }
  if (!one) return;
  event.preventDefault();
  use(one);
});

// Where a row went away under the focus, its successor gets it: the next one can be decided at once.
document.addEventListener("focusin", () => { place = items().indexOf(item()); });
document.addEventListener("htmx:afterSettle", () => {
  if (place >= 0 && document.activeElement === document.body) focus(items()[Math.min(place, items().length - 1)]);
});

if (help && !off) {
  const opener = document.querySelector("[data-opens-keys]");
  opener.hidden = false;
  opener.addEventListener("click", showHelp);
}
