from __future__ import annotations

from django.urls import path

from scheduling import views

urlpatterns = [
    # submit
    path("submit/", views.submit, name="submit"),
    path("submit/preview/", views.submit_preview, name="submit_preview"),
    path("submit/presets/<slug:slug>/", views.preset, name="preset"),
    # queue
    path("queue/", views.queue, name="queue"),
    path("queue/rows/", views.queue_rows, name="queue_rows"),
    path("queue/cancel/", views.queue_cancel, name="queue_cancel"),
    # job
    path("jobs/<int:number>/", views.job, name="job"),
    path("jobs/<int:number>/cancel/", views.job_cancel, name="job_cancel"),
    path("jobs/<int:number>/hold/", views.job_hold, name="job_hold"),
    path("jobs/<int:number>/release/", views.job_release, name="job_release"),
    path("jobs/<int:number>/log/", views.job_log, name="job_log"),
    path("jobs/<int:number>/resubmit/", views.job_resubmit, name="job_resubmit"),
]
