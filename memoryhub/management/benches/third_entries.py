"""A third playbook of 200 entries, written before the finder of near-duplicates was changed for the second time. What
its pairs are surrounded by is nearer than in the others: the same work in another environment, with another number, or
told not to be done.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.management.benches.playbook_entries import Entry, playbook_of

ENGLISH_PAIRS = (
    ("Freeze deployments from Friday noon until Monday.", "The weekend is near.",
     "Nothing is rolled out between the end of the working week and its start.", "Someone plans a late release."),
    ("Ask the guest for a passport before handing out the room key.", "Somebody checks in.",
     "Verify identity documents at reception prior to giving access to the room.", "A traveller arrives."),
    ("Escalate to the vendor when the outage outlasts half an hour.", "A hosted service is down.",
     "If the supplier's system stays unavailable for thirty minutes, open an urgent case with them.", "Downtime."),
    ("Sharpen the saw blade as soon as cuts begin to burn.", "Working at the table saw.",
     "Scorched edges mean the cutting disc is blunt: grind it.", "Wood turns brown while sawing."),
    ("Reply to journalists only through the press office.", "A reporter calls.",
     "Media questions are passed on to public relations and not answered by staff.", "The press wants a comment."),
    ("Weigh luggage at home to avoid surcharges.", "Packing for a flight.",
     "Put the suitcase on a scale before leaving for the airport, since excess kilos cost extra.", "Travel by plane."),
    ("Mask card numbers before a screenshot goes into a ticket.", "Reporting a payment bug.",
     "Blacken credit card digits in images attached to issues.", "An image with customer data is uploaded."),
    ("Let the engine cool before opening the radiator cap.", "The coolant warning is lit.",
     "Wait until the motor is cold, and only then unscrew the lid of the cooling system.", "An overheated car."),
    ("Pay invoices only against a purchase order number.", "A bill arrives.",
     "Supplier bills without a reference to an order are not settled.", "Accounts payable handles a claim."),
    ("Stop the experiment when two animals lose weight.", "A feeding study runs.",
     "Abort the trial as soon as a pair of test subjects grow thinner.", "Monitoring of laboratory mice."),
)  # fmt: skip
CHINESE_PAIRS = (
    ("周五中午以后不再发布任何变更。", "临近周末。", "周末之前半天起，禁止上新版本。", "有人想周五下午上线。"),
    ("老人跌倒后不要急着扶，先问清哪里疼。", "养老院有人摔倒。",
     "长者摔跤，应先询问伤处，别马上拉起来。", "护理时发生意外。"),
    ("出差回来三天内提交报销单。", "员工结束出差。", "差旅结束后，七十二小时之内把票据交上去。", "报差旅费。"),
    ("食用油反复使用不得超过三次。", "厨房油炸。", "炸东西的油最多重复用三回，就得倒掉。", "油锅换油。"),
    ("线上数据库只能用只读账号查询。", "排查线上问题。",
     "查生产库里的数据，不许用有写权限的用户。", "研发需要看线上数据。"),
    ("快递柜超过二十四小时未取要电话提醒收件人。", "包裹滞留。",
     "包裹在柜子里放了一天还没人拿，就打电话通知。", "快件没有取走。"),
    ("拍摄未成年人前要取得监护人同意。", "拍照宣传。", "给小孩照相，先征求家长许可。", "活动现场有孩子。"),
    ("下雪天在门口铺防滑垫。", "大雪天气。", "积雪时，入口处放上防止打滑的垫子。", "冬季路面结冰。"),
    ("离职员工的账号当天停用。", "有人离职。", "人一走，他的登录权限当日就要关掉。", "办理离职手续。"),
    ("样品送检前贴上编号并封存。", "抽样检验。", "要检测的货样先编好号、密封，再寄出去。", "送实验室化验。"),
)  # fmt: skip
CROSS_PAIRS = (
    ("Charge forklifts only in the ventilated bay.", "The battery is low.", "叉车只能在通风的区域充电。", "电量不足。"),
    ("Have a native speaker read the translation before it is published.", "A text was translated.",
     "译文发表之前请母语人士审读。", "翻译完成。"),
    ("Give new users a temporary password that expires after one login.", "An account is set up.",
     "给新用户发一次性的临时密码。", "开通账号。"),
    ("Water the lawn in the early morning.", "Dry summer weeks.", "清晨给草坪浇水。", "夏季干旱。"),
    ("Confirm a changed bank account by phone before transferring.", "A supplier sends new bank details.",
     "供应商更换收款账户时，打款前要电话核实。", "收到新的银行信息。"),
    ("Cover the piano when the room is being cleaned.", "Cleaning day.", "打扫房间时把钢琴盖好。", "清洁日。"),
    ("Limit each visitor to two questions at the press conference.", "A press conference is held.",
     "发布会上每人最多提两个问题。", "举行新闻发布会。"),
    ("Roll back at once when the error rate doubles after a release.", "A version was just deployed.",
     "发布后错误率翻倍要立即回滚。", "刚上线新版本。"),
    ("Defrost meat in the refrigerator, never on the counter.", "Frozen meat is needed.",
     "冻肉放冷藏室解冻，不能放在台面上。", "需要用冷冻肉。"),
    ("Two people must be present when the safe is opened.", "Cash is taken out.",
     "开保险柜必须有两人在场。", "取现金。"),
)  # fmt: skip

# A system, who answers for it, its record, something that goes wrong, and two numbers.
ENGLISH_WORK = (
    ("the mail relay", "the postmaster", "the bounce log", "the queue grows", "30", "90"),
    ("the search cluster", "the platform lead", "the slow-query log", "a shard is lost", "10", "45"),
    ("the billing job", "the revenue accountant", "the invoice archive", "totals disagree", "7", "365"),
    ("the chat gateway", "the support manager", "the transcript index", "messages arrive twice", "14", "60"),
    ("the build farm", "the release engineer", "the artefact list", "agents go offline", "5", "21"),
    ("the door controller", "the facility manager", "the badge journal", "a reader is silent", "3", "180"),
    ("the tape library", "the storage admin", "the media catalogue", "a drive jams", "12", "48"),
    ("the proxy", "the network engineer", "the access record", "latency rises", "15", "28"),
    ("the feature store", "the data steward", "the lineage table", "a column goes stale", "20", "120"),
    ("the license server", "the asset manager", "the seat ledger", "seats run out", "8", "400"),
    ("the video encoder", "the broadcast chief", "the frame report", "frames are dropped", "2", "75"),
    ("the sensor hub", "the field technician", "the reading history", "values freeze", "25", "730"),
    ("the print spooler", "the office admin", "the page count", "jobs hang", "6", "33"),
    ("the payment switch", "the treasury head", "the settlement file", "a bank declines", "4", "540"),
)  # fmt: skip
CHINESE_WORK = (
    ("短信网关", "通信负责人", "发送流水", "回执延迟", "三", "六十"),
    ("推荐服务", "算法经理", "曝光日志", "点击骤降", "五", "十五"),
    ("考勤系统", "人事主管", "打卡记录", "数据缺失", "七", "一百八十"),
    ("库存接口", "仓配经理", "调拨台账", "数量为负", "十", "四十五"),
    ("人脸闸机", "安保队长", "通行记录", "识别变慢", "二", "三十"),
    ("对账程序", "清算专员", "差异报表", "金额不平", "四", "九十"),
    ("直播推流", "导播", "码率曲线", "画面卡顿", "八", "二十"),
    ("工单平台", "客服总监", "派单历史", "积压过多", "六", "七十"),
    ("备份任务", "存储工程师", "校验清单", "空间不足", "九", "三百"),
    ("域名解析", "网络组长", "变更台账", "解析失败", "十二", "三百六十五"),
    ("广告投放", "媒介主管", "消耗明细", "预算超支", "十一", "二百"),
    ("充电桩", "运维站长", "充电订单", "电流异常", "十四", "五十"),
    ("温控柜", "质检主任", "温度曲线", "温度漂移", "十六", "七百"),
    ("门店收银", "区域店长", "小票存根", "打印中断", "十八", "八十"),
)  # fmt: skip


def english(work: Sequence[str]) -> list[Entry]:
    system, owner, record, trouble, short, long = work
    return [
        Entry(f"Restart {system} in production only after {owner} has agreed.", f"In production {trouble}."),
        Entry(f"Restart {system} in staging without asking {owner}.", f"In staging {trouble}."),
        Entry(f"Keep {record} for {long} days.", f"Setting retention for {system}."),
        Entry(f"Do not delete {record} while {trouble}.", f"Tidying up {system}."),
        Entry(f"Call {owner} when {trouble} for more than {short} minutes.", f"Watching {system}."),
    ]


def chinese(work: Sequence[str]) -> list[Entry]:
    system, owner, record, trouble, short, long = work
    return [
        Entry(f"生产环境的{system}要经{owner}同意才能重启。", f"生产环境{trouble}。"),
        Entry(f"测试环境的{system}可以直接重启，不用找{owner}。", f"测试环境{trouble}。"),
        Entry(f"{record}保存{long}天。", f"设置{system}的保留期。"),
        Entry(f"{trouble}期间不要删除{record}。", f"清理{system}。"),
        Entry(f"{trouble}超过{short}分钟就打电话给{owner}。", f"值守{system}。"),
    ]


def entries() -> list[Entry]:
    """All 200; the two of a pair have its number."""
    others = [one for work in ENGLISH_WORK for one in english(work)]
    others += [one for work in CHINESE_WORK for one in chinese(work)]
    return playbook_of((*ENGLISH_PAIRS, *CHINESE_PAIRS, *CROSS_PAIRS), others)
