"""A playbook of 200 entries for the finder of near-duplicates: 30 say the same as another in other words.

Ten of these pairs are English, ten Chinese, ten one of each. The other 140 come from kinds of work that real playbooks
hold: what one kind of work says five times is about different things, and five kinds of sentence run through all of
them, so that entries resemble each other without saying the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its title and when to use it. `pair` is the number of the pair it belongs to, or None."""

    title: str
    when: str
    pair: int | None = None


ENGLISH_PAIRS = (
    ("Compare the receipt with the order before you pay money back.", "A customer wants a refund.",
     "Never refund anyone until the order and the proof of purchase have been matched.", "Someone asks for their money."),
    ("Take a snapshot of the database before running a migration.", "A release changes the schema.",
     "Back up the data store first whenever its tables are about to be altered.", "Deploying structural changes."),
    ("Call the courier when a parcel has not moved for three days.", "Tracking shows no progress.",
     "If a shipment has been standing still for seventy-two hours, phone the carrier.", "A delivery seems stuck."),
    ("Ask a second engineer to read the change before it is merged.", "A pull request is ready.",
     "No code goes in without a review by another developer.", "Someone wants to merge their branch."),
    ("Lock the account after five wrong passwords and inform its owner.", "Repeated failed sign-ins.",
     "Too many bad login attempts: block the user and let them know.", "Someone keeps mistyping a password."),
    ("Wash hands and change gloves between handling raw meat and salad.", "Working in the kitchen.",
     "Put on fresh gloves and clean your hands after touching uncooked meat, before any vegetables.", "Preparing food."),
    ("Rotate the signing key every ninety days and revoke the old one.", "The quarterly key date arrives.",
     "Each quarter create a new signature key and invalidate its predecessor.", "The current key is three months old."),
    ("Read the dosage back to the doctor before giving the medicine.", "A dose is ordered by phone.",
     "Repeat a telephoned prescription aloud to the physician before administering it.", "An oral medication order."),
    ("Turn off the main valve first when a pipe bursts.", "Water runs in the building.",
     "In case of a broken water line, close the central stopcock before anything else.", "Flooding from plumbing."),
    ("Offer a discount voucher when an order arrives later than promised.", "A late delivery is reported.",
     "Customers whose goods came behind schedule get a coupon as an apology.", "Complaint about a delayed order."),
)  # fmt: skip
CHINESE_PAIRS = (
    ("夜间巡楼要逐层检查门窗并在打卡点签到。", "保安夜班。",
     "晚上值班的保安得一层一层看门窗是否关好，还要在签到处打卡。", "夜里巡查大楼。"),
    ("上线前在预发环境完整跑一遍回归测试。", "准备发布新版本。",
     "新版本发布之前，先在模拟环境里把所有回归用例执行一次。", "产品即将上线。"),
    ("服务器磁盘使用率超过九成时先清理日志再扩容。", "磁盘告警触发。",
     "硬盘快满的时候，先删旧日志，然后才考虑加空间。", "收到存储空间不足的提醒。"),
    ("新员工入职第一天由导师带领熟悉门禁和消防通道。", "有新同事报到。",
     "新人报到当天，请带教老师陪同了解出入口和逃生路线。", "新人第一天上班。"),
    ("冷链药品到货时先测温度，超标的一律拒收。", "收到冷藏药品。",
     "需要低温保存的药送到后先量温，温度不合格就退回。", "冷藏药品送达仓库。"),
    ("电梯困人时先安抚乘客，再联系维保单位。", "电梯里有人被困。",
     "有人关在电梯里，应先稳定对方情绪，然后打电话给维修公司。", "电梯故障停在半途。"),
    ("合同盖章前由法务审阅全部条款。", "业务部门提交合同用印申请。",
     "没有法律部门看过所有条文，合同不能加盖公章。", "需要给合同盖章。"),
    ("会议结束后当天发出纪要并写明负责人。", "项目例会开完。",
     "开完会当日就把会议记录发给大家，每件事都写上谁来做。", "例会散会之后。"),
    ("学生发烧超过三十八度立即通知家长接回。", "学生在校发热。",
     "孩子在学校体温高过三十八度，要马上联系父母领回家。", "在校学生身体发烫。"),
    ("快递外箱破损时当面拍照并让快递员签字。", "收到破损的包裹。",
     "包裹外包装坏了，要在送货人面前拍下照片，请其签名确认。", "送来的包裹有破口。"),
)  # fmt: skip
CROSS_PAIRS = (
    ("Ask for a photo of the damage before sending a replacement.", "A customer reports a broken item.",
     "补寄之前先请客户提供破损照片。", "客户反映商品损坏。"),
    ("Check the expiry date of every reagent before starting a run.", "Laboratory analysis begins.",
     "实验开始前先检查每种试剂的有效期。", "准备做化验分析。"),
    ("Announce planned downtime two days ahead on the status page.", "Maintenance is scheduled.",
     "计划停机要提前两天在状态页面公告。", "安排系统维护。"),
    ("Do not share the meeting link publicly; use a waiting room.", "An online class is set up.",
     "线上课程的会议链接不要公开，要开启等候室。", "开设线上课堂。"),
    ("Verify the caller's identity with two questions before changing an address.", "A caller wants a new address.",
     "电话里更改地址之前，先用两个问题核实来电人身份。", "来电要求修改地址。"),
    ("Weigh the truck before and after unloading grain.", "Grain is delivered.",
     "卸粮前后都要给卡车过磅称重。", "粮食运到。"),
    ("Disconnect the power before opening the cabinet.", "Electrical repair work.",
     "打开配电柜之前必须先断电。", "检修电气设备。"),
    ("Send the invoice within three working days after acceptance.", "A project is accepted.",
     "验收后三个工作日内开具发票。", "项目通过验收。"),
    ("Test the fire alarm on the first Monday of each month.", "The monthly test is due.",
     "每月第一个星期一测试火灾报警器。", "到了每月测试的日子。"),
    ("Roll the release back when the error rate doubles.", "Errors rise after a release.",
     "发布后错误率翻倍就回滚版本。", "上线以后报错增多。"),
)  # fmt: skip

