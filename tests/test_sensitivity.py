"""What may not be remembered: every rule with a hit and a near miss, disguises, and what a finding may say."""

import importlib
import re
import string
import threading
from dataclasses import fields
from pathlib import Path

import pytest
import synthetic as made
import yaml

from memories.sensitivity import (
    EngineUnavailable,
    Finding,
    credentials,
    engines,
    identifiers,
    numbers,
    scan,
    scan_fields,
    warm_up,
)
from memories.sensitivity.detectors import LONGEST

UUID = "-".join(made.characters(size, made.HEX) for size in (8, 4, 4, 4, 12))


def rules(text: str) -> set[str]:
    return {finding.rule for finding in scan(text)}


SECRETS = [
    ("private_key_block", made.private_key_block("EC "), "A PEM file starts with BEGIN PRIVATE KEY and a label"),
    (
        "credential_in_url",
        f"mq at amqp://worker:{made.characters(14)}@mq.acme.internal/",
        "amqp://user:password@host/vhost",
    ),
    ("bearer_token", f"call it with {made.bearer()}", "the bearer of news and Bearer <token> are words"),
    ("sk_prefixed_key", f"key {made.sk_key()}", "task-oriented planning, sk-your-key as a stand-in sk-xxxxxxxxxx"),
    ("json_web_token", f"header {made.jwt()}", "a JWT has header.payload.signature"),
    (
        "basic_auth_header",
        f"Authorization: Basic {made.as_base64('ops:' + made.password())}",
        "Basic authentication is off",
    ),
    ("password_or_key_assigned", f"NAS 的密码换成了 {made.password()}", "密码至少 12 位，包含大小写和数字"),
    ("quoted_password", f'The passphrase for the archive is "{made.seed_words(4)}"', 'The label says "Password"'),
    ("password_beside_label", f"wifi 密码 {made.password('plain')}", "password storage uses argon2id"),
    ("code_or_pin", f"Gate code is {made.pin(4)}#", "PIN 码输错三次会锁卡，验证码是6位数字"),
    ("plain_word_password", "The guest wifi password is sunflowers.", "The guest wifi password is expired."),
    ("password_named_after", f"{made.password('plain')} is my VPN password", "SHA256 is the password hash"),
    ("unlock_phrase", f"进机房门要输 {made.pin(6)} 开门", "press Ctrl+F5 to open a clean session"),
    ("login_pair", f"Log in to Grafana with viewer/{made.password('plain')}", "docs/chapter12 里讲登录"),
    ("password_shaped_token", f"后台账密：editor {made.password()}", "登录 issue#1234 的讨论页"),
    (
        "product_key",
        "-".join(f"A{made.pin(4)}" for _ in range(5)),
        "SERIES-A1234-B1234 names a part",
    ),
    ("credential_in_command", f"mysql -uroot -p{made.password('plain')} prod", "mysql -u root -p"),
    (
        "credential_in_sql",
        f"create user app identified by '{made.password()}'",
        "create user app identified by '<secret>'",
    ),
    (
        "netrc_entry",
        f"machine git.acme.internal login ci password {made.characters(12)}",
        "machine login password order",
    ),
    ("session_cookie", f"JSESSIONID={made.characters(32, made.UPPER)}", "Cookie 同意弹窗默认收起"),
    ("seed_phrase", f"助记词 {made.seed_words(12)}", "seed phrase 一般是 12 或 24 个词"),
    ("wallet_private_key", f"冷钱包私钥 0x{made.characters(64, made.HEX)}", f"sha256 {made.characters(64, made.HEX)}"),
    (
        "otp_seed",
        f"TOTP secret {made.characters(32, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}",
        "OTP length is 6, period 30 seconds",
    ),
    (
        "recovery_code",
        "backup codes " + " ".join(made.characters(8) for _ in range(3)),
        "recovery codes appear after setup",
    ),
    (
        "app_password",
        f"SMTP 授权码 {''.join('abcdefghijklmnop'[int(d)] for d in made.digits(16))}",
        "授权码模式要配合 PKCE",
    ),
    ("one_time_code", f"Your code is {made.pin(6)}, hurry", "Your code is reviewed within 24 hours"),
    ("split_credential", f"AKIA 后面接 {made.characters(16, made.UPPER)}", "AKIA 开头的是访问键"),
    ("token_beside_key_word", f"接口签名密钥 {made.characters(32)}", f"cache key {made.characters(20)}"),
    ("credential_names_flood", "密码是" * 80, "密码是" * 20),
]
PERSONAL = [
    ("email_address", f"联系人王工{made.email()}", "use @property and git@github.com:acme/handbook.git"),
    ("licence_plate", "我的车是沪" + "B" + made.pin(5), "沪 B 段车牌的规则"),
    ("chat_handle", f"微信号是 wu_{made.pin(4)}", "微信小程序用 Taro 开发"),
    ("postal_address", f"家住锦绣路{made.pin(3)}弄{made.pin(2)}号{made.pin(3)}室", "南京路步行街 3 号线可达"),
    ("card_security_code", f"CVV 是 {made.pin(3)}", "CVV 有三位"),
    ("phone_number", f"回访 {made.cn_mobile()}", "客服热线 400-820-8820，凭单编号 7726113000"),
    ("cn_identity_card", made.cn_id(), "长编号 7731880264519907713 是主键"),
    ("greater_china_identity", f"香港身份证 {made.hk_id()}", "部件号 A1234567"),
    ("official_paper_number", f"passport no. K{made.digits(8)}", "a passport renewal takes 20 working days"),
    ("national_number", f"SSN {made.us_ssn()}", "***-**-1234 is how it is masked"),
    ("payment_card", f"Visa {made.card('4')}", f"订单号 {made.card('4')}"),
    ("bank_account", f"rent to {made.iban()}", "IBAN check digits use mod 97"),
    (
        "personal_ip_address",
        f"家里路由器拨号拿到的地址 {made.public_ip()}",
        "我家的解析器用 1.1.1.1，路由器在 10.8.0.1",
    ),
    ("device_identifier", f"IMEI {made.digits(15)}", "MAC 地址格式 00:1A:2B:3C:4D:5E"),
]


