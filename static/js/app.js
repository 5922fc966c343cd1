// First of the scripts: the words in the page's language, and what holds for every request that htmx sends.
"use strict";

const portal = (window.portal = {
  words: JSON.parse(document.getElementById("words").textContent),

  say(key, values = {}) {
    return portal.words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  },

  isPoll(element) {
    return /\bevery\b/.test(element.getAttribute("hx-trigger") || "");
  },

  // A person reads or works in there: a swap now would take it from under their hands.
  isBusy(element) {
    const selection = document.getSelection();
    const selects = selection && !selection.isCollapsed && element.contains(selection.anchorNode);
    const focused = document.activeElement;
    const types = focused && focused.matches("input, textarea, select") && element.contains(focused);
    return selects || types || element.querySelector("details.menu[open], dialog[open]") !== null;
  },
});

document.addEventListener("htmx:configRequest", (event) => {
  event.detail.headers["X-CSRFToken"] = document.querySelector('meta[name="csrf-token"]').content;
});

// Nothing jumps: a poll waits for its next turn while somebody works in its part; other swaps keep what was open.
let open = [];
let scrolled = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, elt } = { target: event.detail.target, elt: event.detail.elt };
  if (event.detail.shouldSwap && portal.isPoll(elt) && portal.isBusy(target)) {
    event.detail.shouldSwap = false;
    return;
  }
  open = [...target.querySelectorAll("details[id][open]")].map((details) => details.id);
  scrolled = [...target.querySelectorAll("[data-keep-scroll][id]")].map((box) => [box.id, box.scrollTop, box.scrollLeft]);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const id of open) {
    const details = document.getElementById(id);
    if (details) details.open = true;
  }
  for (const [id, top, left] of scrolled) document.getElementById(id)?.scrollTo(left, top);
  open = [];
  scrolled = [];
});

// What is stale says so: a poll that fails shows since when, the next that works hides it.
const stale = document.getElementById("stale");
function failed(event) {
  if (portal.isPoll(event.detail.elt)) {
    if (!stale.hidden) return;
    const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    stale.textContent = portal.say("unreachable", { time });
    stale.hidden = false;
    return;
  }
  const xhr = event.detail.xhr;
  if (xhr && (xhr.getResponseHeader("HX-Trigger") || "").includes("toast")) return;
  portal.toast({ text: portal.say("failed", { id: xhr?.getResponseHeader("X-Request-ID") || "–" }), tone: "bad" });
}
for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) document.addEventListener(name, failed);
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) stale.hidden = true;
});

// After a failed send the summary of errors takes the focus.
function focusSummary(root) {
  root.querySelector("[data-focus]")?.focus();
}
document.addEventListener("htmx:afterSettle", (event) => focusSummary(event.detail.elt));
document.addEventListener("DOMContentLoaded", () => focusSummary(document));

// Fields are checked while typing, but only after they were left once.
function check(field) {
  const note = document.getElementById(`${field.id}_error`);
  if (!note || !field.willValidate) return;
  const message = field.validationMessage;
  field.classList.toggle("is-invalid", message !== "");
  field.setAttribute("aria-invalid", String(message !== ""));
  note.textContent = message;
  note.hidden = message === "";
}
document.addEventListener("focusout", (event) => {
  if (!event.target.matches(".field input, .field select, .field textarea")) return;
  if (event.target.value === "" && !event.target.dataset.left) return; // passing by is no mistake
  event.target.dataset.left = "1";
  check(event.target);
});
document.addEventListener("input", (event) => {
  if (event.target.dataset?.left) check(event.target);
});
