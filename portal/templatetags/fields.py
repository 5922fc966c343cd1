"""One way to draw a form's field: label, control, help, error, tied together for screen readers."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms import BoundField

CLASSES: tuple[tuple[type[forms.Widget], str], ...] = (
    (forms.CheckboxInput, "form-check-input"),
    (forms.RadioSelect, ""),
    (forms.CheckboxSelectMultiple, ""),
    (forms.Select, "form-select"),
    (forms.Widget, "form-control"),
)


def shape(widget: forms.Widget) -> str:
    """ "check" (label behind), "group" (fieldset) or "line"."""
    if isinstance(widget, forms.RadioSelect | forms.CheckboxSelectMultiple):
        return "group"
    return "check" if isinstance(widget, forms.CheckboxInput) else "line"


def field(bound: BoundField, hint: str = "", unit: str = "") -> dict[str, Any]:
    """`hint` replaces the field's help text, `unit` stands behind the control."""
    widget = bound.field.widget
    told = hint or bound.help_text
    ids = [f"{bound.auto_id}_help"] if told else []
    if bound.errors:
        ids.insert(0, f"{bound.auto_id}_error")
    given = widget.attrs.get("class", "")
    base = next(name for kind, name in CLASSES if isinstance(widget, kind))
    classes = " ".join(filter(None, [base, given, "is-invalid" if base and bound.errors else ""]))
    attrs: dict[str, str | bool] = {"class": classes} if classes else {}
    if ids:
        attrs["aria-describedby"] = " ".join(ids)
    return {
        "field": bound,
        "shape": shape(widget),
        "control": bound.as_widget(attrs=attrs),
        "help": told,
        "unit": unit,
        "hidden": bound.is_hidden,
    }
