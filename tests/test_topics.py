"""Content rules: what tells the live state of something, what is only for now, and what merely talks about either."""

import pytest

from memories import reuse, topics
from memories.policy import default_policy

POLICY = default_policy()


def topic(text, kind="preference", key=None):
    found = POLICY.topic_of(kind, key, (text,))
    return found.name if found else None


# one thing of each topic as a claim, and the same thing as a way of working


@pytest.mark.parametrize(
    ("name", "claim", "wish"),
    [
        ("refund_status", "My refund was rejected.", "Never promise a refund in chats."),
        ("refund_status", "退款已经到账了。", "退款问题先道歉再解释。"),
        ("ticket_status", "Ticket 77 is assigned to Bob.", "Assign a short title to each ticket."),
        ("ticket_status", "工单 77 还在处理中。", "工单按优先级排序。"),
        ("payment", "The invoice from Nord is unpaid.", "Explain each invoice line by line."),
        ("payment", "我的卡里还有 300 元。", "金额保留两位小数。"),
        ("active_policy", "Our return window is 14 days.", "Explain return rules in two sentences."),
        ("active_policy", "现行住宿标准是每晚 400 元。", "我住宿的预算是每晚 400 元。"),
        ("approval_status", "The lease contract has been signed.", "Summarise contracts in plain words."),
        ("approval_status", "立项申请昨天批下来了。", "申请类邮件写得客气些。"),
        ("permission", "I have read access to the sales database.", "I have access to a printer at home."),
        ("permission", "他拥有后台导出权限。", "讲权限时画一张角色矩阵。"),
        ("inventory", "The green chair is out of stock.", "Use stock photos sparingly."),
        ("inventory", "仓库还剩 20 箱。", "库存数据放在第一页。"),
        ("entitlement", "My subscription expires on 4 May.", "I subscribe to three newspapers."),
        ("entitlement", "我的会员等级是银卡。", "会员制度的例子用航空公司。"),
        ("shipping_status", "The parcel is stuck at customs.", "Complaints about parcels start with an apology."),
        ("shipping_status", "包裹已经送达。", "发货通知用英文写。"),
        ("order_status", "Order 31 is on hold.", "Sort the results in ascending order."),
        ("order_status", "周六的预订取消了。", "订单号请加粗。"),
        ("account_state", "My account is locked.", "Draw a diagram of the account model."),
        ("account_state", "我的年假还剩 6 天。", "年假安排建议避开旺季。"),
    ],
)
def test_a_claim_is_routed_and_a_wish_about_the_same_thing_is_not(name, claim, wish):
    """R-029, R-287: the answer of a system is never kept, how to go about it may be."""
    assert topic(claim) == name
    assert topic(wish) is None


@pytest.mark.parametrize(
    "text",
    [
        "When a parcel is delayed, apologise first.",
        "If the invoice is overdue, draft a reminder.",
        "Send the welcome mail once the payment is settled.",
        "Check whether the contract is signed before you draft the notice.",
        "Never say a refund is approved before the finance tool confirms it.",
        "List orders that are delayed at the top.",
        "Avoid the phrase 'your request is pending' in replies.",
        "Use 'paid' and 'unpaid' in the last column.",
        "如果合同已经签署，就提醒我归档。",
        "先确认订单已付款再安排发货。",
        "工单关闭后给我发一句话总结。",
        "已审批的合同归到法务目录。",
        "库存低于十件时提醒我。",
        "回复里用“在路上”代替“已发货”。",
    ],
)
def test_a_condition_a_question_or_a_quoted_word_claims_nothing(text):
    assert topic(text) is None


def test_ways_of_working_are_routed_only_for_a_thing_with_its_own_number():
    rule = "Purchase orders above 5000 euros are approved by two managers."
    for kind in ("procedure", "convention", "lesson"):
        assert topic(rule, kind) is None
        assert topic("Purchase order 7781 was approved on Monday.", kind) == "approval_status"


def test_an_event_is_routed_only_for_a_thing_with_its_own_number():
    assert topic("The landlord returned my deposit, what a relief.", "episode") is None
    assert topic("Refund 881 was rejected in this run.", "episode") == "refund_status"


@pytest.mark.parametrize("kind", ["case_fact", "order", "permission", "current_policy"])
def test_a_label_alone_routes(kind):
    assert topic("Whatever it says.", kind) is not None


def test_a_labelled_fact_is_given_the_topic_it_tells():
    assert topic("The refund of order 1042 is complete.", "case_fact") == "refund_status"
    assert topic("Something without a name.", "case_fact") == "business_record"


