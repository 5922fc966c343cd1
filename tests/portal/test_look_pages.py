"""The frame, the parts and the files from npm, without a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django import forms
from django.contrib.staticfiles import finders
from django.core.checks import run_checks
from django.template import Context, Template
from django.template.loader import render_to_string
from django.test import RequestFactory

from portal.kit import npm
from tests.portal import showcase


class Attributes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag, attrs):
        self.found += [(tag, name, value or "") for name, value in attrs]
        if tag in ("style", "script"):
            self.found.append((tag, "", ""))


@pytest.fixture
def request_(rf: RequestFactory, settings):
    settings.ROOT_URLCONF = "tests.portal.showcase"
    return rf.get("/?sort=name&page=7&q=a%26b")


@pytest.fixture
def html(request_):
    return showcase.page(request_).content.decode()


def test_nothing_is_inline(html):
    reader = Attributes()
    reader.feed(html)
    assert [found for found in reader.found if found[1] == "style" or found[1].startswith(("on", "hx-on"))] == []
    assert [found for found in reader.found if found[0] == "style"] == []
    loose = [s for s in re.findall(r"<script[^>]*>", html) if "src=" not in s and "application/json" not in s]
    assert loose == []


def test_every_id_is_given_once(html):
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert sorted(set(ids)) == sorted(ids)


def test_current_section_is_marked(html):
    assert re.search(r'<a href="/queue/" data-go="q" aria-current="page">', html)
    assert html.count('data-go="q" aria-current') == 1


def test_sorted_head_turns_round_and_keeps_the_filter(html):
    assert 'aria-sort="ascending"><a class="sort" href="?sort=-name&amp;q=a%26b"' in html


def test_pages_keep_sort_and_filter(html):
    assert 'href="?sort=name&amp;page=8&amp;q=a%26b"' in html


def test_a_wrong_field_is_tied_to_its_error_and_help(html):
    field = re.search(r'<input[^>]*id="id_amount"[^>]*>', html)[0]
    assert 'aria-describedby="id_amount_error id_amount_help"' in field
    assert 'aria-invalid="true"' in field
    assert re.search(r'<p class="field-error" id="id_amount_error">Ensure this value', html)
    assert '<a href="#id_amount">Guarantee</a>' in html


class Hostile(forms.Form):
    name = forms.CharField(label="<b>name</b>", help_text="<i>help</i>")


def test_what_people_typed_is_escaped(request_):
    text = (
        "{% copy_id bad %}{% field form.name %}{% team_bar own=0 borrowed=0 guaranteed=0 name=bad %}{% source 'own' %}"
    )
    drawn = Template(
        text
        + '{% empty title=bad %}{% endempty %}{% dialog id="d" title=bad action=bad confirm=bad %}{{ bad }}{% enddialog %}'
    )
    html = drawn.render(
        Context({"bad": '"><script>x</script>', "form": Hostile({"name": '"><script>x'}), "request": request_})
    )
    assert "<script>" not in html
    assert "<b>name" not in html


@pytest.mark.parametrize("template", ["400.html", "403.html", "403_csrf.html", "404.html", "500.html"])
def test_error_pages_draw_without_any_context(template, settings):
    settings.ROOT_URLCONF = "tests.portal.showcase"
    html = render_to_string(template)
    assert "<h1>" in html or "empty-name" in html


def test_back_leads_only_to_our_own_pages(request_):
    request_.META["HTTP_REFERER"] = "https://elsewhere.example/"
    assert 'class="btn btn-primary" href="/"' in render_to_string("refusal.html", {"text": "no"}, request_)
    request_.META["HTTP_REFERER"] = "http://testserver/queue/"
    assert 'href="http://testserver/queue/"' in render_to_string("refusal.html", {"text": "no"}, request_)


@pytest.mark.parametrize("name", npm.FILES)
def test_files_from_npm_are_found(name):
    assert finders.find(f"npm/{name}") == str(npm.folder() / name)


def test_nothing_else_of_npm_is_served():
    assert not finders.find("npm/htmx.org/package.json")
    assert not finders.find("htmx.org/dist/htmx.min.js")
    assert not finders.find("npm/../package.json")


def test_missing_npm_files_stop_the_start(settings, tmp_path):
    settings.NODE_MODULES = tmp_path
    errors = npm.Finder().check()
    assert [error.id for error in errors] == ["portal.E020"]
    assert errors[0].hint == "Run `npm ci` in the project's folder."
    settings.NODE_MODULES = npm.folder()


def test_lock_names_no_host():
    lock = (npm.folder().parent / "package-lock.json").read_text()
    assert '"resolved"' not in lock


def test_templates_have_no_unknown_checks():
    assert [error for error in run_checks(tags=["staticfiles"]) if error.level >= 40] == []
