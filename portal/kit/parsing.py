"""Reading what scripts send."""

from __future__ import annotations

from typing import Any

from rest_framework.parsers import JSONParser

from portal.kit.errors import Invalid


class Json(JSONParser):
    """As the framework's; what is nested beyond reason is the sender's mistake, not a fault of ours."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError:
            raise Invalid(code="unreadable") from None