@pytest.mark.parametrize("key", ["refund_status", "refundStatus", "Refund-Status", "north_refund_status"])
def test_a_key_that_names_a_state_routes(key):
    assert topic("It came through on Monday.", key=key) == "refund_status"


@pytest.mark.parametrize(
    ("key", "text"),
    [("refund_status", "Show it as a table, please."), ("refund_tone", "It should sound warm."), ("status", "Blue.")],
)
def test_a_key_does_not_route_a_wish_nor_a_name_that_only_resembles(key, text):
    assert topic(text, key=key) is None


def test_traditional_characters_full_width_and_curly_quotes_read_alike():
    assert topic("訂單 31 已經取消了。") == topic("订单 ３１ 已经取消了。") == "order_status"
    assert topics.prepare("“Ａ”  b\nC") == '"a" b\nc'


# questions


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Is the refund complete?", "refund_status"),
        ("refund status order", "refund_status"),
        ("where is my package", "shipping_status"),
        ("What is my account balance now?", "payment"),
        ("订单到哪了？", "order_status"),
        ("我还剩几天年假？", "account_state"),
        ("合同签了吗", "approval_status"),
    ],
)
def test_a_question_for_a_state_names_its_topic(query, name):
    assert name in [found.name for found in POLICY.topics_about(query)]


@pytest.mark.parametrize(
    "query",
    [
        "how should I order the answer?",
        "回答顺序",
        "How do I write a refund letter?",
        "怎么写退款邮件",
        "tone of replies",
        "",
    ],
)
def test_a_question_about_style_or_method_asks_for_no_state(query):
    assert POLICY.topics_about(query) == ()


# for now, or for later


def one_off(text, **fields):
    return reuse.is_one_off(topics.prepare(text), **fields)


@pytest.mark.parametrize(
    ("now", "later"),
    [
        ("Skip the chart this time.", "Skip charts in every report."),
        ("Make the paragraph above shorter.", "Paragraphs should be short."),
        ("In your next reply use bullets.", "In future replies use bullets."),
        ("Translate it into Dutch.", "When I paste a poem, translate it into Dutch."),
        ("Just this once, be blunt.", "I like blunt answers."),
        ("For now, leave out sources.", "From now on leave out sources."),
        ("Remind me tomorrow at nine.", "Remind me every morning at nine."),
        ("Delete the third bullet.", "Put the summary in the first paragraph."),
        ("这次别放图。", "以后别放图。"),
        ("把上面那段改短。", "段落都要短。"),
        ("删掉第三条。", "摘要放在第一段。"),
        ("帮我写一封请假邮件。", "每次我发笔记，都整理成邮件。"),
        ("再短一点。", "回答尽量短。"),
        ("今天先用法语。", "以后都用法语。"),
        ("就这一回，语气冲一点。", "我喜欢冲一点的语气。"),
        ("我刚贴的内容校对一下。", "我刚入行，术语要解释。"),
    ],
)
def test_what_points_at_this_moment_is_one_off_and_its_lasting_twin_is_not(now, later):
    assert one_off(now)
    assert not one_off(later)


def test_a_passing_wish_with_an_end_of_its_own_may_last_until_then():
    assert one_off("This week answer in Spanish.")
    assert not one_off("This week answer in Spanish.", bounded=True)
    assert one_off("Shorten the paragraph above.", bounded=True)


@pytest.mark.parametrize(
    ("state", "rule"),
    [
        ("The import job is at batch 12 of 40.", "When the import job stalls, restart the worker."),
        ("Waiting for the user's confirmation before step 3.", "Always wait for confirmation before step 3."),
        ("There are four open comments in this thread.", "Draft comments should be polite."),
        ("Next step: call the search tool.", "Close every report with next steps."),
        ("任务卡在第 3 步，等待人工审核。", "任务等待审批时每十分钟查一次。"),
        ("第二步已完成，第三步进行中。", "第二步之后一定要校验输出。"),
        ("草稿写到第二章。", "草稿里不要出现竞品名字。"),
        ("已经重试三次。", "失败的调用最多重试三次。"),
    ],
)
def test_where_a_run_stands_is_run_state_and_a_rule_about_runs_is_not(state, rule):
    assert reuse.is_run_state(topics.prepare(state))
    assert not reuse.is_run_state(topics.prepare(rule))


def test_long_hostile_texts_are_read_to_the_end():
    """No pattern backtracks without bound: these would not end in a lifetime if one did."""
    for piece in ("the ", "my order ", "订单", "已经", "1", "1,", "a's ", "order is now ", "to 'a", " "):
        text = (piece * 2000)[:2000]
        assert POLICY.topic_of("preference", "key", (text,)) is None
        one_off(text)
        reuse.is_run_state(topics.prepare(text))