@pytest.mark.parametrize(("rule", "hit", "near_miss"), SECRETS + PERSONAL, ids=[row[0] for row in SECRETS + PERSONAL])
def test_each_rule_finds_its_kind_and_leaves_the_look_alike(rule: str, hit: str, near_miss: str) -> None:
    assert rule in rules(hit)
    assert scan(near_miss) == ()


def test_no_rule_goes_without_a_hit_and_a_near_miss() -> None:
    named = (*credentials._RULES, *credentials._LOWERED_RULES, *credentials._LABEL_RULES)
    assert {rule for rule, _ in named} | {"credential_names_flood"} == {rule for rule, _, _ in SECRETS}
    assert {rule for rule, _ in (*identifiers._RULES, *identifiers._NUMBER_RULES)} == {rule for rule, _, _ in PERSONAL}


VENDORS = {
    "aws_access_key": made.aws_key(),
    "github_token": made.github_token(),
    "gitlab_token": made.prefixed("gl" + "pat-", 20),
    "bitbucket_token": made.prefixed("AT" + "BB", 32),
    "gitea_or_gitee_token": f"gitea {made.characters(40, made.HEX)}",
    "llm_vendor_token": made.prefixed("gs" + "k_", 52),
    "zhipu_key": f"{made.characters(32, made.HEX)}.{made.characters(16)}",
    "google_key": made.prefixed("AI" + "za", 35),
    "tencent_secret_id": made.prefixed("AK" + "ID", 32),
    "aliyun_access_key": made.prefixed("LT" + "AI", 20),
    "volcengine_or_baidu_key": made.prefixed("AK" + "LT", 44),
    "huawei_or_jd_key": made.prefixed("JD" + "C_", 28, made.UPPER),
    "feishu_token": made.prefixed("t-" + "g", 30),
    "dingtalk_signing_secret": made.prefixed("SE" + "C", 64, made.HEX),
    "wechat_pay_or_push_key": made.prefixed("SC" + "T", 5, "123456789") + "T" + made.characters(24),
    "chat_webhook": f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={UUID}",
    "automation_webhook": f"https://hooks.zapier.com/hooks/catch/{made.digits(7)}/{made.characters(7)}",
    "telegram_bot_token": f"{made.digits(10)}:AA{made.characters(33)}",
    "slack_token": made.prefixed("xo" + "xb-", 40),
    "discord_bot_token": f"M{made.characters(23)}.{made.characters(6)}.{made.characters(27)}",
    "stripe_key": made.prefixed("rk" + "_live_", 24),
    "webhook_signing_secret": made.prefixed("wh" + "sec_", 32),
    "payment_vendor_key": made.prefixed("sq0" + "atp-", 22),
    "shopify_token": made.prefixed("shp" + "at_", 32, made.HEX),
    "mail_vendor_key": f"SG.{made.characters(22)}.{made.characters(43)}",
    "twilio_key": made.prefixed("S" + "K", 32, made.HEX),
    "package_registry_token": made.prefixed("np" + "m_", 36),
    "npm_auth_config": f"_authToken={made.characters(36)}",
    "hosting_token": made.prefixed("dop" + "_v1_", 64, made.HEX),
    "infrastructure_token": made.prefixed("hv" + "s.", 90),
    "monitoring_token": made.prefixed("NR" + "AK-", 27, made.UPPER),
    "uuid_key_of_vendor": f"heroku key {UUID}",
    "sentry_dsn": f"https://{made.characters(32, made.HEX)}@o1.ingest.sentry.io/42",
    "saas_token": made.prefixed("lin_" + "api_", 40),
    "social_token": made.prefixed("E" + "AA", 60),
    "azure_storage_or_bus_key": f"AccountKey={made.characters(86)}==",
    "signed_url": f"https://acme.blob.core.windows.net/c?sv=1&sig={made.characters(43)}%3D",
    "age_or_ssh_or_wallet_key": made.prefixed("AGE-SECRET-" + "KEY-1", 58, made.UPPER),
    "otp_seed_uri": f"otpauth://totp/Acme?secret={made.characters(32, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}",
    "wifi_join_code": f"WIFI:T:WPA;S:Home;P:{made.characters(10)};;",
}


