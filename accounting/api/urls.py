from __future__ import annotations

from django.urls import path

from accounting.api.usage import Usage

urlpatterns = [path("usage", Usage.as_view(), name="api_usage")]
