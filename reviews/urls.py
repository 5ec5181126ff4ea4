from django.urls import path

from reviews import (
    api,
    delays,
    following_api,
    following_views,
    notice_views,
    quality_views,
    returned_views,
    review_api,
    review_views,
    several_views,
    views,
)

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
    path("api/v1/following", following_api.FollowingView.as_view(), name="api-following"),
    path("api/v1/following/<str:follow_id>", following_api.FollowView.as_view(), name="api-follow"),
    path("api/v1/reviews/queue", review_api.QueueView.as_view(), name="api-review-queue"),
    path("api/v1/reviews/quality", review_api.QualityView.as_view(), name="api-review-quality"),
    path("api/v1/candidates/<str:candidate_id>/dossier", review_api.DossierView.as_view(), name="api-dossier"),
    path("api/v1/candidates/<str:candidate_id>/claim", review_api.ClaimView.as_view(), name="api-claim"),
    path("api/v1/candidates/<str:candidate_id>/release", review_api.ReleaseView.as_view(), name="api-release"),
    path("api/v1/candidates/<str:candidate_id>/transfer", review_api.TransferView.as_view(), name="api-transfer"),
    path("api/v1/candidates/<str:candidate_id>/comments", review_api.CommentsView.as_view(), name="api-comments"),
    path("api/v1/candidates/<str:candidate_id>/reword", review_api.RewordView.as_view(), name="api-reword"),
    path("api/v1/candidates/<str:candidate_id>/resubmit", review_api.ResubmitView.as_view(), name="api-resubmit"),
]
urlpatterns += [
    path("", views.home, name="home"),
    path("waiting/", views.waiting, name="waiting"),
    path("waiting/several/", several_views.answer_several, name="answer-several"),
    path("waiting/several/undo/", several_views.undo_several, name="undo-several"),
    path("reviews/", review_views.show_queue, name="reviews"),
    path("reviews/quality/", quality_views.show, name="review-quality"),
    path("reviews/quality/<str:table>.csv", quality_views.as_csv, name="review-quality-csv"),
    path("reviews/duplicates/", review_views.reject_duplicates, name="reject-duplicates"),
    path("reviews/<uuid:candidate_id>/", review_views.show, name="review"),
    path("reviews/<uuid:candidate_id>/claim/", review_views.claim, name="claim"),
    path("reviews/<uuid:candidate_id>/release/", review_views.release, name="release"),
    path("reviews/<uuid:candidate_id>/transfer/", review_views.transfer, name="transfer"),
    path("reviews/<uuid:candidate_id>/comment/", review_views.comment, name="comment-review"),
    path("reviews/<uuid:candidate_id>/reword/", review_views.reword, name="reword"),
    *(
        path(
            f"reviews/<uuid:candidate_id>/{verdict}/",
            review_views.answer,
            {"verdict": verdict},
            name=f"{verdict}-review",
        )
        for verdict in delays.VERBS
    ),
    path("playbook/following/", following_views.show_following, name="following"),
    path("playbook/following/<uuid:follow_id>/stop/", following_views.unfollow, name="unfollow"),
    path("playbook/places/<uuid:namespace_id>/follow/", following_views.follow_place, name="follow-place"),
    path("playbook/<uuid:memory_id>/follow/", following_views.follow_entry, name="follow-entry"),
    path("notices/", notice_views.show_notices, name="notices"),
    path("notices/read/", notice_views.read_notices, name="read-notices"),
    path("settings/notices/", notice_views.choose_notices, name="notice-settings"),
    path("activity/", notice_views.show_activity, name="activity"),
    path("activity/file/", notice_views.fetch_activity, name="activity-file"),
    path("candidates/<uuid:candidate_id>/", views.show, name="candidate"),
    path("candidates/<uuid:candidate_id>/undo/", views.undo, name="undo-candidate"),
    path("candidates/<uuid:candidate_id>/edit/", views.edit, name="edit-candidate"),
    path("candidates/<uuid:candidate_id>/comment/", returned_views.answer, name="answer-returned"),
    path("candidates/<uuid:candidate_id>/resubmit/", returned_views.resubmit, name="resubmit"),
    path("candidates/<uuid:candidate_id>/never/", views.never, name="never-candidate"),
    *(
        path(f"candidates/<uuid:candidate_id>/{action}/", views.answer, {"action": action}, name=f"{action}-candidate")
        for action in views.ACTIONS
    ),
]
