from portal.views.site import csrf_failure, refusal_text, site_context

__all__ = ["csrf_failure", "refusal_text", "site_context"]
