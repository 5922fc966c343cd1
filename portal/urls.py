from __future__ import annotations

from allauth.account.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path

from portal.views import clusters, home, profile, search, site, teams

# Sign-in. Nothing else of allauth is mounted: people are made by the organisation.
account_urls = [
    path("login/", site.SignIn.as_view(), name="account_login"),
    path("logout/", LogoutView.as_view(), name="account_logout"),
]

# Teams, their people and projects
team_urls = [
    path("", teams.team, name="team"),
    path("usage.csv", teams.team_usage_csv, name="team_usage_csv"),
    path("members/add/", teams.member_add, name="member_add"),
    path("members/role/", teams.member_role, name="member_role"),
    path("members/<str:username>/remove/", teams.member_remove, name="member_remove"),
    path("projects/add/", teams.project_add, name="project_add"),
    path("projects/<slug:project>/archive/", teams.project_archive, name="project_archive"),
    path("projects/<slug:project>/restore/", teams.project_restore, name="project_restore"),
]

# Hardware
cluster_urls = [
    path("", clusters.clusters, name="clusters"),
    path("", clusters.clusters, name="cluster"),  # without a name: the section of the frame
    path("<slug:name>/", clusters.cluster, name="cluster"),
    path("<slug:cluster>/<str:name>/", clusters.node, name="node"),
    path("<slug:cluster>/<str:name>/drain/", clusters.node_drain, name="node_drain"),
    path("<slug:cluster>/<str:name>/resume/", clusters.node_resume, name="node_resume"),
]

# The own person
profile_urls = [
    path("", profile.profile, name="profile"),
    path("password/", profile.profile_password, name="profile_password"),
    path("tokens/", profile.token_make, name="token_make"),
    path("tokens/<int:token>/revoke/", profile.token_revoke, name="token_revoke"),
]

handler404 = "portal.views.site.not_found"
handler500 = "portal.views.site.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("home/aside/<int:number>/", home.home_put_aside, name="home_put_aside"),
    path("home/steps/", home.home_steps, name="home_steps"),
    path("accounts/", include(account_urls)),
    path("team/", teams.my_team, name="team"),
    path("teams/", teams.teams, name="teams"),
    path("teams/<slug:slug>/", include(team_urls)),
    path("", include("scheduling.urls")),
    path("api/", include("portal.api")),
    path("clusters/", include(cluster_urls)),
    path("profile/", include(profile_urls)),
    path("search/", search.search, name="search"),
    path("language/", site.set_language, name="set_language"),
    path("healthz", site.healthz, name="healthz"),
]
