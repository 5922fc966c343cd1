"""What the submit page sends: a script or the fields of a form, whose quota it is for, and how."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any, ClassVar

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Prefetch
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounting.models import Project, Team, User
from portal.kit.access import May
from scheduling import jobspec
from scheduling.forms import header
from scheduling.models import Job

MOST_BYTES = 1 << 20
SCRIPT, FORM = "script", "form"
KEPT = ("team", "project", "own", "nonce", "resubmit_of")


class ScriptField(forms.CharField):
    """Kept to the letter: no stripping, since lines are counted, and NUL is let through to be found at its line."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strip=False, **kwargs)
        self.validators = []

    def to_python(self, value: Any) -> str:
        """With LF only: browsers send CRLF whatever was typed."""
        text = unix(super().to_python(value) or "")
        check_size(len(text.encode(errors="surrogatepass")))
        return text


class SubmitForm(forms.Form):
    mode = forms.ChoiceField(choices=[(SCRIPT, SCRIPT), (FORM, FORM)], required=False, widget=forms.HiddenInput)
    script = ScriptField(label=_("Script"), required=False)
    dos = forms.BooleanField(required=False, widget=forms.HiddenInput)
    """An uploaded file had Windows line ends, which no textarea can hold."""
    upload = forms.FileField(label=_("Upload"), required=False, allow_empty_file=True)
    team = forms.CharField(label=_("Team"), max_length=40)
    project = forms.CharField(label=_("Project"), max_length=40, required=False)
    own = forms.BooleanField(required=False)
    """Only own capacity, no loans."""
    nonce = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    resubmit_of = forms.IntegerField(min_value=1, required=False, widget=forms.HiddenInput)

    name = forms.CharField(label=_("Name"), required=False)
    partition = forms.CharField(label=_("Partition"), required=False)
    nodes = forms.CharField(label=_("Nodes"), required=False, help_text=_("2, or 2-4 for a range"))
    npus = forms.CharField(label=_("NPUs per node"), required=False)
    tasks_per_node = forms.CharField(label=_("Tasks per node"), required=False)
    cpus_per_task = forms.CharField(label=_("Cores per task"), required=False)
    time = forms.CharField(label=_("Time limit"), required=False, help_text=_("HH:MM:SS, or D-HH:MM:SS with days"))
    output = forms.CharField(label=_("Output file"), required=False, help_text=_("%j is the job's number, %x its name"))
    command = ScriptField(label=_("Commands"), required=False)

    WIDE: ClassVar[tuple[str, ...]] = ("name", "partition", "time", "output")
    NARROW: ClassVar[tuple[str, ...]] = ("nodes", "npus", "tasks_per_node", "cpus_per_task")

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        projects = Project.objects.filter(active=True).order_by("-is_default", "name")
        mine = Team.objects.where(user, May.SUBMIT).filter(active=True)
        self.teams = list(mine.prefetch_related(Prefetch("projects", queryset=projects, to_attr="open_projects")))
        for name in (*self.NARROW, "name", "time", "output"):
            self.fields[name].widget.attrs.update(autocomplete="off", spellcheck="false")
        self.for_team: Team | None = self._chosen_team()

    def _chosen_team(self) -> Team | None:
        slug = self.data.get("team") if self.is_bound else self.initial.get("team")
        return next((team for team in self.teams if team.slug == slug), self.teams[0] if self.teams else None)

    @property
    def projects(self) -> list[Project]:
        found: list[Project] = getattr(self.for_team, "open_projects", [])
        return found

    def offer_partitions(self, site: jobspec.Site) -> None:
        """Those that the team may use, and what the script says beside them."""
        default = next((each.name for each in site.partitions if each.default), "")
        names = [each.name for each in site.partitions]
        written = self["partition"].value()
        if written and written not in names:
            names.append(written)
        blank = gettext("the usual one: %(partition)s") % {"partition": default} if default else ""
        self.fields["partition"].widget = forms.Select(choices=[("", blank), *((name, name) for name in names)])

    def clean_upload(self) -> str | None:
        file: UploadedFile[bytes] | None = self.cleaned_data["upload"]
        return None if file is None else text_of(file)

    def clean_team(self) -> Team:
        if self.for_team is None or self.for_team.slug != self.cleaned_data["team"]:
            raise forms.ValidationError(gettext("You may not submit for this team."))
        return self.for_team

    def clean_project(self) -> Project | None:
        """One of another team's is none: the team was changed and its projects have not been offered yet."""
        slug = self.cleaned_data["project"]
        return next((each for each in self.projects if each.slug == slug), self.projects[0] if self.projects else None)

    def clean(self) -> dict[str, Any]:
        """`text` is the script as it would be submitted, `base` the one that the form's fields were read from."""
        data = self.cleaned_data
        upload: str | None = data.get("upload")
        text: str = data.get("script", "")
        dos = bool(data.get("dos"))
        if upload is not None:
            dos, text = "\r\n" in upload, unix(upload)
            data["mode"] = SCRIPT
        elif data.get("mode") == FORM:
            known = header.fields_of(text)
            text = header.with_fields(text, {name: data[name] for name in known if name in data and name in self.data})
        data.update(text=text, dos=dos, mode=data.get("mode") or SCRIPT)
        return data

    @property
    def sent(self) -> str:
        """The script with the line ends that it came with."""
        text: str = self.cleaned_data.get("text", "")
        return text.replace("\n", "\r\n") if self.cleaned_data.get("dos") else text

    def once(self) -> tuple[str, str]:
        """Key and digest of this submission: sent twice from one page, unchanged, it is one job."""
        data = self.cleaned_data
        project = data["project"].pk if data["project"] else None
        body = json.dumps([data["text"], data["team"].pk, project, data["own"], data["resubmit_of"]])
        digest = hashlib.sha256(body.encode(errors="surrogatepass")).hexdigest()
        return f"page:{data['nonce'] or uuid.uuid4().hex}:{digest[:32]}", digest


def opened(user: User, *, text: str, job: Job | None = None) -> SubmitForm:
    """The form of a fresh page."""
    data = {"mode": SCRIPT, "script": text, "nonce": uuid.uuid4().hex}
    if job is not None:
        data |= {"team": job.team.slug, "project": job.project.slug, "resubmit_of": str(job.pk)}
        data |= {"own": "1"} if job.own_only else {}
    form = SubmitForm(data, user=user)
    if form.for_team is not None and data.get("team") != form.for_team.slug:
        form = SubmitForm(data | {"team": form.for_team.slug}, user=user)
    return form


def reopened(form: SubmitForm, *, user: User, text: str, mode: str) -> SubmitForm:
    """The same form with another script, or the other way to edit it."""
    data = {name: value for name in KEPT if (value := form.data.get(name))}
    data |= header.fields_of(unix(text)) | {"script": text, "mode": mode}
    data |= {"dos": "1"} if "\r\n" in text else {}
    return SubmitForm(data, user=user)


def unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def check_size(length: int) -> None:
    if length > MOST_BYTES:
        raise forms.ValidationError(
            gettext("The script is larger than 1 MiB. Data belongs in files that the script reads.")
        )


def text_of(file: UploadedFile[bytes]) -> str:
    check_size(file.size or 0)
    data: bytes = file.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = gettext(
            "The file is no UTF-8 text: line %(line)s cannot be read. Save it as UTF-8 and upload it again."
        )
        raise forms.ValidationError(message % {"line": line}) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        message = gettext("There is a NUL character in line %(line)s: the file seems to be no text.")
        raise forms.ValidationError(message % {"line": line})
    return text