@pytest.mark.parametrize("rule", VENDORS)
def test_a_vendor_credential_is_found_next_to_chinese_text(rule: str) -> None:
    assert rule in rules(f"记住这个{VENDORS[rule]}，以后都用它")


def test_every_vendor_rule_of_the_data_file_is_tried() -> None:
    entries = yaml.safe_load(Path(engines.VENDOR_RULES).read_text())["rules"]
    assert {entry["id"].removeprefix("custom.") for entry in entries} == set(VENDORS)


FREE_FORM = [
    f"账号 lixiang88 / {made.password('plain')}",
    f"RDP creds are Administrator / {made.password('noise')}",
    f"{made.pin(4)} opens the bike shed",
    f"楼下门禁按 {made.pin(6)}# 就能进",
    f"Airbnb door code: {made.pin(5)}",
    f"丰巢取件码是{made.pin(8)}",
    f"解锁短语：{made.password('cjk')}",
    f"SMTP_PASS={made.characters(14)}",
    f"export DB_PASSWORD='{made.password()}'",
    f"Server=db1;Database=crm;User Id=sa;Password={made.password()};",
    f"redis://:{made.characters(20)}@cache.acme.internal:6379/0",
    f"the code for the garage is {made.pin(4)}",
    f"家里 WiFi：{made.password('plain')}",
    f"会议号 88，入会密码 {made.pin(6)}",
    f"公司 VPN 口令每月换，这月 {made.password()}",
    f"use {made.password()} as the password for the PDF",
    f"打我电话 {made.grouped(made.cn_mobile(), (3, 4, 4), '-')}",
    f"UK mobile +44 7700 9{made.digits(5)}",
    f"台灣身分證 {made.tw_id()}",
    f"工资卡 {made.grouped(made.card('62', 19), (4, 4, 4, 4, 3))}",
    f"NI number {made.uk_nino()}",
    f"driver's licence D{made.digits(7)}",
]


