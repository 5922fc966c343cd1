"""What the API can do, read off its own OpenAPI document, in the portal's look and the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_GET
from drf_spectacular.generators import SchemaGenerator

from portal.kit.http import PortalRequest

Schema = Mapping[str, Any]
DEEPEST = 1  # of fields within fields: beyond that the document itself is the better read


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    kind: str
    about: str
    required: bool = False
    place: str = ""
    """Of a parameter: query, path or header."""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str
    path: str
    about: str
    anchor: str
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    answer: tuple[Field, ...]


@login_required
@require_GET
def api_page(request: PortalRequest) -> HttpResponse:
    context = {"endpoints": endpoints(translation.get_language() or ""), "root": request.build_absolute_uri("/api/v1/")}
    return render(request, "portal/api.html", context)


@lru_cache(maxsize=8)
def endpoints(language: str) -> tuple[Endpoint, ...]:
    """The document does not change while the process lives; its texts are those of `language`, which is active."""
    generator: Any = SchemaGenerator  # untyped library
    document = generator().get_schema(request=None, public=True)
    shapes = document["components"]["schemas"]
    return tuple(
        _endpoint(path, method, operation, shapes)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation["operationId"] != "v1_openapi_retrieve"
    )


def _endpoint(path: str, method: str, operation: Schema, shapes: Schema) -> Endpoint:
    answers = operation["responses"]
    good = answers.get("201") or answers.get("200") or {}
    return Endpoint(
        method=method.upper(),
        path=path,
        about=str(operation.get("summary", "")),
        anchor=operation["operationId"],
        parameters=tuple(_parameter(each) for each in operation.get("parameters", ())),
        body=tuple(_fields(_shape(operation.get("requestBody", {}), shapes), shapes)),
        answer=tuple(_fields(_shape(good, shapes), shapes)),
    )


def _parameter(each: Schema) -> Field:
    choices = each["schema"].get("enum")
    about = ", ".join(map(str, choices)) if choices else str(each.get("description", ""))
    return Field(each["name"], _kind(each["schema"]), about, each.get("required", False), each["in"])


def _shape(content: Schema, shapes: Schema) -> Schema:
    """Of a body or an answer; of a list, that of its entries."""
    schema = content.get("content", {}).get("application/json", {}).get("schema", {})
    if schema.get("type") == "array":
        schema = schema["items"]
    return _resolved(schema, shapes)


def _resolved(schema: Schema, shapes: Schema) -> Schema:
    for reference in (schema, *schema.get("allOf", ()), *schema.get("oneOf", ())):
        if "$ref" in reference:
            found: Schema = shapes[reference["$ref"].rpartition("/")[2]]
            return found
    return schema


def _fields(shape: Schema, shapes: Schema, depth: int = 0) -> Iterator[Field]:
    required = shape.get("required", ()) if depth == 0 else ()
    for name, schema in shape.get("properties", {}).items():
        inner = _resolved(schema.get("items", schema), shapes)
        about = str(schema.get("description", ""))
        yield Field(name, _kind(schema if "type" in schema else inner), about, name in required, depth=depth)
        if depth < DEEPEST:
            yield from _fields(inner, shapes, depth + 1)


def _kind(schema: Schema) -> str:
    kind = str(schema.get("format") or schema.get("type") or "object")
    return f"{kind}[]" if schema.get("type") == "array" else kind
