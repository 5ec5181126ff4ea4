// Buttons that copy the text beside them. Without this file they stay hidden, and the text is there to select.

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Where the page may not write to the clipboard, the text is selected for the person to copy.
    getSelection().selectAllChildren(source);
    return;
  }
  const words = button.textContent;
  if (words === button.dataset.copied) return;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = words; }, 2000);
});

for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