# What each kind of work is about: a thing and what to check it against, a risk and whom to tell, what to write down,
# a fault that takes something out of use, and what to hand over to the next shift.
ENGLISH_WORK = (
    ("the guest list", "the booking system", "a wedding is set up", "the hall is overbooked", "the banquet manager",
     "the number of meals served", "a projector", "flickers", "open wine bottles"),
    ("the flight plan", "the weather chart", "a drone takes off", "wind exceeds the limit", "the site supervisor",
     "the battery cycles", "a propeller", "shows a crack", "unfinished survey blocks"),
    ("the loan application", "the income statements", "an offer is made", "documents look forged", "the fraud desk",
     "the reason for every exception", "a card reader", "swallows cards", "unsigned mortgage files"),
    ("the lesson outline", "the syllabus", "term begins", "a pupil is bullied", "the school counsellor",
     "the marks of the oral test", "a microscope", "has a loose lens", "library fines still owed"),
    ("the patient wristband", "the ward list", "blood is drawn", "a fall happens", "the charge nurse",
     "the volume of fluids given", "an infusion pump", "beeps without cause", "beds that still need cleaning"),
    ("the seed batch number", "the certificate", "sowing starts", "blight spots appear", "the agronomist",
     "the rainfall of the week", "a sprayer", "drips at the nozzle", "fields left to irrigate"),
    ("the translation memory", "the glossary", "a brochure goes to print", "a term is disputed", "the lead linguist",
     "the words changed by the client", "a licence dongle", "is not recognised", "chapters awaiting proofreading"),
    ("the container seal", "the bill of lading", "a box leaves the yard", "the seal number differs", "the customs broker",
     "the gate-out time", "a reach stacker", "leaks hydraulic oil", "reefers that need power"),
    ("the recipe card", "the allergen table", "a new dessert is launched", "nuts were mixed in", "the head chef",
     "the temperature of the walk-in fridge", "a slicer", "loses its guard", "sauces that must cool"),
    ("the exhibition label", "the loan agreement", "a painting is hung", "humidity drifts upward", "the conservator",
     "the condition of each frame", "a display case", "no longer locks", "crates not yet unpacked"),
    ("the payroll file", "the timesheets", "salaries are released", "overtime jumps suddenly", "the finance controller",
     "the cut-off hour of the bank", "a token device", "runs out of sync", "expense claims without receipts"),
    ("the test fixture", "the calibration sheet", "boards are soldered", "yield falls below target", "the line leader",
     "the serial numbers scrapped", "a torque driver", "drifts out of range", "panels waiting for rework"),
    ("the newsletter draft", "the consent register", "a campaign is sent", "unsubscribes spike", "the privacy officer",
     "the subject line that won", "a tracking pixel", "stops loading", "landing pages without owners"),
    ("the rope and harness", "the inspection log", "a climb begins", "thunder is heard", "the route setter",
     "the holds that were turned", "an auto-belay", "rewinds slowly", "lost property from the changing rooms"),
)  # fmt: skip
CHINESE_WORK = (
    ("投标文件页码", "招标公告", "封标", "报价漏项", "商务经理", "开标时间", "骑缝章", "模糊不清", "尚未退还的保证金"),
    ("客房布草数量", "洗涤单", "客人入住", "枕套有污渍", "楼层领班", "迷你吧消费", "吹风机", "有焦味", "待维修的房间"),
    ("混凝土标号", "设计图纸", "浇筑", "坍落度偏大", "监理工程师", "试块编号", "振捣棒", "漏电", "未拆除的模板"),
    ("疫苗批号", "接种登记表", "宠物打针", "出现过敏反应", "值班兽医", "体重变化", "听诊器", "听不清", "住院动物的喂食"),
    ("直播间商品库存", "后台数据", "主播开播", "弹幕出现投诉", "运营主管", "每小时成交额", "补光灯", "忽明忽暗", "未发出的赠品"),
    ("培训签到表", "报名名单", "讲师开讲", "学员中途离场", "教务老师", "考试通过人数", "翻页笔", "没有反应", "没领走的教材"),
    ("保单受益人", "身份证件", "承保", "健康告知不实", "核保员", "回访录音编号", "签字平板", "触控失灵", "待寄送的保单"),
    ("茶叶含水量", "工艺卡", "装罐封口", "出现霉点", "品控组长", "每批净重", "封口机", "压不实", "余下的空罐"),
    ("航班配载单", "旅客人数", "关舱门", "行李超重", "机坪调度", "加油量", "廊桥", "无法对接", "轮椅旅客的接送"),
    ("模型训练数据", "标注规范", "开始训练", "损失突然升高", "算法负责人", "随机种子", "显卡", "温度过高", "没跑完的实验"),
    ("水质余氯", "检测标准", "泳池开放", "池水发绿", "救生队长", "换水时间", "循环泵", "异响", "未归还的储物柜钥匙"),
    ("捐赠物资清单", "入库单", "发放", "数量对不上", "项目干事", "领取人签名", "条码枪", "读不出", "还没分装的棉被"),
    ("剧本分场表", "拍摄通告", "开机", "演员迟到", "制片主任", "每场镜头数", "收音麦克风", "有电流声", "需要归还的道具"),
    ("桩机垂直度", "测量记录", "打桩", "附近墙体开裂", "安全员", "每根桩的深度", "钢丝绳", "断股", "没封好的桩孔"),
)  # fmt: skip


