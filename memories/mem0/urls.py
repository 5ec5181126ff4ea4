from django.urls import path

from memories.mem0 import api

urlpatterns = [
    path("v1/ping/", api.PingView.as_view(), name="mem0-ping"),
    path("v3/memories/add/", api.AddView.as_view(), name="mem0-add"),
    path("v3/memories/search/", api.SearchView.as_view(), name="mem0-search"),
    path("v3/memories/", api.ListView.as_view(), name="mem0-list"),
    path("v1/memories/<str:memory_id>/", api.MemoryView.as_view(), name="mem0-memory"),
    path("v1/memories/<str:memory_id>/history/", api.HistoryView.as_view(), name="mem0-history"),
    path("v1/event/<str:event_id>/", api.EventView.as_view(), name="mem0-event"),
    path("v1/memories/", api.NotMappedView.as_view(), name="mem0-delete-all"),
]