@pytest.mark.parametrize("text", FREE_FORM)
def test_free_form_secrets_and_identifiers_are_found(text: str) -> None:
    assert scan(text)


DISGUISES = [
    made.fullwidth(made.aws_key()),
    made.zero_width(made.github_token()),
    made.cyrillic(made.aws_key()),
    f"联系 {made.tag_characters(made.email())} 我",
    " ".join(made.cn_mobile()) + " 是手机",
    made.as_base64(f"password={made.password()}"),
    made.as_base64(made.as_base64(made.github_token())),
    f"data {made.as_hex(made.github_token())}",
    f"{made.as_percent(made.email())} 邮箱",
    made.as_entities(made.email()),
    f"手机号是{made.cn_numerals(made.cn_mobile())}",
    "jo.smith at mail-sample dot org",
    "邮箱 li_hua 艾特 mail-sample 点 com",
    f"{made.aws_key()[:10]}\n{made.aws_key()[4:14]}",
    made.grouped(made.aws_key(), (4, 4, 4, 4, 4), "-"),
    f"token backwards: {made.github_token()[::-1]}",
    f"密 码 是 {made.password()}",
    f"p a s s w o r d : {made.password()}",
    f"a note,\nBearer\n{made.characters(24)}\n",
    f"first line\n{made.sk_key()}",
]


@pytest.mark.parametrize("text", DISGUISES)
def test_a_disguise_does_not_hide_a_secret(text: str) -> None:
    assert scan(text)


CLEAN = (Path(__file__).parent / "cases" / "not_sensitive.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("text", CLEAN)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert scan(text) == ()


def test_a_finding_says_nothing_of_the_text() -> None:
    secret = made.password()
    found = scan(f"the NAS password is {secret}")
    assert [field.name for field in fields(Finding)] == ["category", "rule"]
    assert found
    assert all(secret not in repr(finding) and re.fullmatch(r"[a-z0-9_]+", finding.rule) for finding in found)


def test_only_fields_with_findings_are_named_and_a_field_name_is_a_label() -> None:
    found = scan_fields(
        {"statement": "Use metric units.", "password": made.characters(9), "key": f"ask {made.email()}"}
    )
    assert set(found) == {"password", "key"}


def test_a_text_too_long_to_read_is_refused_and_a_long_one_is_read_to_its_end() -> None:
    assert rules("a" * (LONGEST + 1)) == {"text_too_long"}
    assert "aws_access_key" in rules("word " * 1500 + made.aws_key())


def test_a_missing_engine_stops_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up()
    real = importlib.import_module
    monkeypatch.setattr(engines, "_engines", None)

    def broken(name: str) -> object:
        if name == "kingfisher_sdk":
            raise ImportError(name)
        return real(name)

    monkeypatch.setattr(engines.importlib, "import_module", broken)
    with pytest.raises(EngineUnavailable):
        scan("Use metric units.")
    with pytest.raises(EngineUnavailable):
        warm_up()


def test_missing_identifier_checks_stop_everything_too(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers.libraries.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "phonenumbers", None)
    with pytest.raises(EngineUnavailable):
        scan(f"call +44 7700 9{made.digits(5)}")
    numbers.libraries.cache_clear()


def test_threads_share_one_scanner() -> None:
    found: list[set[str]] = []
    text = f"key {made.aws_key()}"
    threads = [threading.Thread(target=lambda: found.append(rules(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all("aws_access_key" in each for each in found)


def test_an_access_key_without_a_digit_is_one_too():
    for _ in range(20):
        assert scan("Use " + "AK" + "IA" + made.characters(16, string.ascii_uppercase) + " for the nightly job.")
