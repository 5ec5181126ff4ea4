from django.urls import path

from accounts import api, views

urlpatterns = [
    path("api/v1/delegations", api.DelegationView.as_view(), name="api-delegations"),
    path("api/v1/audit", api.AuditView.as_view(), name="api-audit"),
    path("api/v1/audit/export", api.AuditExportView.as_view(), name="api-audit-export"),
    path("api/v1/audit/chain", api.AuditChainView.as_view(), name="api-audit-chain"),
]
urlpatterns += [
    path("audit/", views.show_audit, name="audit"),
    path("settings/", views.show_settings, name="settings"),
    path("settings/time-zone/", views.set_time_zone, name="set-time-zone"),
    path("settings/tokens/", views.create_token, name="create-token"),
    path("settings/tokens/<uuid:token_id>/revoke/", views.revoke_token, name="revoke-token"),
    path("settings/organisation/", views.choose_tenant, name="choose-tenant"),
    path("settings/language/", views.choose_language, name="choose-language"),
    path("settings/theme/", views.choose_theme, name="choose-theme"),
    path("settings/keys/", views.choose_keys, name="choose-keys"),
    path("problems/<str:code>/", views.show_problem, name="problem"),
    path("help/", views.show_help, name="help"),
]
