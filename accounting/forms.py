"""Forms about people, teams and tokens. They check shape; what the rules refuse, the services say."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounting.models import Token, User
from portal.kit import clock
from portal.kit.access import OVER_TEAM, ROLE_LABELS

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm  # takes its model as a type only while types are checked

ROLES = [(role.value, ROLE_LABELS[role]) for role in OVER_TEAM]


class MemberForm(forms.Form):
    username = forms.CharField(label=_("User name"), max_length=150, help_text=_("The name the person signs in with."))
    role = forms.ChoiceField(label=_("Role"), choices=ROLES, initial="member")


class RoleForm(forms.Form):
    username = forms.CharField(max_length=150, widget=forms.HiddenInput)
    role = forms.ChoiceField(label=_("Role"), choices=ROLES)


class ProjectForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=80)


class ProfileForm(UserForm):
    class Meta:
        model = User
        fields = ("name", "language", "time_zone")
        labels = {"name": _("Your name"), "time_zone": _("Time zone")}
        help_texts = {"time_zone": _("Empty: the organisation's. Type a part of a city's name to search.")}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # handed on as they came
        languages = [
            ("", _("as the browser asks")),
            *((code, LANGUAGE_NAMES[code]) for code, _name in settings.LANGUAGES),
        ]
        self.fields["language"] = forms.ChoiceField(label=_("Language"), choices=languages, required=False)
        # A text with suggestions: searches without a script, unlike a list of six hundred.
        self.fields["time_zone"].widget = forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off"})


# Each in itself, so that one who cannot read the page finds the own language.
LANGUAGE_NAMES = {"en": "English", "zh-hans": "简体中文"}


def time_zones() -> list[str]:
    return sorted(
        zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc/", "posix/", "right/"))
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("What it is for"), max_length=80, help_text=_("So that you can tell it from others later.")
    )
    scope = forms.ChoiceField(
        label=_("Allowed to"),
        choices=[(Token.Scope.WRITE, _("do everything that you may")), (Token.Scope.READ, _("only read"))],
    )
    days = forms.TypedChoiceField(
        label=_("Expires"),
        coerce=int,
        choices=[(30, _("in 30 days")), (90, _("in 90 days")), (365, _("in a year")), (0, _("never"))],
        initial=90,
    )

    def clean_days(self) -> int:
        days: int = self.cleaned_data["days"]
        self.cleaned_data["expires_at"] = clock.now() + timedelta(days=days) if days else None
        return days
