// Messages that leave by themselves. Without this file a message stays at the top of the page.

const STAYS = 10_000;
const region = document.getElementById("toasts");

function close(toast) {
  toast.remove();
}

function prepare(toast) {
  const button = toast.querySelector("[data-closes]");
  if (!button || !button.hidden) return;
  button.hidden = false;
  button.addEventListener("click", () => close(toast));
  if (!toast.matches(".success, .info")) return;
  let left = STAYS;
  let since = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (!toast.matches(":hover, :focus-within")) left -= now - since;
    since = now;
    if (left > 0) return;
    clearInterval(timer);
    close(toast);
  }, 250);
}

function prepareAll() {
  document.querySelectorAll("#toasts .notice").forEach(prepare);
}

if (region) {
  prepareAll();
  document.addEventListener("htmx:afterSettle", prepareAll);
}
