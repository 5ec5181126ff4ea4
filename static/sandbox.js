// What is tried in the API's documentation goes to an area of one's own that everyday recall leaves out and that ends
// within a day: the area "sandbox", the kind "episode". Other writes are not sent until the person leaves the sandbox.

const bar = document.getElementById("sandbox");
const area = { type: "user", path: ["sandbox"] };
const kind = "episode";
const write = /\/api\/v1\/proposals(\/preview)?$/;
const batch = /\/api\/v1\/proposals\/batch$/;
const search = /\/api\/v1\/(recall|context)$/;
const listing = /\/api\/v1\/memories(\/lookup)?$/;
const one = /^(.*\/api\/v1\/memories\/[^/]+)(\/(pause|resume|renew))?$/;
let inside = true;

function shown() {
  bar.classList.toggle("outside", !inside);
  for (const part of bar.querySelectorAll("[data-when]")) part.hidden = (part.dataset.when === "inside") !== inside;
}

function say(text) {
  bar.querySelector("[role=status]").textContent = text;
}

function throwaway(proposal) {
  return { ...proposal, namespace: area, kind, valid_until: new Date(Date.now() + 864e5).toISOString() };
}

async function isOurs(address, request) {
  const { authorization, Authorization, ...headers } = request.headers;
  const known = Authorization ?? authorization;
  const subject = headers["MemoryHub-Subject"];
  const answer = await fetch(address, {
    headers: { ...(known && { Authorization: known }), ...(subject && { "MemoryHub-Subject": subject }) },
  });
  return answer.ok && (await answer.json()).namespace.path[0] === area.path[0];
}

async function confined(request) {
  const address = new URL(request.url, document.baseURI);
  const method = request.method ?? "GET";
  const rewrite = (change) => ({ ...request, body: JSON.stringify(change(JSON.parse(request.body))) });
  if (method === "GET") {
    if (!listing.test(address.pathname)) return request;
    address.searchParams.set("namespace", JSON.stringify(area));
    if (address.pathname.endsWith("/lookup")) address.searchParams.set("kind", kind);
    return { ...request, url: address.href };
  }
  if (method === "POST" && write.test(address.pathname)) return rewrite(throwaway);
  if (method === "POST" && batch.test(address.pathname)) {
    return rewrite((body) => ({ ...body, items: body.items.map(throwaway) }));
  }
  if (method === "POST" && search.test(address.pathname)) {
    return rewrite((body) => ({ ...body, namespaces: [area], kinds: [kind] }));
  }
  const memory = address.origin === location.origin && one.exec(address.pathname);
  if (memory && (await isOurs(memory[1], request))) return request;
  throw new Error(bar.dataset.refusal);
}

// Called by the documentation for each request, its own of the schema among them.
async function memoryhubSandbox(request) {
  say("");
  if (request.loadSpec || !inside) return request;
  try {
    return Object.assign(request, await confined(request));
  } catch (error) {
    say(error instanceof SyntaxError ? bar.dataset.malformed : bar.dataset.refusal);
    throw error;
  }
}

window.memoryhubSandbox = memoryhubSandbox;
for (const button of bar.querySelectorAll("button")) {
  button.addEventListener("click", () => {
    inside = !inside;
    say("");
    shown();
    bar.querySelector("button:not([hidden])").focus();
  });
}
shown();
