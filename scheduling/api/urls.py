from __future__ import annotations

from django.urls import path

from scheduling.api import jobs, quotas

urlpatterns = [
    path("jobs", jobs.Jobs.as_view(), name="api_jobs"),
    path("jobs/preview", jobs.Preview.as_view(), name="api_jobs_preview"),
    path("jobs/cancel", jobs.CancelMany.as_view(), name="api_jobs_cancel"),
    path("jobs/<int:number>", jobs.JobDetail.as_view(), name="api_job"),
    path("jobs/<int:number>/events", jobs.Events.as_view(), name="api_job_events"),
    path("jobs/<int:number>/log", jobs.Log.as_view(), name="api_job_log"),
    path("jobs/<int:number>/cancel", jobs.Cancel.as_view(), name="api_job_cancel"),
    path("jobs/<int:number>/hold", jobs.Hold.as_view(), name="api_job_hold"),
    path("jobs/<int:number>/release", jobs.Release.as_view(), name="api_job_release"),
    path("quotas", quotas.Quotas.as_view(), name="api_quotas"),
]
