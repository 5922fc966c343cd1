from portal.views.site import csrf_failure, site_context

__all__ = ["csrf_failure", "site_context"]
