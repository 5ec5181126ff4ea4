from django.urls import path

from reviews import api, notice_views, views

urlpatterns = [
    path("api/v1/candidates", api.CandidateListView.as_view(), name="api-candidates"),
    path("api/v1/candidates/<str:candidate_id>", api.CandidateView.as_view(), name="api-candidate"),
    path("api/v1/candidates/<str:candidate_id>/approve", api.ApproveView.as_view(), name="api-approve"),
    path("api/v1/candidates/<str:candidate_id>/reject", api.RejectView.as_view(), name="api-reject"),
    path("api/v1/candidates/<str:candidate_id>/withdraw", api.WithdrawView.as_view(), name="api-withdraw"),
    path(
        "api/v1/candidates/<str:candidate_id>/request_changes",
        api.RequestChangesView.as_view(),
        name="api-request-changes",
    ),
    path("api/v1/candidates/<str:candidate_id>/undo", api.UndoView.as_view(), name="api-undo"),
]
urlpatterns += [
    path("", views.home, name="home"),
    path("waiting/", views.waiting, name="waiting"),
    path("notices/", notice_views.show_notices, name="notices"),
    path("notices/read/", notice_views.read_notices, name="read-notices"),
    path("settings/notices/", notice_views.choose_notices, name="notice-settings"),
    path("activity/", notice_views.show_activity, name="activity"),
    path("activity/file/", notice_views.fetch_activity, name="activity-file"),
    path("reviews/", views.queue, name="reviews"),
    path("candidates/<uuid:candidate_id>/", views.show, name="candidate"),
    path("candidates/<uuid:candidate_id>/undo/", views.undo, name="undo-candidate"),
    path("candidates/<uuid:candidate_id>/edit/", views.edit, name="edit-candidate"),
    path("candidates/<uuid:candidate_id>/never/", views.never, name="never-candidate"),
    *(
        path(f"candidates/<uuid:candidate_id>/{action}/", views.answer, {"action": action}, name=f"{action}-candidate")
        for action in views.ACTIONS
    ),
]
