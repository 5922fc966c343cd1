from scheduling.forms.submit import SubmitForm

__all__ = ["SubmitForm"]
