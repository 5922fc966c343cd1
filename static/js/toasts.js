// Short words at the corner: by the answer's header HX-Trigger: {"toast": {"text": "...", "tone": "ok"}}, or portal.toast().
"use strict";
(() => {
  const STAYS = 6000;
  const area = document.getElementById("toasts");

  // A refusal stays until it is closed, so that it can be read in peace.
  function leaveLater(toast) {
    if (!toast.classList.contains("bad")) setTimeout(() => toast.remove(), STAYS);
  }

  function tellIn(dialog, text) {
    dialog.querySelector("[data-refusal]")?.remove();
    const note = document.createElement("p");
    note.className = "note bad";
    note.dataset.refusal = "";
    note.setAttribute("role", "alert");
    note.textContent = text;
    const actions = dialog.querySelector(".dialog-actions");
    if (actions) actions.before(note);
    else dialog.append(note);
    dialog.addEventListener("close", () => note.remove(), { once: true });
  }

  portal.toast = ({ text, tone = "ok" }) => {
    // Behind a modal dialog nothing is read out or can be closed, so a refusal is told inside it.
    const dialog = tone === "bad" && document.querySelector("dialog[open]");
    if (dialog) {
      tellIn(dialog, text);
      return;
    }
    const toast = document.getElementById("toast").content.firstElementChild.cloneNode(true);
    toast.classList.add(["ok", "warn", "bad"].includes(tone) ? tone : "ok");
    toast.querySelector("span").textContent = text;
    area.append(toast);
    leaveLater(toast);
  };

  area.querySelectorAll(".toast").forEach(leaveLater);
  document.addEventListener("toast", (event) => portal.toast(event.detail));
  document.addEventListener("click", (event) => event.target.closest("[data-close-toast]")?.closest(".toast").remove());

  async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Without TLS the browser offers no clipboard, only the old command.
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("copy");
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = button.dataset.copyFrom && document.getElementById(button.dataset.copyFrom);
    try {
      await copy(source ? source.textContent : button.dataset.copy);
      portal.toast({ text: portal.say("copied") });
    } catch {
      portal.toast({ text: portal.say("not_copied"), tone: "warn" });
    }
  });
})();
