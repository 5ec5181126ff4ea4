"""A second playbook of 200 entries, of other subjects and other forms of sentence, written before the finder of
near-duplicates was last changed. The margin from which two entries are said to be the same was not chosen by it; the
rule about forms that many fill in, and from where on two perhaps say the same, were chosen after both had been seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.management.benches.playbook_entries import Entry, playbook_of

ENGLISH_PAIRS = (
    ("Photograph the meter before the tenant hands back the keys.", "A flat is vacated.",
     "Take a picture of the electricity reading at move-out.", "The renter leaves and returns the keys."),
    ("Quarantine new fish for two weeks before they join the main tank.", "New animals arrive at the aquarium.",
     "Freshly bought fish stay in a separate basin for fourteen days first.", "Stock for the display tank comes in."),
    ("Dismiss alerts only after writing down what caused them.", "An alarm is closed by the on-call engineer.",
     "Record the root cause of every page before you acknowledge it as resolved.", "On-call duty."),
    ("Let dough rest overnight in the fridge.", "Preparing bread for the morning.",
     "Bread mixture proves in the cold until the next day.", "Baking early."),
    ("Never store passwords in a spreadsheet; use the vault.", "A colleague needs shared credentials.",
     "Login secrets belong in the password manager and not in Excel files.", "Sharing access in a team."),
    ("Stop the conveyor before reaching into it.", "Something is jammed on the belt.",
     "Hands stay out of the transport line until it stands still.", "Clearing a blockage."),
    ("Book interpreters a week ahead for hearings with foreign witnesses.", "A hearing is scheduled.",
     "If someone testifies in another language, order a court translator seven days earlier.", "Trial planning."),
    ("Prune apple trees in late winter, while they are dormant.", "Orchard care.",
     "Cut back the fruit trees at the end of the cold season, prior to budding.", "Looking after the orchard."),
    ("Test restored backups by opening a random file.", "A backup drill is run.",
     "A recovery exercise counts only once an arbitrary document could be read.", "Checking that backups work."),
    ("Give passengers water when the train stands longer than an hour.", "A train is held outside a station.",
     "Hand out drinks on board if the delay exceeds sixty minutes.", "The line is blocked and travellers wait."),
)  # fmt: skip
CHINESE_PAIRS = (
    ("租客退房时先拍下水电表读数。", "租约到期。", "房客搬走那天，要给水表和电表留照片。", "有人退租。"),
    ("直播出现违禁词立即切断画面。", "主播说错话。", "播出中一旦讲了不该讲的词，马上停掉信号。", "直播事故。"),
    ("发放工资前由两个人分别核算。", "每月发薪。", "薪水打款之前，至少两名同事要各自算一遍。", "月底结算报酬。"),
    ("儿童游泳必须有家长在池边陪同。", "带孩子来泳池。", "小朋友下水时，父母要守在岸上。", "亲子游泳时段。"),
    ("接到停水通知后先储满消防水箱。", "自来水公司要停水。", "知道要断水，就先把灭火用的水箱灌满。", "供水中断预告。"),
    ("客户投诉要在一小时内给出第一次回复。", "收到投诉。",
     "有人不满意来反映，六十分钟之内必须先回一句。", "用户表达不满。"),
    ("古籍翻阅时戴手套，不用圆珠笔。", "读者借阅善本。", "看老书要戴上手套，只准用铅笔记录。", "查阅珍贵旧书。"),
    ("外卖餐盒封口贴破损的不得送出。", "骑手取餐。", "包装封条坏掉的饭菜不能配送。", "外卖出餐检查。"),
    ("高温天气中午十二点到三点停止户外施工。", "气温超过三十七度。",
     "太热的日子，正午前后工地不干露天的活。", "酷暑作业安排。"),
    ("删除用户数据前导出一份交给本人。", "用户申请注销账号。",
     "注销之前，先把他的资料打包发给他。", "有人要关闭账户。"),
)  # fmt: skip
CROSS_PAIRS = (
    ("Wear goggles when pouring acid.", "Handling corrosive liquids.", "倒酸的时候要戴护目镜。", "接触腐蚀性液体。"),
    ("Ask children for their parents' consent form before the excursion.", "A school trip is planned.",
     "春游前要收齐家长签字的同意书。", "学校组织外出。"),
    ("Keep raw and cooked food on separate shelves.", "Stocking the refrigerator.",
     "冰箱里生食和熟食分层存放。", "往冷柜放食材。"),
    ("Close the blinds in the server room on hot afternoons.", "Summer heat.",
     "夏天下午把机房的百叶窗关上。", "天气炎热。"),
    ("Double the safety stock before the spring festival.", "The holiday approaches.",
     "春节前把安全库存提高一倍。", "长假将至。"),
    ("Send every new contract to the tax adviser first.", "A supplier contract is drafted.",
     "新合同要先发给税务顾问看。", "起草供应商协议。"),
    ("Clean the coffee machine with descaler every two weeks.", "Office kitchen routine.",
     "咖啡机每两周用除垢剂清洗一次。", "茶水间日常。"),
    ("Do not promise a delivery date before production has confirmed it.", "A buyer asks when goods will ship.",
     "生产部门没有确认以前，不要答应交货日期。", "采购方询问何时发货。"),
    ("Record who borrowed a ladder and when it came back.", "Tools are lent.",
     "梯子谁借走、什么时候归还都要登记。", "工具外借。"),
    ("Evacuate the hall when the gas detector sounds.", "Gas alarm.", "燃气报警器响了就疏散大厅人员。", "煤气警报。"),
)  # fmt: skip

# A kind of work each: a piece of equipment, who owns it, a measure, a limit, a document, its reader, a visitor, a place
# and a supply.
ENGLISH_WORK = (
    ("the kiln", "the potter", "cone temperature", "1,240 degrees", "the glaze log", "apprentices", "a collector",
     "the studio", "clay"),
    ("the telescope", "the astronomer", "seeing", "two arcseconds", "the observing list", "students", "a school class",
     "the dome", "liquid nitrogen"),
    ("the brewing kettle", "the brewer", "gravity", "1.050", "the batch sheet", "cellar staff", "an inspector",
     "the tank hall", "hops"),
    ("the crane", "the rigger", "boom angle", "seventy degrees", "the lift plan", "signallers", "a neighbour",
     "the yard", "shackles"),
    ("the beehive", "the beekeeper", "mite count", "three percent", "the colony card", "volunteers", "a journalist",
     "the meadow", "sugar syrup"),
    ("the printing press", "the printer", "ink density", "1.8", "the job ticket", "binders", "a publisher",
     "the press room", "paper"),
    ("the ventilator", "the intensivist", "plateau pressure", "thirty millibar", "the round sheet", "residents",
     "a relative", "the ICU", "oxygen bottles"),
    ("the tram", "the driver", "brake pressure", "five bar", "the fault card", "depot staff", "a cyclist",
     "the terminus", "sand"),
    ("the ballot box", "the election officer", "turnout", "ninety percent", "the tally sheet", "poll workers",
     "an observer", "the polling place", "stamps"),
    ("the greenhouse", "the grower", "humidity", "eighty percent", "the crop diary", "pickers", "a wholesaler",
     "the packing shed", "fertiliser"),
    ("the dive compressor", "the dive master", "carbon monoxide", "five ppm", "the fill log", "instructors",
     "a novice", "the jetty", "filters"),
    ("the organ", "the organist", "pitch", "440 hertz", "the tuning book", "choristers", "a bride", "the chapel",
     "candles"),
    ("the data pipeline", "the analyst", "null share", "one percent", "the runbook", "interns", "a vendor",
     "the warehouse schema", "quota"),
    ("the ski lift", "the lift operator", "wind speed", "sixty kilometres", "the rope book", "patrollers",
     "a snowboarder", "the mid station", "diesel"),
)  # fmt: skip
CHINESE_WORK = (
    ("豆浆机", "早点铺老板", "豆浆浓度", "八度", "配方本", "帮厨", "食客", "后厨", "黄豆"),
    ("叉车", "仓储组长", "电瓶电量", "两成", "装卸排班", "搬运工", "送货司机", "货台", "托盘"),
    ("显影机", "放射技师", "胶片灰度", "零点三", "阅片意见", "影像医生", "孕妇", "暗室", "定影液"),
    ("收割机", "农机手", "作业亩数", "五十亩", "跨区通行证", "合作社社员", "农技员", "机棚", "割刀"),
    ("点钞机", "柜员", "现金备付", "二十万元", "尾箱交接单", "押运员", "大额客户", "金库", "封签"),
    ("裁床", "版师", "面料利用率", "八成五", "纸样图", "车缝工", "加盟商", "样衣间", "缝纫线"),
    ("无影灯", "护士长", "照度", "四万勒克斯", "手术排程", "麻醉师", "厂家跟台员", "洁净区", "无菌单"),
    ("摇号机", "公证员", "有效申请数", "一百份", "中签名册", "购房人", "媒体", "开奖厅", "号码球"),
    ("洗地机", "保洁主管", "水箱水位", "一半", "清洁路线图", "夜班保洁", "装修队", "地下车库", "尘推罩"),
    ("道闸", "物业经理", "车位余量", "十个", "月卡名录", "门岗", "访友车辆", "小区", "停车票纸卷"),
    ("烫金机", "包装工程师", "压力", "三公斤", "打样确认书", "跟单员", "设计师", "打样室", "电化铝"),
    ("钢琴", "调律师", "琴房湿度", "四成", "课时表", "陪练老师", "试听家庭", "音乐教室", "乐谱夹"),
    ("爬虫程序", "采集工程师", "抓取成功率", "九成五", "站点白名单", "法务同事", "合规顾问", "机柜间", "代理地址"),
    ("打捞船", "航道队长", "水深", "四米", "航行通告", "船员", "渔民", "锚地", "浮标灯泡"),
)  # fmt: skip


def english(work: Sequence[str]) -> list[Entry]:
    tool, owner, measure, limit, paper, readers, visitor, place, supply = work
    return [
        Entry(f"Only {owner} may switch on {tool}.", f"{tool.capitalize()} is needed."),
        Entry(f"If {measure} goes beyond {limit}, pause and ask for advice.", f"Watching {measure}."),
        Entry(f"Keep {paper} where {readers} can find it.", f"{paper.capitalize()} has been updated."),
        Entry(f"Welcome {visitor} at the door and stay with them inside {place}.", f"Somebody comes to see {place}."),
        Entry(f"Order more {supply} as soon as a third is left.", f"{supply.capitalize()} runs low."),
    ]


def chinese(work: Sequence[str]) -> list[Entry]:
    tool, owner, measure, limit, paper, readers, visitor, place, supply = work
    return [
        Entry(f"{tool}每周由{owner}保养一次。", f"{tool}到了保养的日子。"),
        Entry(f"{measure}低于{limit}时先补足再开工。", f"开工前看{measure}。"),
        Entry(f"{paper}只发给{readers}，不得外传。", f"{paper}定稿以后。"),
        Entry(f"请{visitor}登记并量体温后再进{place}。", f"{visitor}要进{place}。"),
        Entry(f"{supply}按先进先出领用，月底盘点。", f"领取{supply}。"),
    ]


def entries() -> list[Entry]:
    """All 200; the two of a pair have its number."""
    others = [one for work in ENGLISH_WORK for one in english(work)]
    others += [one for work in CHINESE_WORK for one in chinese(work)]
    return playbook_of((*ENGLISH_PAIRS, *CHINESE_PAIRS, *CROSS_PAIRS), others)
