// Seconds left, beside limits that the page tells as times anyway. What has run out is taken away: it can no longer be
// undone, or is no longer kept for one.

const limits = [...document.querySelectorAll("[data-until]")].map((one) => {
  const left = one.appendChild(document.createElement("span"));
  left.className = "quiet number";
  return { one, left, end: Date.parse(one.dataset.until) };
});

function tell() {
  for (const { one, left, end } of limits) {
    const seconds = Math.ceil((end - Date.now()) / 1000);
    if (seconds <= 0) one.remove();
    const minutes = Math.floor(seconds / 60);
    left.textContent = `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  }
}

if (limits.length) {
  tell();
  setInterval(tell, 1000);
}
