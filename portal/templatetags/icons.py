"""Icons are drawn inline from the npm package, so that nothing is copied here and a colour follows the text."""

from __future__ import annotations

import re
from functools import cache

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from portal.kit import npm

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
BODY = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)
FRAME = re.compile(r'<path stroke="none"[^>]*/>')  # invisible: the packer's bounding box


@cache
def shape(name: str) -> SafeString:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of an icon")
    drawn = BODY.search((npm.folder() / "@tabler/icons/icons/outline" / f"{name}.svg").read_text())
    if drawn is None:
        raise ValueError(f"the file of the icon {name!r} is no drawing")
    return mark_safe(" ".join(FRAME.sub("", drawn[1]).split()))


def icon(name: str, size: int = 16, label: str = "", tone: str = "") -> SafeString:
    """Without a label it is an ornament beside a word and hidden from screen readers."""
    told = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')
    return format_html(
        '<svg class="ic{}" width="{}" height="{}" viewBox="0 0 24 24" {}>{}</svg>',
        f" tone-{conditional_escape(tone)}" if tone else "",
        size,
        size,
        told,
        shape(name),
    )
