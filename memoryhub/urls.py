"""Every address of MemoryHub. The apps bring their pages and their part of the API; here is what belongs to none."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from memoryhub import health, style
from memoryhub.mcp.view import McpView

urlpatterns: list[URLPattern | URLResolver] = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.prometheus, name="metrics"),
    path("account/", include("allauth.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("accounts.urls")),
    path("", include("memories.urls")),
    path("", include("reviews.urls")),
    path("style/", style.show_style, name="style"),
    path("api/mem0/", include("memories.mem0.urls")),
    path("mcp", McpView.as_view(), name="mcp"),
    path("api/schema/", SpectacularAPIView.as_view(http_method_names=["get", "head"]), name="schema"),
    # Only what they are for: OPTIONS of a page without a template answered 500.
    path(
        "api/docs/",
        SpectacularSwaggerSplitView.as_view(
            url_name="schema", template_name="developers/api_docs.html", http_method_names=["get", "head"]
        ),
        name="api-docs",
    ),
]
if settings.MEMORYHUB_ADMIN_PATH:
    urlpatterns.append(path(settings.MEMORYHUB_ADMIN_PATH, admin.site.urls))

handler400 = "memoryhub.failures.bad_request"
handler403 = "memoryhub.failures.forbidden"
handler404 = "memoryhub.failures.not_found"
handler429 = "memoryhub.failures.too_many"  # asked for by allauth
handler500 = "memoryhub.failures.server_error"
