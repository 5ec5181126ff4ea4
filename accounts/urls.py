from django.urls import path

from accounts import agent_views, api, member_views, people_api, views
from accounts.webhooks import api as webhooks_api
from accounts.webhooks import views as webhook_views

urlpatterns = [
    path("api/v1/delegations", api.DelegationView.as_view(), name="api-delegations"),
    path("api/v1/audit", api.AuditView.as_view(), name="api-audit"),
    path("api/v1/audit/export", api.AuditExportView.as_view(), name="api-audit-export"),
    path("api/v1/audit/chain", api.AuditChainView.as_view(), name="api-audit-chain"),
    path("api/v1/calls", people_api.CallsView.as_view(), name="api-calls"),
    path("api/v1/agents", people_api.AgentsView.as_view(), name="api-agents"),
    path("api/v1/agents/<str:agent_id>/pause", people_api.AgentPauseView.as_view(), name="api-pause-agent"),
    path("api/v1/agents/<str:agent_id>/resume", people_api.AgentResumeView.as_view(), name="api-resume-agent"),
    path("api/v1/agents/<str:agent_id>/end", people_api.AgentEndView.as_view(), name="api-end-agent"),
    path("api/v1/invitations", people_api.InvitationsView.as_view(), name="api-invitations"),
    path(
        "api/v1/invitations/<str:invitation_id>/revoke",
        people_api.InvitationRevokeView.as_view(),
        name="api-revoke-invitation",
    ),
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
    path("agents/", agent_views.show_agents, name="agents"),
    path("agents/new/", agent_views.connect_agent, name="connect-agent"),
    path("agents/<uuid:agent_id>/pause/", agent_views.pause_agent, name="pause-agent"),
    path("agents/<uuid:agent_id>/resume/", agent_views.resume_agent, name="resume-agent"),
    path("agents/<uuid:agent_id>/key/", agent_views.rotate_key, name="rotate-key"),
    path("agents/<uuid:agent_id>/end/", agent_views.end_agent, name="end-agent"),
    path("agents/keys/<uuid:key_id>/", agent_views.first_call, name="first-call"),
    path("developers/", agent_views.show_developers, name="developers"),
    path("developers/calls/", agent_views.show_calls, name="calls"),
    path("members/", member_views.show_members, name="members"),
    path("members/<uuid:person_id>/", member_views.change_member, name="member"),
    path("members/<uuid:person_id>/remove/", member_views.dismiss_member, name="dismiss-member"),
    path("groups/", member_views.show_groups, name="groups"),
    path("groups/new/", member_views.create_group, name="create-group"),
    path("groups/<uuid:group_id>/", member_views.show_group, name="group"),
    path("groups/<uuid:group_id>/add/", member_views.add_to_group, name="add-to-group"),
    path("groups/<uuid:group_id>/invitations/", member_views.invite, name="invite-into"),
    path("groups/<uuid:group_id>/<uuid:person_id>/role/", member_views.set_maintainer, name="set-maintainer"),
    path("groups/<uuid:group_id>/<uuid:person_id>/remove/", member_views.remove_from_group, name="remove-from-group"),
    path("invitations/", member_views.invite, name="invite"),
    path("invitations/<uuid:invitation_id>/resend/", member_views.resend_invitation, name="resend-invitation"),
    path("invitations/<uuid:invitation_id>/revoke/", member_views.revoke_invitation, name="revoke-invitation"),
    path("invitations/<str:token>/", member_views.show_invitation, name="invitation"),
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
