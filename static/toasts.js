// Messages that leave by themselves, and what to say when the server does not answer. Without this file a message
// stays at the top of the page, and every form is sent as forms are.

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

function sayUnanswered() {
  const toast = document.getElementById("unanswered").content.firstElementChild.cloneNode(true);
  document.getElementById("toasts").replaceChildren(toast);
  prepare(toast);
}

if (region) {
  prepareAll();
  document.addEventListener("htmx:afterSettle", prepareAll);
  document.addEventListener("htmx:sendError", sayUnanswered);
  document.addEventListener("htmx:timeout", sayUnanswered);
  // A refusal or a form with faults is a whole page, as it is without JavaScript: it takes the place of the content.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    if (detail.xhr.status < 400) return;
    if (!detail.serverResponse.includes('id="content"')) return sayUnanswered();
    detail.shouldSwap = true;
    detail.isError = false;
    detail.target = document.getElementById("content");
    detail.selectOverride = "#content";
    detail.swapOverride = "outerHTML show:window:top";
  });
}
