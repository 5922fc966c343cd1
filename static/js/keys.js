// Keyboard: "/" search, "g" and a section's letter, "?" help, and a page's own keys by data-key="a" on a button or link.
"use strict";
(() => {
  const search = document.getElementById("search");
  let waitsForSection = 0;

  function types(target) {
    return target.isContentEditable || target.matches("input, textarea, select") || document.querySelector("dialog[open]");
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || types(event.target)) return;
    if (Date.now() - waitsForSection < 1500) {
      waitsForSection = 0;
      const section = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
      if (section) {
        event.preventDefault();
        section.click();
        return;
      }
    }
    if (event.key === "g") waitsForSection = Date.now();
    else if (event.key === "/" && search) {
      event.preventDefault();
      search.select();
    } else if (event.key === "?") document.getElementById("keys").showModal();
    else {
      const own = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (!own) return;
      event.preventDefault();
      own.click();
    }
  });

  // In the search's results the arrows walk and Escape leaves.
  document.querySelector("[data-search]")?.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      document.getElementById("search-results").replaceChildren();
      search.blur();
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const stops = [search, ...document.querySelectorAll("#search-results a")];
    const at = stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    stops[Math.min(Math.max(at, 0), stops.length - 1)].focus();
  });
})();
