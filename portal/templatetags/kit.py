"""All tags of the pages, loaded everywhere. How to use each: templates/kit/README.md."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template import RequestContext
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from portal.kit import grains as kit_grains
from portal.kit import money as kit_money
from portal.kit.times import NONE, duration, is_chinese
from portal.templatetags import bars, fields, icons, nav, states, times

register = template.Library()

AFTER_STOP = re.compile(r"(?<=[。！？；：，])\s+")

register.simple_tag(icons.icon)
register.simple_tag(states.badge)
register.simple_tag(duration)
register.simple_tag(times.when)
register.simple_tag(times.clock)
register.simple_tag(times.day)
register.simple_tag(times.since)
register.simple_tag(times.script_words)
register.simple_tag(nav.nav, takes_context=True)
register.inclusion_tag("kit/bar.html")(bars.team_bar)
register.inclusion_tag("kit/bar.html")(bars.pool_bar)
register.inclusion_tag("kit/source.html")(bars.source)
register.inclusion_tag("kit/field.html")(fields.field)


@register.simple_tag
def amount(grains: int | None) -> str:
    return NONE if grains is None else kit_grains.as_text(grains)


@register.simple_tag
def column_amount(grains: int | None) -> str:
    """For cells that stand below each other and are not whole NPUs: two decimals, always."""
    return NONE if grains is None else kit_grains.in_column(grains)


@register.simple_tag
def npu_hours(grain_seconds: int | None) -> str:
    """Grains times seconds as NPU·h, one decimal."""
    return NONE if grain_seconds is None else f"{kit_grains.as_text(grain_seconds // 3_600, places=1)} NPU·h"


@register.simple_tag
def money(micro: int | None) -> str:
    """With the sign of the currency and a space that does not break."""
    return NONE if micro is None else f"{settings.CURRENCY_SIGN}\u00a0{kit_money.as_text(micro)}"


@register.inclusion_tag("kit/meter.html")
def meter(value: int, total: int, label: str, text: str = "") -> dict[str, Any]:
    """Progress, money, use: whole numbers of one unit. `text` is read instead of the two numbers."""
    return {"value": max(0, min(value, total)), "total": max(total, 1), "label": label, "text": text}


@register.inclusion_tag("kit/copy_id.html")
def copy_id(text: object, label: str = "") -> dict[str, Any]:
    return {"text": str(text), "label": label or gettext("Copy {text}").format(text=text)}


@register.simple_tag
def team_dot(colour: int) -> SafeString:
    """The swatch before a team's name; colours repeat after four, the name carries."""
    return format_html('<span class="dot team-{}" aria-hidden="true"></span>', (colour - 1) % 4 + 1)


@register.filter
def initials(name: str) -> str:
    """ "LY" of Lin Yue, "悦" of 林悦; of a name in both scripts the one of the page."""
    han: list[str] = re.findall(r"[\u4e00-\u9fff]", name)
    latin: list[str] = re.findall(r"[^\W\d_\u4e00-\u9fff]+", name)
    if han and (is_chinese() or not latin):
        return han[-1]
    return "".join(word[0] for word in latin[:2]).upper() or name[:1].upper()


@register.filter
def same_site(url: str | None, request: HttpRequest) -> str:
    """The address if it is one of ours, else the home page's."""
    ours = url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return url if url and ours else "/"


@register.inclusion_tag("kit/pages.html", takes_context=True)
def pages(context: RequestContext, page: Any, target: str = "") -> dict[str, Any]:
    """`target` is the part that htmx replaces, as a selector; without it the links load the page."""
    return {
        "request": context["request"],
        "page": page,
        "numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "elided": page.paginator.ELLIPSIS,
        "target": target,
    }


@register.inclusion_tag("kit/sort_head.html", takes_context=True)
def sort_head(context: RequestContext, key: str, label: str, css: str = "", target: str = "") -> dict[str, Any]:
    """A table's head that sorts by `?sort=key`, and the other way round when it does already."""
    now = context["request"].GET.get("sort", "")
    direction = {key: "ascending", f"-{key}": "descending"}.get(now, "")
    return {
        "request": context["request"],
        "label": label,
        "css": css,
        "target": target,
        "direction": direction,
        "next": f"-{key}" if direction == "ascending" else key,
    }


@register.simple_block_tag
def prose(content: str) -> SafeString:
    """Sentences in a row: in English with a space between them, in Chinese with none after a full-width stop."""
    return mark_safe(AFTER_STOP.sub("", content) if is_chinese() else content)  # the template escaped it already


@register.simple_block_tag(takes_context=True)
def dialog(
    context: template.Context,
    content: str,
    id: str,
    title: str,
    action: str,
    confirm: str,
    tone: str = "danger",
    target: str = "",
) -> str:
    """What a dangerous step will do, before it does it; opened by any element with `data-confirm-dialog="ID"`."""
    told = {"content": content, "id": id, "title": title, "action": action, "confirm": confirm, "tone": tone}
    with context.push(target=target, **told):
        return str(context.template.engine.get_template("kit/dialog.html").render(context))  # type: ignore[union-attr]


@register.simple_block_tag(takes_context=True)
def empty(context: template.Context, content: str, title: str, icon: str = "inbox", heading: bool = False) -> str:
    """What the page will show, and between the tags the first step. `heading`: it is all that the page says."""
    with context.push(content=content, title=title, icon=icon, heading=heading):
        return str(context.template.engine.get_template("kit/empty.html").render(context))  # type: ignore[union-attr]
