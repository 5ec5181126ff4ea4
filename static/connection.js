// What a person sees while the server works, does not answer or cannot be reached. Nothing they typed is lost: a form is
// sent only once the server answers, and what failed can be sent again. Without this file forms are sent as forms are.

const ALIVE = "/livez";
const PATIENCE = 5_000;
const REST = 20_000;
const place = document.getElementById("connection");
const offline = document.getElementById("offline");
const unanswered = document.getElementById("unanswered");
const sent = new WeakSet();

function tell(template, again) {
  place.replaceChildren(template.content.cloneNode(true));
  const button = place.querySelector("button");
  if (!again) return button.remove();
  button.addEventListener("click", () => {
    place.replaceChildren();
    again();
  });
}

function tellUnanswered(again) {
  tell(navigator.onLine ? unanswered : offline, again);
}

async function isAlive() {
  try {
    return (await fetch(ALIVE, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })).ok;
  } catch {
    return false;
  }
}

// A form that htmx does not send would leave the page, and what was typed, for an error page of the browser.
async function sendSafely(event) {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || form.method !== "post" || sent.has(form) || form.closest("[hx-boost=true]")) return;
  event.preventDefault();
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  if (await isAlive()) {
    sent.add(form);
    form.requestSubmit(submitter);
    sent.delete(form);
    setTimeout(rest, REST, form);
  } else {
    rest(form);
    tellUnanswered(() => form.requestSubmit(submitter));
  }
}

function rest(form) {
  form.ariaBusy = null;
}

function retry({ detail }) {
  const { elt, triggeringEvent } = detail.requestConfig;
  const form = elt.closest("form");
  tellUnanswered(form ? () => form.requestSubmit(triggeringEvent?.submitter) : () => location.reload());
}

function busy(is) {
  document.getElementById("content")?.toggleAttribute("data-busy", is);
  document.getElementById("content")?.setAttribute("aria-busy", String(is));
}

if (place) {
  document.addEventListener("submit", sendSafely);
  addEventListener("pageshow", () => document.querySelectorAll("form[aria-busy]").forEach(rest));
  addEventListener("offline", () => tell(offline));
  addEventListener("online", () => place.replaceChildren());
  if (!navigator.onLine) tell(offline);
  document.addEventListener("htmx:beforeRequest", () => busy(true));
  document.addEventListener("htmx:afterRequest", () => busy(false));
  document.addEventListener("htmx:sendError", retry);
  document.addEventListener("htmx:timeout", retry);
  // A refusal or a form with faults is a whole page, as it is without JavaScript: it takes the place of the content. A
  // failure does not, since the form with what was typed stands there.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event;
    const { status } = detail.xhr;
    if (status < 400) return place.replaceChildren();
    if (status >= 500 || status === 429 || !detail.serverResponse.includes('id="content"')) {
      detail.shouldSwap = false;
      return retry(event);
    }
    detail.shouldSwap = true;
    detail.isError = false;
    detail.target = document.getElementById("content");
    detail.selectOverride = "#content";
    detail.swapOverride = "outerHTML show:window:top";
  });
}
