from django.urls import path

from memories import api, views, wide_views

urlpatterns = [
    path("api/v1/evidence", api.EvidenceView.as_view(), name="api-evidence"),
    path("api/v1/proposals", api.ProposalView.as_view(), name="api-proposals"),
    path("api/v1/proposals/preview", api.PreviewView.as_view(), name="api-preview"),
    path("api/v1/proposals/batch", api.BatchView.as_view(), name="api-batch"),
    path("api/v1/recall", api.RecallView.as_view(), name="api-recall"),
    path("api/v1/recalls/<str:recall_id>/feedback", api.FeedbackView.as_view(), name="api-feedback"),
    path("api/v1/context", api.ContextView.as_view(), name="api-context"),
    path("api/v1/memories", api.MemoryListView.as_view(), name="api-memories"),
    path("api/v1/memories/lookup", api.LookupView.as_view(), name="api-lookup"),
    path("api/v1/memories/<str:memory_id>", api.MemoryView.as_view(), name="api-memory"),
    path("api/v1/memories/<str:memory_id>/history", api.HistoryView.as_view(), name="api-history"),
    path("api/v1/memories/<str:memory_id>/pause", api.PauseView.as_view(), name="api-pause"),
    path("api/v1/memories/<str:memory_id>/resume", api.ResumeView.as_view(), name="api-resume"),
    path("api/v1/memories/<str:memory_id>/renew", api.RenewView.as_view(), name="api-renew"),
    path("api/v1/forget", api.ForgetView.as_view(), name="api-forget"),
    path("api/v1/erasures/<str:erasure_id>", api.ErasureView.as_view(), name="api-erasure"),
    path("api/v1/operations/<str:operation_id>", api.OperationView.as_view(), name="api-operation"),
    path("api/v1/index-status", api.IndexStatusView.as_view(), name="api-index-status"),
    path("api/v1/tools", api.ToolsView.as_view(), name="api-tools"),
    path("api/v1/tools/call", api.ToolCallView.as_view(), name="api-tool-call"),
]
urlpatterns += [
    path("memories/", views.list_memories, name="memories"),
    path("memories/new/", views.enter, name="enter-memory"),
    path("memories/<uuid:memory_id>/", views.show, name="memory"),
    path("memories/<uuid:memory_id>/correct/", views.correct, name="correct-memory"),
    path("memories/<uuid:memory_id>/pause/", views.pause, name="pause-memory"),
    path("memories/<uuid:memory_id>/resume/", views.resume, name="resume-memory"),
    path("memories/<uuid:memory_id>/forget/", views.forget, name="forget-memory"),
    path("erasures/<uuid:erasure_id>/", views.receipt, name="erasure"),
    path("forget/conversation/<uuid:evidence_id>/", wide_views.forget_conversation, name="forget-conversation"),
    path("forget/agent/<uuid:agent_id>/", wide_views.forget_agent, name="forget-agent"),
    path("forget/place/<uuid:namespace_id>/", wide_views.forget_place, name="forget-place"),
    path("forget/me/", wide_views.forget_me, name="forget-me"),
    path("forgotten/<str:token>/", wide_views.farewell, name="farewell"),
]
