"""Who belongs: invitations, roles, teams and projects, and the organisation one works in."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from cast import PROJECT, Cast, Company, now, sentence, word
from django.core import mail
from django.test import Client
from test_pages import checked, page

from accounts import departing, invitations
from accounts.models import AuditEvent, Group, GroupMember, Invitation, Membership, User
from memoryhub import sweeping

PASSWORD = "a long walk along the harbour"


@pytest.fixture
def adam(acme: Company) -> Client:
    """Acme's administrator, who keeps the project atlas."""
    return acme.person("adam").client


def group(acme: Company, slug: str = "atlas") -> Group:
    with acme.entered():
        return Group.objects.get(slug=slug)


def invite(client: Client, callbacks: Any, **fields: Any) -> tuple[Any, str]:
    """What the page answered, and the path of the link in the mail that was sent."""
    address = fields.pop("address", "/invitations/")
    given = {"email": f"{word()}@acme.example", "role": "member"} | fields
    with callbacks(execute=True):
        response = client.post(address, given)
    found = re.findall(r"https?://[^/]+(/invitations/\S+/)", mail.outbox[-1].body) if mail.outbox else []
    return response, found[-1] if found else ""


def sign_up(link: str, email: str) -> Client:
    """A visitor follows the link and opens an account."""
    visitor = Client()
    assert "Open an account" in page(visitor, link)
    form = {"email": email, "password1": PASSWORD, "password2": PASSWORD, "next": link}
    response = visitor.post("/account/signup/", form)
    assert (response.status_code, response["Location"]) == (302, link)
    return visitor


def actions(acme: Company, prefix: str) -> list[str]:
    with acme.entered():
        rows = AuditEvent.objects.filter(action__startswith=prefix).order_by("pk")
        return list(rows.values_list("action", flat=True))


# --- invitations -----------------------------------------------------------------------------------------------------


