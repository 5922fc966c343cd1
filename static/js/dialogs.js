// Native dialogs and menus. data-open-dialog and data-confirm-dialog name a dialog's id; without scripts a link that carries
// them leads to the page of the same step. A part that htmx swaps into a dialog opens it.
"use strict";
(() => {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open-dialog], [data-confirm-dialog]");
    if (opener) {
      const dialog = document.getElementById(opener.dataset.openDialog || opener.dataset.confirmDialog);
      if (!dialog) return;
      event.preventDefault();
      closeMenus();
      dialog.showModal();
      return;
    }
    if (event.target.closest("[data-close-dialog]")) {
      event.preventDefault();
      event.target.closest("dialog").close();
    }
    if (event.target.nodeName === "DIALOG" && outside(event)) event.target.close();
  });

  function outside(event) {
    const box = event.target.getBoundingClientRect();
    return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
  }

  document.addEventListener("htmx:afterSwap", (event) => {
    const target = event.detail.target;
    if (target.nodeName === "DIALOG" && !target.open && target.childElementCount) target.showModal();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.elt;
    if (event.detail.successful && form.matches("[data-closes-dialog]")) form.closest("dialog")?.close();
  });

  function closeMenus(except) {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
  }
  document.addEventListener("click", (event) => {
    const menu = event.target.closest("details.menu");
    closeMenus(event.target.closest("a, button") && !event.target.closest("summary") ? null : menu);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement?.closest("details.menu[open]");
    closeMenus();
    menu?.querySelector("summary").focus();
  });
})();
