from django.urls import path

from accounts import api

urlpatterns = [path("api/v1/delegations", api.DelegationView.as_view(), name="api-delegations")]
