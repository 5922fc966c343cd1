// A log follows its end while one stands there; who scrolled up stays. Lines come by htmx (kit/log_lines.html).
"use strict";
(() => {
  const NEAR = 24;
  const following = new WeakMap();

  const atEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
  const toEnd = (log) => log.scrollTo({ top: log.scrollHeight, behavior: "instant" });

  function note(log) {
    following.set(log, atEnd(log));
    for (const button of document.querySelectorAll(`[data-to-end="${log.id}"]`)) button.hidden = atEnd(log);
  }

  function start(root) {
    for (const log of root.querySelectorAll("[data-log]")) {
      if (following.has(log)) continue;
      toEnd(log);
      note(log);
      log.addEventListener("scroll", () => note(log), { passive: true });
    }
  }

  document.addEventListener("htmx:afterSwap", (event) => {
    start(document);
    const log = event.detail.target.closest?.("[data-log]") || document.querySelector("[data-log]");
    if (!log) return;
    if (following.get(log)) toEnd(log);
    note(log);
  });
  document.addEventListener("click", (event) => {
    const end = event.target.closest("[data-to-end]");
    if (end) toEnd(document.getElementById(end.dataset.toEnd));
    const wrap = event.target.closest("[data-wrap]");
    if (!wrap) return;
    const wraps = document.getElementById(wrap.dataset.wrap).classList.toggle("wraps");
    wrap.setAttribute("aria-pressed", String(wraps));
  });
  start(document);
})();
