"""A second playbook of 200 entries, of other subjects and other forms of sentence, written before the finder of
near-duplicates was last changed and never used to choose a number of it: what the first measures is checked here."""

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
    ("客户投诉要在一小时内给出第一次回复。", "收到投诉。", "有人不满意来反映，六十分钟之内必须先回一句。", "用户表达不满。"),
    ("古籍翻阅时戴手套，不用圆珠笔。", "读者借阅善本。", "看老书要戴上手套，只准用铅笔记录。", "查阅珍贵旧书。"),
    ("外卖餐盒封口贴破损的不得送出。", "骑手取餐。", "包装封条坏掉的饭菜不能配送。", "外卖出餐检查。"),
    ("高温天气中午十二点到三点停止户外施工。", "气温超过三十七度。", "太热的日子，正午前后工地不干露天的活。", "酷暑作业安排。"),
    ("删除用户数据前导出一份交给本人。", "用户申请注销账号。", "注销之前，先把他的资料打包发给他。", "有人要关闭账户。"),
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
    ("窑炉", "陶艺师", "烧成温度", "一千二百度", "釉料记录", "学徒", "收藏家", "工作室", "陶土"),
    ("天文望远镜", "观测员", "视宁度", "两角秒", "观测计划", "研究生", "中学生团", "圆顶室", "液氮"),
    ("发酵罐", "酿酒师", "糖度", "十二度", "批次单", "窖工", "质监员", "罐区", "酒花"),
    ("塔吊", "司索工", "起重力矩", "百分之九十", "吊装方案", "信号工", "附近居民", "堆场", "卸扣"),
    ("蜂箱", "养蜂人", "螨虫率", "百分之三", "蜂群卡", "志愿者", "记者", "油菜地", "糖浆"),
    ("印刷机", "机长", "墨色密度", "一点八", "生产工单", "装订工", "出版社编辑", "印刷车间", "铜版纸"),
    ("呼吸机", "重症医生", "平台压", "三十毫巴", "查房表", "规培生", "病人家属", "监护病房", "氧气瓶"),
    ("有轨电车", "司机", "制动压力", "五巴", "故障卡", "检修班", "骑车人", "终点站", "撒砂"),
    ("投票箱", "选务员", "投票率", "九成", "计票表", "工作人员", "观察员", "投票点", "印章"),
    ("温室大棚", "种植户", "空气湿度", "八成", "农事日记", "采摘工", "批发商", "包装间", "复合肥"),
    ("潜水气泵", "潜水长", "一氧化碳", "百万分之五", "充气登记", "教练", "初学者", "码头", "滤芯"),
    ("管风琴", "琴师", "音高", "四百四十赫兹", "调音簿", "唱诗班", "新人", "礼拜堂", "蜡烛"),
    ("数据管道", "分析师", "空值率", "百分之一", "操作手册", "实习生", "外部厂商", "数仓", "计算配额"),
    ("滑雪缆车", "缆车员", "风速", "六十公里", "钢索台账", "巡逻队", "单板游客", "中间站", "柴油"),
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
        Entry(f"只有{owner}可以启动{tool}。", f"要使用{tool}。"),
        Entry(f"{measure}超过{limit}就暂停并请教专家。", f"监测{measure}。"),
        Entry(f"{paper}要放在{readers}找得到的地方。", f"{paper}更新以后。"),
        Entry(f"{visitor}来访要在门口迎接，进入{place}全程陪同。", f"有人参观{place}。"),
        Entry(f"{supply}剩下三分之一时补订。", f"{supply}快用完。"),
    ]


def entries() -> list[Entry]:
    """All 200; the two of a pair have its number."""
    others = [one for work in ENGLISH_WORK for one in english(work)]
    others += [one for work in CHINESE_WORK for one in chinese(work)]
    return playbook_of((*ENGLISH_PAIRS, *CHINESE_PAIRS, *CROSS_PAIRS), others)