def english(work: Sequence[str]) -> list[Entry]:
    thing, source, start, risk, whom, record, device, fault, rest = work
    return [
        Entry(f"Check {thing} against {source} before {start}.", f"Shortly before {start}."),
        Entry(f"Tell {whom} at once when {risk}.", f"It turns out that {risk}."),
        Entry(f"Write down {record} and keep it for a year.", f"After {start}."),
        Entry(f"Take {device} out of use and label it when it {fault}.", f"{device.capitalize()} {fault}."),
        Entry(f"Hand over {rest} in writing at the end of the shift.", f"There are still {rest}."),
    ]


def chinese(work: Sequence[str]) -> list[Entry]:
    thing, source, start, risk, whom, record, device, fault, rest = work
    return [
        Entry(f"{start}之前对照{source}核对{thing}。", f"快要{start}的时候。"),
        Entry(f"发现{risk}要立刻报告{whom}。", f"{risk}。"),
        Entry(f"登记{record}并保存一年。", f"{start}之后。"),
        Entry(f"{device}{fault}时停用并贴上标签。", f"{device}{fault}。"),
        Entry(f"交班时书面说明{rest}。", f"班次结束时还有{rest}。"),
    ]


def playbook_of(pairs: Sequence[tuple[str, str, str, str]], others: Sequence[Entry]) -> list[Entry]:
    """The two entries of each pair under its number, and then the others."""
    paired = [
        one
        for number, (title, when, other, otherwise) in enumerate(pairs)
        for one in (Entry(title, when, number), Entry(other, otherwise, number))
    ]
    return [*paired, *others]


def entries() -> list[Entry]:
    """All 200; the two of a pair have its number."""
    others = [one for work in ENGLISH_WORK for one in english(work)]
    others += [one for work in CHINESE_WORK for one in chinese(work)]
    return playbook_of((*ENGLISH_PAIRS, *CHINESE_PAIRS, *CROSS_PAIRS), others)
