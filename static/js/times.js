// Keeps <time data-live> fresh: "relative" (12 min ago, in 3 h) and "since" (counts on). The rules are those of
// portal/templatetags/times.py.
"use strict";
(() => {
  const MINUTE = 60, HOUR = 3600, DAY = 86400;
  const { say } = portal;

  function duration(seconds) {
    if (seconds < MINUTE) return say("seconds", { n: Math.max(seconds, 0) });
    if (seconds < HOUR) return say("minutes", { n: Math.floor(seconds / MINUTE) });
    if (seconds < 2 * DAY) {
      const h = Math.floor(seconds / HOUR), minutes = Math.floor(seconds / MINUTE) % 60;
      return minutes ? say("hours_minutes", { h, m: String(minutes).padStart(2, "0") }) : say("hours", { n: h });
    }
    const d = Math.floor(seconds / DAY), hours = Math.floor(seconds / HOUR) % 24;
    return hours ? say("days_hours", { d, h: hours }) : say("days", { n: d });
  }

  function relative(seconds) {
    if (seconds < 0) return say("in", { time: duration(-seconds) });
    if (seconds < MINUTE) return say("seconds_ago", { n: seconds });
    if (seconds < HOUR) return say("minutes_ago", { n: Math.floor(seconds / MINUTE) });
    if (seconds < DAY) return say("hours_ago", { n: Math.floor(seconds / HOUR) });
    const days = Math.floor(seconds / DAY);
    return say(days === 1 ? "day_ago" : "days_ago", { n: days });
  }

  function refresh() {
    for (const time of document.querySelectorAll("time[data-live]")) {
      const seconds = Math.floor((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (Math.abs(seconds) >= 31 * DAY && time.dataset.live === "relative") continue; // shows a date
      const text = time.dataset.live === "since" ? duration(seconds) : relative(seconds);
      if (time.textContent !== text) time.textContent = text;
    }
  }

  setInterval(() => document.hidden || refresh(), 5000);
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
})();
