from django.urls import path

from accounts import api, views
from accounts.webhooks import api as webhooks_api
from accounts.webhooks import views as webhook_views

urlpatterns = [
    path("api/v1/delegations", api.DelegationView.as_view(), name="api-delegations"),
    path("api/v1/audit", api.AuditView.as_view(), name="api-audit"),
    path("api/v1/audit/export", api.AuditExportView.as_view(), name="api-audit-export"),
    path("api/v1/audit/chain", api.AuditChainView.as_view(), name="api-audit-chain"),
]
WEBHOOK = "api/v1/webhooks/<str:webhook_id>"
urlpatterns += [
    path("api/v1/webhooks", webhooks_api.WebhooksView.as_view(), name="api-webhooks"),
    path(WEBHOOK, webhooks_api.WebhookView.as_view(), name="api-webhook"),
    path(f"{WEBHOOK}/switch-on", webhooks_api.SwitchOnView.as_view(), name="api-webhook-on"),
    path(f"{WEBHOOK}/switch-off", webhooks_api.SwitchOffView.as_view(), name="api-webhook-off"),
    path(f"{WEBHOOK}/deliveries", webhooks_api.DeliveriesView.as_view(), name="api-deliveries"),
    path(f"{WEBHOOK}/deliveries/<str:delivery_id>/retry", webhooks_api.RetryView.as_view(), name="api-retry-delivery"),
    path("settings/webhooks/", webhook_views.show_webhooks, name="webhooks"),
    path("settings/webhooks/<uuid:webhook_id>/", webhook_views.show_webhook, name="webhook"),
    path("settings/webhooks/<uuid:webhook_id>/switch/", webhook_views.switch, name="switch-webhook"),
    path("settings/webhooks/<uuid:webhook_id>/remove/", webhook_views.remove, name="remove-webhook"),
    path(
        "settings/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/retry/",
        webhook_views.retry,
        name="retry-delivery",
    ),
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