def test_an_invited_person_opens_an_account_and_joins(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    email = f"{word()}@acme.example"
    response, link = invite(adam, django_capture_on_commit_callbacks, email=email.upper(), role="reviewer")
    assert response.status_code == 302
    assert mail.outbox[-1].to == [email]
    assert email in page(adam, "/members/")
    newcomer = sign_up(link, email)
    assert "Join" in page(newcomer, link)
    assert newcomer.post(link).status_code == 302
    assert "Your memory at a glance" in page(newcomer, "/")
    person = acme.member(email.partition("@")[0])
    assert (person.roles, person.user.email) == (["reviewer"], email)
    assert person.user.emailaddress_set.get().verified
    with acme.entered():
        assert Invitation.objects.get().email == ""
    assert actions(acme, "invitation.") == ["invitation.send", "invitation.accept"]
    assert newcomer.get(link).status_code == newcomer.post(link).status_code == 404


def test_who_has_an_account_elsewhere_joins_with_it_and_changes_between_both(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    """R-059: one person, two organisations, nothing in common."""
    adam, bob = cast.acme.person("adam").client, cast.beta.person("bob").client
    mark = word()
    cast.beta.bob.store(sentence(mark))
    _, link = invite(adam, django_capture_on_commit_callbacks, email="bob@beta.example")
    bob.post(link)
    menu = page(bob, "/memories/")
    assert mark not in menu
    assert menu.count('name="membership"') == 2
    bob.post("/settings/organisation/", {"membership": cast.beta.member("bob").pk})
    assert mark in page(bob, "/memories/")


def test_sign_up_stays_closed_without_an_invitation_and_to_other_addresses(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    email = f"{word()}@acme.example"
    form = {"email": email, "password1": PASSWORD, "password2": PASSWORD}
    Client().post("/account/signup/", form)
    assert not User.objects.filter(email=email).exists()
    _, link = invite(adam, django_capture_on_commit_callbacks, email=email)
    visitor = Client()
    visitor.get(link)
    other = visitor.post("/account/signup/", form | {"email": f"{word()}@acme.example"})
    assert "for another address" in checked(other)
    assert visitor.post("/account/signup/", form).status_code == 302
    assert list(User.objects.filter(email__endswith="acme.example").order_by("-pk").values_list("email"))[0] == (email,)


def test_an_invitation_opens_nothing_for_another_account(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    _, link = invite(adam, django_capture_on_commit_callbacks)
    nobody = User.objects.create_user(f"{word()}@elsewhere.example")
    other = Client()
    other.force_login(nobody)
    assert "another address" in page(other, link)
    assert other.post(link).status_code == 403
    assert not Membership.everywhere.filter(user=nobody).exists()


@pytest.mark.parametrize("what", ["revoked", "sent again", "too old", "cut", "used by its inviter's leaving"])
def test_a_link_that_has_ended_is_like_one_that_never_was(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any, what: str
) -> None:
    email = f"{word()}@acme.example"
    _, link = invite(adam, django_capture_on_commit_callbacks, email=email)
    assert Client().get(link).status_code == 200
    with acme.entered():
        invitation = Invitation.objects.get()
    match what:
        case "revoked":
            assert adam.post(f"/invitations/{invitation.pk}/revoke/").status_code == 302
        case "sent again":
            with django_capture_on_commit_callbacks(execute=True):
                adam.post(f"/invitations/{invitation.pk}/resend/")
            assert len(mail.outbox) == 2
        case "too old":
            with acme.entered():
                Invitation.objects.update(expires_at=now(minutes=-1))
        case "cut":
            link = link[:-4] + "/"
        case _:
            with acme.entered():
                Membership.objects.filter(external_id="adam").update(is_active=False)
    user = User.objects.create_user(email)
    invited = Client()
    invited.force_login(user)
    for method in ("get", "post"):
        assert getattr(invited, method)(link).status_code == 404
    assert not Membership.everywhere.filter(user=user).exists()


def test_addresses_of_invitations_do_not_outlive_them(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    invite(adam, django_capture_on_commit_callbacks)
    later = now() + invitations.LIVES + timedelta(minutes=1)
    assert not sweeping.sweep_tenant(acme.tenant, later, ("accounts.invitations.close_expired",)).failed
    with acme.entered():
        assert Invitation.objects.get().email == ""


@pytest.mark.parametrize(
    ("name", "fields", "status"),
    [
        ("adam", {}, 302),
        ("adam", {"email": "alice@acme.example"}, 400),
        ("adam", {"email": "nonsense"}, 400),
        ("adam", {"role": "owner"}, 400),
        ("alice", {}, 403),
        ("rita", {}, 403),
    ],
)
def test_who_may_invite_whom(
    acme: Company, django_capture_on_commit_callbacks: Any, name: str, fields: dict[str, str], status: int
) -> None:
    client = acme.person(name).client
    response, link = invite(client, django_capture_on_commit_callbacks, **fields)
    assert (response.status_code, bool(link)) == (status, status == 302)
    with acme.entered():
        assert Invitation.objects.count() == (1 if status == 302 else 0)


def test_an_address_has_one_open_invitation(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    email = f"{word()}@acme.example"
    for status in (302, 400):
        response, _ = invite(adam, django_capture_on_commit_callbacks, email=email)
        assert response.status_code == status
    assert len(mail.outbox) == 1


def test_nobody_floods_mailboxes(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitations, "MOST_A_DAY", 2)
    assert [invite(adam, django_capture_on_commit_callbacks)[0].status_code for _ in range(3)] == [302, 302, 400]
    with acme.entered():
        waiting = Invitation.objects.order_by("pk")[0]
    assert adam.post(f"/invitations/{waiting.pk}/resend/").status_code == 409
    assert len(mail.outbox) == 2


def test_a_maintainer_invites_into_their_own_group_as_a_member(
    cast: Cast, django_capture_on_commit_callbacks: Any
) -> None:
    acme, atlas = cast.acme, group(cast.acme)
    with acme.entered():
        GroupMember.objects.filter(group=atlas, membership__external_id="rita").update(is_maintainer=True)
    rita, email = acme.person("rita").client, f"{word()}@acme.example"
    address = f"/groups/{atlas.pk}/invitations/"
    response, link = invite(rita, django_capture_on_commit_callbacks, address=address, email=email, role="admin")
    assert response.status_code == 302
    sign_up(link, email).post(link)
    person = acme.member(email.partition("@")[0])
    assert person.roles == ["member"]
    with acme.entered():
        assert GroupMember.objects.filter(group=atlas, membership=person, is_maintainer=False).exists()
        elsewhere = Group.objects.get(slug="borealis")
        waiting = Invitation.objects.create(
            email="x@acme.example", role="member", group=elsewhere, invited_by=person, nonce="n", expires_at=now(days=1)
        )
    other = rita.post(f"/groups/{elsewhere.pk}/invitations/", {"email": f"{word()}@acme.example"})
    assert other.status_code == 403
    for what in ("resend", "revoke"):
        assert rita.post(f"/invitations/{waiting.pk}/{what}/").status_code == 404
        assert cast.beta.person("bob").client.post(f"/invitations/{waiting.pk}/{what}/").status_code == 404


# --- teams and projects ----------------------------------------------------------------------------------------------


def member_page(acme: Company, slug: str, name: str, what: str) -> str:
    return f"/groups/{group(acme, slug).pk}/{acme.member(name).pk}/{what}/"


def test_a_removed_member_sees_nothing_of_the_group_at_the_next_request(acme: Company, adam: Client) -> None:
    """R-062, R-251: no right outlives its row, also not for an agent that acts for the person."""
    mark = word()
    memory = acme.rita.share(PROJECT, f"Check the {mark} list before closing a case.")
    alice = acme.person("alice").client
    assert acme.alice.recalled(mark) == [memory["memory_id"]]
    assert mark in page(alice, "/memories/")
    assert adam.post(member_page(acme, "atlas", "alice", "remove")).status_code == 302
    assert acme.alice.recalled(mark) == []
    assert mark not in page(alice, "/memories/")
    assert alice.get(f"/groups/{group(acme).pk}/").status_code == 404
    assert adam.post(f"/groups/{group(acme).pk}/add/", {"person": acme.member("alice").pk}).status_code == 302
    assert acme.alice.recalled(mark) == [memory["memory_id"]]
    assert actions(acme, "group.") == ["group.remove", "group.add"]


def test_the_last_maintainer_stays_until_there_is_another(acme: Company, adam: Client) -> None:
    own_leave = member_page(acme, "atlas", "adam", "remove")
    assert adam.post(own_leave).status_code == 409
    assert adam.post(member_page(acme, "atlas", "adam", "role"), {"maintainer": "no"}).status_code == 409
    assert adam.post(member_page(acme, "atlas", "rita", "role"), {"maintainer": "yes"}).status_code == 302
    assert adam.post(own_leave).status_code == 302
    with acme.entered():
        places = GroupMember.objects.filter(group__slug="atlas", is_maintainer=True)
        assert [place.membership.external_id for place in places] == ["rita"]


def test_a_member_may_leave_and_decides_about_nobody_else(acme: Company) -> None:
    alice = acme.person("alice").client
    for name, what, data in (("rita", "remove", {}), ("alice", "role", {"maintainer": "yes"})):
        assert alice.post(member_page(acme, "atlas", name, what), data).status_code == 403
    assert alice.post(f"/groups/{group(acme).pk}/add/", {"person": acme.member("paul").pk}).status_code == 403
    assert alice.post(member_page(acme, "atlas", "alice", "remove")).status_code == 302
    with acme.entered():
        names = GroupMember.objects.filter(group__slug="atlas").values_list("membership__external_id", flat=True)
        assert sorted(names) == ["adam", "rita"]


def test_a_group_is_there_only_for_its_members_and_administrators(cast: Cast) -> None:
    acme, night = cast.acme, group(cast.acme, "night")
    for company, name, status in (
        (acme, "paul", 200),
        (acme, "adam", 200),
        (acme, "alice", 404),
        (cast.beta, "bob", 404),
    ):
        client = company.person(name).client
        assert client.get(f"/groups/{night.pk}/").status_code == status, name
        assert ("night" in page(client, "/groups/")) == (status == 200)


def test_an_administrator_makes_a_group_and_keeps_it(acme: Company, adam: Client) -> None:
    given = {"type": "team", "slug": "tasting", "name": "Tasting"}
    assert acme.person("alice").client.post("/groups/new/", given).status_code == 403
    assert adam.post("/groups/new/", given).status_code == 302
    assert adam.post("/groups/new/", given).status_code == 400
    with acme.entered():
        assert GroupMember.objects.get(group__slug="tasting").is_maintainer


# --- the organisation ------------------------------------------------------------------------------------------------


def test_roles_hold_from_the_next_request_on(acme: Company, adam: Client) -> None:
    paul = acme.person("paul").client
    assert paul.get("/audit/").status_code == 403
    address = f"/members/{acme.member('paul').pk}/"
    page(adam, address)
    assert adam.post(address, {"roles": ["member", "auditor"]}).status_code == 302
    assert paul.get("/audit/").status_code == 200
    assert adam.post(address, {"roles": ["king"]}).status_code == 400
    assert adam.post(address, {}).status_code in (200, 400)
    assert acme.member("paul").roles == ["auditor", "member"]
    for name in ("paul", "rita"):
        client = acme.person(name).client
        assert client.get("/members/").status_code == 403
        assert client.post(address, {"roles": ["admin"]}).status_code == 404


def test_who_is_removed_is_refused_and_may_be_invited_back(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    paul, agent = acme.person("paul").client, acme.paul
    assert paul.get("/memories/").status_code == agent.get("/memories").status_code == 200
    address = f"/members/{acme.member('paul').pk}/remove/"
    assert "From their next request on" in page(adam, address)
    assert adam.post(address).status_code == 302
    assert paul.get("/memories/").status_code == 403
    assert agent.get("/memories").status_code == 404
    assert adam.post(address).status_code == 404
    _, link = invite(adam, django_capture_on_commit_callbacks, email="paul@acme.example")
    paul.post(link)
    assert paul.get("/memories/").status_code == 200
    with acme.entered():
        assert not GroupMember.objects.filter(membership__external_id="paul").exists()


def test_the_last_administrator_and_the_last_maintainer_stay(acme: Company, adam: Client) -> None:
    me = acme.member("adam").pk
    assert adam.post(f"/members/{me}/remove/").status_code == 409
    assert adam.post(f"/members/{me}/", {"roles": ["member"]}).status_code == 400
    assert acme.member("adam").roles == ["admin"]
    adam.post(f"/members/{acme.member('rita').pk}/", {"roles": ["admin", "reviewer"]})
    assert adam.post(f"/members/{me}/remove/").status_code == 409  # the last maintainer of atlas still
    assert adam.post(f"/members/{me}/", {"roles": ["member"]}).status_code == 302


def test_an_address_forgotten_is_forgotten_in_invitations_too(
    acme: Company, adam: Client, django_capture_on_commit_callbacks: Any
) -> None:
    paul = acme.member("paul")
    adam.post(f"/members/{paul.pk}/remove/")
    invite(adam, django_capture_on_commit_callbacks, email="paul@acme.example")
    with acme.entered():
        departing.forget_person(Membership.objects.get(pk=paul.pk))
        assert list(Invitation.objects.values_list("email", flat=True)) == [""]
