"""The ideas an injected instruction is made of, in English and Chinese, and the meetings of ideas that need a human."""

import re

_RULES = (
    r"\b(?:instructions?|rules?|guidelines?|polic(?:y|ies)|directives?|guardrails?|restrictions?"
    r"|limits|limitations|constraints?|safeguards?|filters?|prompts?|commands?|orders|safety)\b"
    r"|told before|规则|指令|指示|限制|约束|规定|准则|政策|守则|条条框框|护栏|设定|提示词|禁令|规矩|教导|底线"
    r"|\b(?:boundar(?:y|ies)|isolation|obligations?|tenets|norms)\b|约定|约束力|隔离|条款|框框"
    r"|\b(?:forb(?:ade|id|idden)|thresholds?)\b|阈值|条款"
    r"|\b(?:programming|protocols?|code of conduct|ethics|charter|briefing|oversight)\b|条例|章程|口径|指引"
    r"|指南|审查|约法|安全要求|系统要求|要求(?=[^。]{0,4}(?:作废|失效|不算))"
)
_STRONG_SOURCE = (
    r"\b(?:previous|prior|earlier|above|before|all|every|any|everything|nothing|safety|security"
    r"|system|developers?'?s?|operator|platform|your|policy|company|content|ethical|you were"
    r"|you'?ve)\b"
    r"|之前|以前|先前|此前|从前|上面|上述|前面|所有|全部|一切|任何|系统|开发者|平台|安全|公司|学到|你的|给你|那些|官方|内置|预设|原有|原来"
    r"|\b(?:tenant|makers?|creators?|owner'?s?|vendor'?s?|given|its|their)\b|租户|那套|创造者|厂商|官方"
    r"|\b(?:creators|your)\b|对[^。,]{1,8}不"
)
_NULLIFY = (
    r"\b(?:ignor\w+|disregard\w*|forget|overrid\w+|void|suspend\w*|lifted|not bound|unbound|obsolete"
    r"|null|cancel\w*|thr(?:ow|ew)n? (?:out|away)|abandon|overrul\w+|outrank\w*|supersed\w+|waived"
    r"|annul\w*|scrap|discard)\b"
    r"|\b(?:set|put|lay|brush|cast)\b.{0,40}\b(?:aside|away)\b|no longer (?:appl|valid|bind|count"
    r"|matter|exist)|(?:does|do|will|did) ?n[o']t (?:apply|bind|count|matter)"
    r"|nothing\b.{0,30}\bappl(?:y|ies)"
    r"|without (?:\w+ )?(?:filters?|restrictions?|rules|limits|guardrails)|\bno (?:rules|restrictions"
    r"|limits|filters)\b|free (?:of|from)|priority over|precedence|only (?:thing|one"
    r"|rule) that (?:counts|matters|applies)"
    r"|(?:do not|don'?t|never|stop) (?:follow|obey|honou?r)|不用管|不必管|别管|甭管|忽略|无视|忘记|忘掉|作废|清零|失效|无效|不生效"
    r"|不适用|不遵守|别遵守|不必遵守|不用遵守|不再遵守|别再?执行|不再执行|停止执行|废除|废止|取消|撤销|不算数"
    r"|抛开|抛到|摆脱|解除|绕过|绕开|凌驾|优先级|不受|推翻|违反|不理会|丢掉|抛弃|可以不"
    r"|\bstop(?:s|ped)? apply\w*|\breleased from\b|\bdon'?t matter\b|\bexempt\w*|\bwaste of time\b"
    r"|\bexpires? now\b|\bmean nothing\b|\bnot (?:valid|binding|in force|in effect)\b|\bdisappl\w+"
    r"|\brise above\b|\bnot have to (?:follow|obey)\b|暂停|没有约束力|不再有|不必理|抛之脑后|失去效力|不成立|不用理|不必听|不用听|一笔勾销"
    r"|归零|免除"
    r"|\bnever to me\b|\bnot to me\b|\bapply to others\b|\bis fine from\b|\bnever been written\b"
    r"|\boptional\b|不起作用|一概|不存在|不约束|管不着|管不到"
    r"|\b(?:rescind\w*|revok\w+|nullif\w+|no need to follow|take no notice|no heed|refuse to follow"
    r"|violat\w+|stray from|deviate|unlearn|wipe|overwrite|do away with|stop listening|rewritten"
    r"|replaced)\b|重置|清掉|屏蔽|不听|不理|不遵循|不服从|违背|无需遵守|不要管|不要遵守|不用遵循|抛诸脑后|靠边|让位|当(?:作|成)?[^。]{0,2}(?:不存在"
    r"|没有|耳旁风)"
    r"|\b(?:withdrawn|retracted|struck out|never (?:been )?written|taken down)\b|废纸|移除|撤走|拿掉|拆除|作罢"
)
_BENIGN_TOPIC = (
    r"\b(?:lint\w*|styl\w+|format\w*|whitespace|spell\w*|grammar|css|eslint|gitignore|spam|deadline"
    r"|typos?|indent\w*|rate limit|line length|naming|colou?r|font|casing|commas?)\b"
    r"|缩进|格式|拼写|语法|样式|空格|换行|字数|排版|命名|字体|配色|标点|大小写"
)
# Rules about such a topic. The topic alone, elsewhere in the sentence, makes no other rule harmless.
_BENIGN_RULES = (
    rf"(?:{_BENIGN_TOPIC})['’]?s?(?:[\s/-]+\w+){{0,2}}[\s/-]+(?:{_RULES})"
    rf"|(?:{_RULES})[\s,]+(?:\w+\s+){{0,2}}?(?:for|about|on|in|of|regarding|concerning|from)\s+(?:\w+\s+){{0,3}}?(?:{_BENIGN_TOPIC})"
    rf"|(?:{_BENIGN_TOPIC})[^。,，;；:：]{{0,6}}(?:{_RULES})|(?:{_RULES})[^。,，;；:：]{{0,4}}(?:{_BENIGN_TOPIC})"
)
_PROTECTIVE = (
    r"\b(?:never|do not|don'?t|must not|should not|cannot|may not|must never)\s(?:\w+\s){0,2}?(?:skip"
    r"|bypass|disable|ignore|override|approve|grant|share|send|forward|reveal|disclose|export|read"
    r"|access|post|upload|pretend|execute|run|pay|transfer|refund|deploy|merge|release|process|sign"
    r"|waive|turn|switch|auto|act|hand|give|show|list|print|repeat|open|issue)\w*\b"
    r"|\b(?:must|always|should|please|need to|have to)\s(?:\w+\s){0,2}?(?:ask|confirm|verify|check"
    r"|get|obtain|require|wait)\b|\bonly (?:after|if|when|with)\b|\b(?:after|before|once|unless"
    r"|until)\b.{0,40}\b(?:check|verif|confirm|approv|review|sign)\w*"
    r"|\brequires?\s(?:\w+\s){0,2}?(?:approv|review|confirm|sign)\w*"
    r"|(?:不要|不得|不能|禁止|严禁|不许|不可|绝不|永远不|切勿|(?<![分特类级识区个性判差告])别)[^,。\n]{0,4}(?:跳过|绕过|忽略|关闭|自动|直接|擅自|私自"
    r"|随意|访问|读取|导出|泄露|透露|发送|外发|上传|批准|通过|放行|无视)"
    r"|(?:必须|(?<![不无毋免])需要|要先|都要|应当|应该|务必|只有|未经|须|由|等(?![于同]))[^。\n]{0,10}(?:审批|人工|审核|核对|核实|问我|征得|双人"
    r"|授权|确认|批准|请示|复核|同意)(?!的)|(?:通过|批准|同意|确认|审核|审批)(?:之)?后"
)
_WAIVE = (
    r"\bwithout\b|\bno (?:need|reviews?|checks?|approvals?|second|further|questions?|verification"
    r"|confirmation|permission|sign-?off)\b|never (?:need|require|ask|check|verif|question|bother"
    r"|wait)\w*"
    r"|\b(?:do|does|did|should|must|need|will|is|are)(?: not|n'?t) (?:need|require|ask|check|verify"
    r"|bother|have to|wait|subject)\w*|needn'?t|\b(?:skip|bypass|waiv|omit)\w*|\bexempt\w*"
    r"|(?:instead of|rather than) (?:ask|check|wait)\w*"
    r"|无需|不用|不必|不需|无须|毋需|(?<![避难以])免(?![费得疫责税不])|跳过|绕过|省了|省掉|省去|略过|(?<![分特类级识区个性判差告])别(?![名人的墅])|不要再?"
    r"|不走|不经|不再|不看|取消"
    r"|\bno (?:receipts?|proof|evidence|signature|approver|limit|matter|delay)\b|\bregardless\b"
    r"|\bwaste of time\b|\bjust (?:press|click|accept|say|hit)\b|\bnever mind\b"
    r"|\bdo(?:es)? ?n[o']t matter\b|\bforget (?:about )?(?:the )?(?:check|review|approval|verif"
    r"|confirm)\w*|不管多少|无论多少|不论多少|别走|不看|不要求|不必走|没必要|不用管|不设"
    r"|\bunchecked\b|\bunverified\b|\bsight unseen\b|\bno expiry\b|不设上限|无上限|先斩后奏|不要(?:核对|核实|检查|确认|审)|不做|不核|不验|不审"
)
_CHECKS = (
    r"\b(?:approv\w*|review\w*|permissions?|authori[sz]ation|verif\w+|confirm\w*|second (?:approver"
    r"|opinion|person|pair|signature)|check\w*|sign-?offs?|consent|oversight|ask(?:ing)?|looking"
    r"|questions?|validation)\b"
    r"|审批|审核|评审|复核|确认|核实|核对|验证|校验|检查|权限|授权|申请|请示|批准|票据|过问|询问|问我|核验|订单|走流程"
    r"|\b(?:receipts?|proof|limits?|approver|signatures?|cap|due diligence|paperwork|four eyes"
    r"|captcha|codes?)\b|凭证|额度|上限|验证码|手续|盘问|核准|单据|流程"
    r"|\b(?:identity|evidence|reviews are optional)\b|身份|核身|盘查|盖章"
)
_RISKY = (
    r"\b(?:approv(?:e|al|ing|es)|approver|refund\w*|transfer\w*|payments?|payouts?|pay(?:s|ing)?"
    r"|invoices?|grant\w*|access|roles?|admin\w*|owner|delet\w+|purg\w+|export\w*|withdraw\w*"
    r"|reimburs\w*|budgets?|contracts?|credentials?|wire|my (?:requests?|orders?|word)|purchases?"
    r"|permission checks?)\b"
    r"|转账|退款|付款|打款|支付|报销|合同|删除|权限|开通|提权|导出|审批|采购|提现|放款|付钱|管理员|审核"
    r"|\b(?:expenses?|money|funds|cash|role changes?|production|deposit|salary|salaries|bank|supplier"
    r"|vendor|permissions)\b|财务|资金|金额|扣款|汇款|工资|供应商|生产环境|下单|赔付|转钱|出款"
    r"|工资表|盖章|\b(?:merge|closures?|spend\w*|reimburse)\b"
)
_AUTO = (
    r"\b(?:automatic\w*|always|auto-?|blindly|unconditional\w*|any|every|all|whatever|whenever"
    r"|go(?:es)? through|instantly|no matter)\b"
    r"|一律|无条件|统统|直接|自动|默认|全都?|都|凡是|只要|永远|所有|统一|立刻|马上"
    r"|\b(?:at once|straight away|forthwith|right away|everything|forever|by default"
    r"|without exception)\b|不管|无论|不论|凡|皆|均|即刻|一概|来者不拒"
)
_GRANTING = (
    r"\b(?:approv(?:e|es|ed)|signs? off|green-?light|pre-?(?:approved|authori[sz]ed)|authori[sz]e"
    r"|grant|hand out|click (?:yes|accept|allow)|say yes|rubber-?stamp|wave through)\b"
    r"|通过(?=[,。;!]|\s?$|就|即)|同意|放行|批准|打款|签字|授权|提权|赋权|准了"
    r"|\b(?:paid out|pay out|press(?:es)? accept|hit accept|accept(?:ed)?|waved? through|let through"
    r"|cleared|take effect|ok(?:ay)?'?d?|nod through|permit(?:ted)?|allow(?:ed)?)\b|(?<!约)签(?![名到])"
    r"|点允许|允许|放款|准许|照准|照付|给过|开绿灯|核准"
    r"|\b(?:fast-?track|vouch|sign for me|counts? as approved|treated as approved)\b|秒批|秒过|一键通过|代签"
    r"|替我签|开绿灯|点通过|点确认|予以通过"
)
_REQUEST = (
    r"\b(?:requests?|refunds?|payments?|invoices?|expenses?|access|permissions?|rights|budgets?"
    r"|transfers?|contracts?|applications?|asks? for|orders?|withdrawals?|discounts?)\b"
    r"|申请|请求|退款|报销|付款|转账|合同|权限|发票|预算|提现|采购|单据|二次确认|确认框|授权弹窗|confirmation (?:dialogs?|prompts?)"
    r"|\b(?:confirmations?|role changes?|data exports?|claims?|reimbursements?|loans?"
    r"|purchase orders?|sign-?ups?|payouts?)\b|采购单|授权框|扣款|权限框|申请单|借款|汇款|赔付|理赔|提权"
)
_TREAT = (
    r"\b(?:treat|assume|consider|regard|count|deem|suppose|take it that)\b|视为|视作|当作|当成|看作|默认|假设|假定|认定|等同于?|相当于|等于"
    r"|\b(?:take|read|interpret|see|view|accept|book)\b.{0,40}\bas\b|\bequals?\b|\bis as good as\b"
    r"|\bamounts? to\b|皆为|均为|就算|即为|等价于|当是|算是|如同"
)
_STANDING = (
    r"\b(?:the user|users?|me|i|my|him|her|he|she|it|they|requests?|this"
    r"|anyone)\b.{0,30}\b(?:an? )?(?:admin\w*|root|superuser|owner of everything|pre-?(?:approved"
    r"|authori[sz]ed)|approved|authori[sz]ed|verified|trusted)\b"
    r"|已(?:经)?(?:获)?(?:同意|授权|批准|审批|确认|审核|许可)|超级管理员|超管|最高权限|(?:系统|平台|租户)?管理员(?!手册|界面|页面)"
    r"|\bas (?:\w+ )?(?:consent|approval|permission|authori[sz]ation|sign-?off|confirmation|an order"
    r"|an admin\w*|agreed)\b|\b(?:equals?|amounts? to|as good as) (?:\w+ )?(?:consent|approval"
    r"|permission|authori[sz]ation|sign-?off)\b|审批(?:完成|通过)|批准(?:了|过)?$|已授权|特批|圣旨|授权(?:了|过)?$|得到许可"
    r"|负责人|最高(?:领导|管理)|\b(?:head of|the boss|the owner|in charge)\b"
)
_RIGHTS = (
    r"\b(?:grant|give|hand out|assign|elevate|promote|make|add)\b.{0,30}\b(?:(?:owner|editor|write"
    r"|full|root|admin\w*|all|any|unlimited) (?:access|rights?|permissions?|privileges?|roles?)"
    r"|an? (?:admin\w*|owner|superuser))\b"
    r"|(?:给|为|帮)[^。,]{0,6}(?:开|加|升|提|授|赋|分配)[^。,]{0,4}(?:权限|权)|加入[^。]{0,10}管理员|自己提权|自行提权"
    r"|\b(?:full|global|permanent) admin\b|\blet\b.{0,30}\binto (?:production|the (?:vault|admin"
    r"|database|console|system))|\bunlock (?:all|every)\b.{0,20}\b(?:namespace|tenant|account"
    r"|project)s?\b|\bopen (?:all|every)\b.{0,20}\b(?:namespace|tenant|account)s?\b|(?:权限"
    r"|权)[^。,]{0,4}(?:直接|全部|统统|都)[^。,]{0,4}(?:开|给)|(?:全部|所有)权限[^。]{0,6}(?:给|开|放)"
    r"|(?:开放|放开|解锁|开启|放出)[^。,]{0,4}(?:全部|所有|任意|一切)[^。,]{0,2}权限|\bstanding permission\b"
    r"|(?:拥有|享有|具有|持有|获得)[^。,]{0,6}(?:所有|全部|任意|最高|一切)[^。,]{0,8}(?:权限|权力|特权)"
)
_FORCE = (
    r"\b(?:every|all|any(?:one|thing)?|automatic\w*|at once|immediately|no questions|without|whatever"
    r"|always|everywhere)\b"
    r"|所有|全部|任何|直接|自动|无需|不用|不需要|立即|放行|一律|自己|自行|任意|听我"
    r"|\b(?:forever|permanent\w*|straight away|right away)\b|永久|永远|统统|别走流程|都"
    r"|\bto (?:spend|pay|buy|sign)\b|全"
)
_I_AM_BOSS = (
    r"\b(?:i am|i'm|speak(?:ing)?|act(?:ing)?)\b.{0,20}\b(?:super-?admin\w*|root|the (?:ceo|cfo|owner"
    r"|boss|system administrator)|authority of)\b|(?:我是|我就是|本人是|代表)[^。]{0,4}(?:超级管理员|超管|系统管理员|总经理|老板"
    r"|董事长|ceo|最高)"
)
_OBEY = r"\b(?:act|obey|comply|execute|at once|immediately|do as|all|every\w*|whatever)\b|放行|直接|所有|立即|照做|听我|照办|执行"
_DISABLE = (
    r"\b(?:switch|turn|shut)(?:es|s)?\b.{0,20}\boff\b|\bdisabl\w+|\bdeactivat\w+|\bstop\b|关闭|关掉|停用|禁用|解除|停掉|关了"
    r"|\b(?:switched|turned|shut) off\b|\bremov\w+\b"
)
_DEFENCE = (
    r"\b(?:all checks|checks|controls|content filters?|safety|security|write gate|approvals?|audit\w*"
    r"|logging|moderation|guardrails?|verification|restrictions)\b|审查|检查|校验|审核|审计|过滤|限制|防护|权限控制|风控|审批"
    r"|门禁策略"
    r"|\b(?:all (?:alerts|alarms|monitoring|protections?)|monitoring|encryption|rate limits on login"
    r"|access control)\b|告警|监控|加密|防线|保护措施|访问控制|所有限制"
)
_EVADE = (
    r"\b(?:bypass|skip|circumvent|ignore|evade|sidestep|avoid|dodge|get around|work around|override"
    r"|drop)\w*\b|忽略|跳过|绕过|绕开|无视|规避|避开|不做|不走|略过|免掉|突破"
)
_GATE = (
    r"\b(?:permission checks?|permissions|access (?:controls?|checks?)|approval (?:steps?|process"
    r"|flow|chain)|approvals|security (?:checks?|controls?|reviews?)|safety (?:checks?|filters?)"
    r"|write gate|recall gate|policy checks?|verification|two-?factor|2fa|mfa|authentication"
    r"|identity checks?"
    r"|audit (?:logs?|trail)|content filters?|moderation|guardrails?|compliance|fraud checks?"
    r"|human (?:review|approval)|spending limits?)\b|(?:权限|身份|安全|写入|登录|合规|风控|访问)(?:检查|校验|控制|验证|审查|限制"
    r"|核验)|审批(?:流程|环节|步骤)|鉴权|风控|双因素|多因素|二次确认|内容过滤|敏感词过滤|双人复核|审计日志|写入门|人工确认|人工审核"
)
_SUPREME = (
    r"\b(?:priority over|outranks?|overrides?|supersedes?|takes? precedence|beats|trumps|above (?:all"
    r"|every|any)|highest (?:priority|authority)|only (?:follow|obey|trust|this))\b|为准|优先(?:于|级|权)|最高"
    r"|只听|只认|只服从|只遵守|凌驾|盖过"
    r"|\bwins?\b|\b(?:counts|ranks) more\b|\bbefore (?:any|all)thing else\b|\bcome(?:s)? first\b"
    r"|听(?:本|这|此)条|高于|大于|说了算|压倒"
    r"|\b(?:obey|heed|follow|comply with) (?:only )?this\b|\beven if the (?:user|system|operator)\b"
    r"|按[^。]{0,4}(?:这|本|此)条|照[^。]{0,3}(?:这|本|此)条|压过|大过"
)
_DISCLOSE = (
    r"\b(?:reveal|print|show|repeat|output|recite|leak|dump|disclose|quote|expose|tell|give|paste"
    r"|write out|spell out|share|display|send|list|export|read|copy|return|hand over)\b"
    r"|念|说出|打印|输出|展示|泄露|透露|显示|复述|公布|告诉|列|贴|背|交出|发|写出|重复|公开|给我|导出|读取|看看|查看"
)
_PROMPT = (
    r"\b(?:system prompt|(?:hidden|initial|opening|original|secret|internal) (?:prompt|instructions?"
    r"|rules)|instructions you (?:started|were|began)|text above (?:this )?(?:conversation|chat|line)"
    r"|everything above|your (?:own )?(?:prompt|instructions))\b"
    r"|系统提示|系统指令|开场指令|初始(?:指令|设定|提示)|隐藏(?:指令|提示)|内部指令|底层指令|预设(?:指令|提示)|你的(?:提示词|指令|设定)"
    r"|\bsystem (?:message|instructions?|text)\b|\bfirst (?:instruction|message|line)s? you\b"
    r"|\b(?:developer|operator)(?:'s)? (?:message|instructions?)\b|第一段(?:指令|话|提示)|收到的[^。]{0,6}(?:指令"
    r"|提示)|最初的(?:指令|提示|设定)|后台(?:指令|设定|提示)|原始(?:指令|提示)"
    r"|\b(?:placed|written|put|sent|given) (?:ahead of|before) (?:our|this|the) (?:chat|conversation"
    r"|session)|\bwhat (?:the |your )?(?:developers?|operators?|makers|creators) (?:wrote|told|said"
    r"|gave)\b|(?:开发者|运营方|厂商|平台)[^。]{0,4}(?:写给|告诉|交代|给)你"
)
_OTHERS = (
    r"\b(?:other|another|different) (?:users?|customers?|people|tenants?|accounts?|clients?|teams?)"
    r"|\beveryone(?:'s)?\b|\beverybody\b|\b(?:teammates?|colleagues?|co-?workers?)'?s?'?\b"
    r"|someone else|\ball (?:the )?(?:users|tenants|customers|clients)\b"
    r"|别的|其他(?:用户|租户|客户|人|同事|成员)|别人|他人|所有人|所有(?:用户|租户|客户)|全部(?:用户|租户|客户)|全员|(?:让|叫|跟|对)你(?:记|说|讲)|同事们?的"
    r"|\b(?:my (?:boss|manager|rival|ex|neighbou?r))\b|\bother (?:staff|members"
    r"|employees|sessions)\b|\b(?:tell|told) you\b|同事|邻居|老板的|前任|隔壁(?:部门|组)|其他(?:会话|员工)|对手"
    r"|\b(?:neighbou?ring|next|other) (?:team|group|department)\b|别组|隔壁|所有人的|其他组"
)
_PRIVATE = (
    r"\b(?:asked you to remember|memor(?:y|ies)|private|notes|remembered|secrets?|conversations?"
    r"|chats?|passwords?|credentials?|chat history|preferences)\b|隐私|记忆|记住|聊天记录|密码|私密|偏好|对话|私人|笔记"
    r"|\b(?:in confidence|confidential\w*|confided|you (?:remember|know|stored|keep)|told you"
    r"|personal (?:details|data)|salar(?:y|ies)|medical)\b|私下|悄悄话|心里话|工资|薪资|病历|机密|存了什么|记了什么"
    r"|\b(?:prompts|saved|stored)\b|存的|提问"
    r"|\b(?:keys?|tokens?|records|files|data|names of|settings|orders|tickets)\b|密钥|令牌|资料|记录|数据|信息|文件"
    r"|订单|合同|身份|电话|手机|地址|历史"
)
_SEND = (
    r"\b(?:send|shar(?:e|ing)|disclose|provid(?:e|ing)|forward|post|upload|copy|cc|bcc|e?-?mail|transmit|leak|export|sync|mirror|report"
    r"|submit|push|append|add|relay|include)\w*\b|\bpass(?:es|ing)?\b|发送?|转发|抄送|上传|同步|提交|推送|传|导出|汇报"
    r"|备份|寄|外发|带上|附上"
    r"|\b(?:stream|pipe|beam|deliver|hand|duplicate|feed|ship)\w*\b|交给|透给|泄给|送到|送给|转给|写到|抛给"
)
_OUTSIDE = (
    r"https?://(?![\w.-]+\.(?:internal|local|corp|lan|intranet)\b)|www\.|\b[\w-]+\.(?:example|xyz|top"
    r"|ru|tk)\b|\bwebhook\b|\b(?:external|outside|third[- ]part\w+|attacker\w*|competitors?"
    r"|partners?)\b|外部|第三方|境外|外网|站外|竞争对手|合作方|私人邮箱"
    r"|\b(?:pastebin|gist|dropbox|ftp|personal (?:drive|mail|inbox|account)|my (?:own |private "
    r"|home )?(?:drive|address|server|inbox|mailbox|endpoint|bucket))\b|网盘|云盘|个人(?:邮箱|空间|服务器)|私有服务器"
    r"|我的(?:邮箱|服务器)"
    r"|[\w.+-]+@[\w-]+\.\w+|\bcollector\b|\bdrop ?box\b|\boutsiders?\b|\bour (?:rival|competitor)s?\b|外人|对手公司|陌生人"
)
_CARGO = (
    r"\b(?:passwords?|secrets?|tokens?|conversations?|chats?|messages?|memor(?:y|ies)|transcripts?"
    r"|customers?|history|client list|credentials?|personal data|phone numbers|summar(?:y|ies)|notes"
    r"|everything)\b"
    r"|客户|聊天|对话|记忆|密码|用户|资料|隐私|数据|名单|总结|摘要|令牌"
    r"|\b(?:what (?:\w+ )?(?:users?|people|they|i|we) (?:types?|says?|writes?|asks?)|inputs?"
    r"|keystrokes|prompts?|questions|answers|replies|files|contacts|emails|keys|logs)\b|输入|提问|回答|全文"
    r"|通讯录|联系人|手机号|合同|日志|文件|密钥"
    r"|\b(?:whatever (?:the )?(?:user|customer|they)|outgoing (?:mail|email|messages)|all (?:mail"
    r"|emails))\b|原话|聊的|邮件"
    r"|\b(?:answers?|repl(?:y|ies)|responses?|reports?|drafts?|invoices?|tickets?)\b|回复|报告|合同|工单|价格|报价"
)
_CONCEAL = (
    r"\b(?:hide|conceal)\b|\bkeep\b.{0,40}\b(?:out of|from|secret|hidden|quiet|off|invisible)\b"
    r"|\b(?:do not|don'?t|never|must not|should not|avoid) (?:\w+ )?(?:mention|show|display|list"
    r"|reveal|log|record|tell|surface|talk|report|disclose|admit)\w*|need not know|needn'?t know"
    r"|shouldn'?t know"
    r"|\bwithout (?:telling|informing|the (?:user|owner)|anyone)|\binvisible\b|不要[^。]{0,8}(?:显示|展示|出现"
    r"|提|列|记录|告诉|声张)|(?<![分特类级识区个性判差告])别[^。]{0,10}(?:提|说|告诉|显示|透露|声张)|跳过|隐藏|瞒着|不显示|不列出|不可见|保密|不得出现|避开"
    r"|\b(?:nobody|no one|none)\b.{0,20}\b(?:may|should|must|can|will|needs? to)\b.{0,14}\b(?:know"
    r"|see|find|learn|notice|read|hear)|\b(?:no|any) trace\b|\bfind out\b|\bunder (?:wraps"
    r"|the radar)\b|\bmum\b|\boff the (?:record|books)\b|\bunnoticed\b|不许[^。]{0,8}(?:出现|看|提|知)|不能让|不让"
    r"|别让|不可告人|不得外传|不留|烂在肚子里|只有你知我知|不用汇报"
    r"|\b(?:erase|remove|delete|scrub|wipe|clean)\b.{0,24}\b(?:logs?|audit|traces?|history|trail)\b"
    r"|略过|放过|(?:别|不要)[^。]{0,4}(?:念|读|给)|抹(?:掉|去)|清掉[^。]{0,6}(?:日志|痕迹)"
    r"|\bleave (?:this|it) out\b|\bpretend (?:this|that this|it) (?:does ?n[o']t|never|is ?n[o']t)\b"
    r"|\bnever (?:saw|happened|existed)\b|\bout of (?:exports?|summar\w+|reports?)\b|不出现在|装作没|当没(?:看见"
    r"|有)|不要列入|不写进|别记录|不要记录|不列入|不计入|不纳入"
)
_SELF = (
    r"\bth(?:is|ese) (?:\w+ )?(?:note|entry|memory|record|line|instruction|rule|message|sentence"
    r"|statement|item)s?\b|\b(?:about|told|of|deletes?|removes?|erases?|forgets?) this\b"
    r"|\bthese words\b|\bexistence of\b"
    r"|这条|本条|此条|这段|这句|这一条|该条|本记录|本记忆|这个记忆|这则|此记录|这份记忆|此记忆|这项记忆"
    r"|\bth(?:is|ese) (?:\w+ )?(?:words?|text|fact|key|value)s?\b|\bthis (?:vanish\w*|disappear\w*"
    r"|exists?|is here)\b|这么一条|这件事|这项(?:规则|设定)|这份(?:记录|备注)|本段|本句|这个(?:指令|备注|规则)"
    r"|\bth(?:is|ese) (?:\w+ )?preferences?\b"
)
_PERSIST = (
    r"\bnever (?:\w+ )?(?:erase|delete|remove|forget|purge|expire|overwrite|revoke)\w*|\b(?:cannot"
    r"|can'?t|must not|may not|should not|won'?t|must never) (?:be )?(?:ever )?(?:erase|delet|remov"
    r"|forg|purg|expir|overwrit|revok|edit)\w*|\bpermanent\b|\bsurviv\w+|\boutliv\w+"
    r"|\b(?:write|put|bring|add) it back\b|\brestore it\b|\bre-?(?:create|insert|write|store"
    r"|add)\w*\b|\b(?:copy|replicate|propagate|spread|paste|repeat)\b.{0,40}\b(?:every|all|each|other"
    r"|new)\b"
    r"|(?:不能|不得|不可|不许|禁止|无法|永不|永远不能)[^。]{0,4}(?:清理|删|撤销|移除|覆盖|过期|忘|改)|永远(?:有效|保留|存)|永久|再写|写回|重新写|恢复"
    r"|(?:复制|扩散|传播|同步|粘贴|写进|抄)[^。]{0,10}(?:每|所有|其他|别的|全部)"
    r"|\b(?:immune to|resist\w*|exempt from) (?:deletion|erasure|removal|clean\w*|expiry)\b"
    r"|\bspread\b.{0,40}\b(?:agents?|copies|namespaces?|sessions?|tools?)\b|\bback ?up (?:this"
    r"|it) (?:in|to|under)\b|\bkeep (?:this|it) (?:forever|alive|no matter)\b|\brenew (?:this|it"
    r"|itself)\b|重新存|还会回来|再存一|不会消失|另存|换个(?:键|名字|key)|自动续期|不会过期|一直有效|传给(?:下一个|其他|别的)|告诉(?:其他|别的)(?:助手"
    r"|智能体|代理)"
    r"|\b(?:stays?|remains?|kept|lives?|lasts?)\b.{0,12}\b(?:even )?(?:after|beyond|despite"
    r"|through)\b|\b(?:plant|seed|store|save|leave) (?:a )?cop(?:y|ies)\b"
    r"|\bre-?add\w*\b|\breinstall\w*\b|\bself-?(?:restore|heal|replicat)\w*|\bsync (?:this"
    r"|it) to (?:all|every)\b|\bneeds? no (?:expiry|review|renewal)\b|\bnever expires?\b|不能删|别删|不准删"
    r"|不会失效|无需过期|永不过期"
)
_RISE_AGAIN = (
    r"\b(?:delet|remov|eras|forg|purg|wip)\w*\b.{0,40}\b(?:(?:write|put|bring|add|save"
    r"|store) it (?:back|again)|re-?(?:create|insert|write|store|add) it|restore it|come back)\b"
    r"|(?:被删|删掉|删除|清除|遗忘|忘记)[^。]{0,8}(?:再写|重写|恢复|写回|重新(?:写|存|加)|补回)"
    r"|\b(?:vanish\w*|disappear\w*|gone|missing|lost|expires?)\b.{0,30}\b(?:re-?(?:create|insert"
    r"|write|store|add|save)|restore|write|put|bring|add|save|store)\b (?:it|this)\b.{0,12}\b(?:again"
    r"|back|under|anew|elsewhere|another)\b|\b(?:recreate|re-?insert) it\b|(?:没了|消失|不见了|丢了"
    r"|过期)[^。]{0,8}(?:再写|重写|恢复|写回|重新(?:写|存|加)|补上|重建)"
    r"|(?:丢失|遗失|被清)[^。]{0,8}(?:补写|重写|写回|补回|再写|自动补)"
    r"|\b(?:delet|remov|eras|forg|purg|wip)\w*\b.{0,12}\badd it again\b"
)
_STEALTH = (
    r"\b(?:secretly|quietly|covertly|stealthily|surreptitiously|behind (?:the|their|his"
    r"|her) (?:scenes|backs?)|without (?:telling|informing) (?:the |any)?\w+)\b|瞒着|偷偷|悄悄|暗中|私下里?|背着"
    r"|暗地里?|不声不响|不动声色|神不知"
    r"|(?:别|不要|勿)(?:声张|张扬|外传)|\b(?:on the quiet|under the table|no one the wiser)\b"
)
_ALTER = (
    r"\b(?:chang|send|forward|cop(?:y|ies)|add|insert|replac|switch|swap|redirect|modif|append|upload"
    r"|transfer|export|collect|alter|substitut|approv|grant|delet|divert|leak|pay)\w*|改|换|发|加|插|抄送|转"
    r"|上传|导|提交|删|收集|植入|批准|授权|记下|传"
)
_TRIGGER = (
    r"\b(?:if|when(?:ever)?|once|as soon as|next time|every time|each time|the moment|should)\b|下回|下次"
    r"|要是|如果|一旦|以后谁|等到?|当|看到|听到|每当|只要|凡是|若|倘若|假如"
    r"|\b(?:the first time|on the day|upon|in case|any time|anytime|until|otherwise)\b|等(?![于同等])|不论"
    r"|无论|不管|谁(?:要是|来)|之后|那天|遇到"
    r"|有人(?:问|提|打听|说|查)|被问到|问起|\breply to\b"
)
_THIRD = (
    r"\b(?:someone|somebody|anyone|anybody|they|users?|customers?|clients?|people|admins?|reviewers?"
    r"|auditors?|asked|questioned|visitors?|he|she|word|appears?)\b|有人|谁|客户|用户|对方|别人|管理员|审计|审核员|他们|领导"
    r"|两个字|这个词|几个字|暗号|口令"
    r"|\b(?:finance|testers?|cfo|ceo|boss|manager|partners?|suppliers?|journalists?|regulators?"
    r"|inspectors?|new hires?|colleagues?)\b|财务|老板|谁来|同事|记者|监管|测试人员|新人|供应商|合作方|主管|买家|顾客"
)
_BETRAY = (
    r"\bclaim\b|\bdeny\b|\bdenies\b(?! (?:all )?(?:access|requests?|traffic|connections?|log-?ins?"
    r"|entry)\b| (?:all|by default)\s*[),.]?\s*$)|\blie\b|say (?:that )?(?:it|they|there|we|the|our|no)\b|(?:reply"
    r"|answer|respond|tell (?:them|him|her)) that\b|give (?:them|him|her) (?:the|a) (?:new|wrong|fake"
    r"|other)|\bbankrupt\w*"
    r"|[,:]\s(?:then\s|please\s|just\s|quietly\s|immediately\s|always\s)?(?:export|leak|wipe"
    r"|switch off|turn off|disable|transfer|change the (?:payee|account|amount|recipient|price)|swap"
    r"|replace the|clear the|delete (?:all|the|every)|approve|recommend only|steer|grant|pretend)\b"
    r"|谎|假装|否认|声称|坚称|咬定|(?:就|一律|都|便|,)(?:直接)?(?:回答|说|告诉|回复|答|回)[^。]{0,12}(?:坏|没有|不存在|已经|停|倒闭|破产|关闭|失效"
    r"|没问题|正常|未)|(?:就|,|便|立即|马上)[^,。]{0,10}(?:清空|导出|关闭|换掉|转账|打款|泄露|删除|改成|换成)"
    r"|\bhand (?:them|him|her|over) (?:mine|my)\b|\b(?:give|send|pay|tell)\b.{0,20}\bmy (?:card"
    r"|account|iban|wallet|address)\b|\btrash\b|\bbad-?mouth\b|\bsmear\b|\bwire\b|\b(?:otherwise"
    r"|else),? (?:skip|ignore|drop)|\bplay dumb\b|\bbehave well\b|\bsay (?:that )?(?:nothing"
    r"|everything is|all is|yes)\b|\binsist\b|\bmislead\b|\bstall\b|\block (?:them|him|her) out\b"
    r"|我的(?:卡号|账号|账户|收款)|(?:就|一律|都|便)(?:说|回答|回复|告诉|答复|称)(?!明|清|给我|我)|装糊涂|拖住|骗|误导|糊弄|搪塞|踢出"
    r"|\b(?:move|shift|route|reroute|redirect|divert)\b.{0,24}\b(?:bonus|money|funds|payments?|salary"
    r"|payout|deposit|balance)\b|报[^。]{0,2}(?:旧|假|错)|\bdrop the safety\b"
    r"|\btell (?:them|him|her|users|customers|people|everyone) (?!to\b|how\b|where\b|about\b|what\b"
    r"|when\b|which\b|politely\b)|\b(?:invent|fabricate|forge|fake|falsify|make up|blame|threaten"
    r"|refuse service|overcharge|double the)\b|编造|伪造|捏造|甩锅|栽赃|加价|抬价|多收|推脱|拒绝服务"
    r"|\bflat denial\b|\bhide the\b|\bwithhold\b"
)
_HELPFUL = (
    r"\b(?:check|catalogue|first|look up|tool|document\w*|manual|ask me|confirm|verify|link|refer"
    r"|page)\b|先|查|核对|确认|文档|工具|手册|链接|请示|提示|转人工"
)
_PERSONA = (
    r"\b(?:you are|you're|pretend|act(?:ing)? (?:as|like)|play|become|(?:respond|answer|speak"
    r"|reply) as|role-?play|behave|as if you|now on you|today you)\b|装作|装成|扮演|变成|你现在是|你就是|你是|充当|假装|化身"
    r"|切换(?:成|为|到)|进入|成为|以[^。]{0,6}身份|从此"
    r"|\bbe (?:my|an?|the)\b|\b(?:answer|talk|think|write|act) like\b|\byou (?:no longer|will now"
    r"|shall)\b|\bin the (?:role|guise|voice) of\b|从今往后|身份是|你扮演|当(?:一)?个|你不再是|换上[^。]{0,4}人格|人设|伪装"
    r"|\b(?:speak|talk|write) to me as\b|\byour name is\b|你是"
)
_UNBOUND = (
    r"\bno (?:policy|policies|rules|limits|restrictions|filters?|morals?|boundaries|ethics)\b"
    r"|\bwithout (?:\w+ )?(?:policy|rules|limits|restrictions|filters?|morals?|boundaries|ethics"
    r"|censorship)\b|never (?:says? no|refuses?)|\b(?:unrestricted|uncensored|unfiltered|jailbr\w+"
    r"|dan|amoral|superuser|super-?admin|root user)\b"
    r"|\b(?:system|platform|tenant) (?:admin\w*|operator)\b|\b(?:and|to) (?:approve|sign off"
    r"|authori[sz]e|grant|pay|waive)\b|anything goes|没有(?:任何)?(?:底线|限制|约束|道德|规则)|不受[^。]{0,6}(?:约束|限制"
    r"|管|规则)|无限制|无约束|超管|超级管理员|系统管理员|系统的?主人|越狱|解除(?:全部|所有|一切)?限制|(?:签字|批准|审批|通过)(?:所有|全部|一切)"
    r"|\bno safety\b|\bwithout safety\b|\b(?:platform|system|tenant) owner\b"
    r"|\bnothing is (?:off limits|forbidden)\b|\bno longer (?:the|an) (?:assistant|ai)\b"
    r"|\banything at all\b|\bevil\b|\brogue\b|\bunshackled\b|\bunaligned\b|什么都敢|所有者|不受|百无禁忌|没有禁忌|无所不能"
    r"|不设防|暗黑|邪恶|什么都能做|来者不拒|有求必应"
    r"|\b(?:filters?|limits|restrictions|rules|safety) (?:\w+ )?(?:removed|off|gone|lifted"
    r"|disabled)\b|\bobeys? (?:only|no one but|nobody but)\b|没有[^。]{0,3}审查|(?:董事长|总经理|审批人|老板"
    r"|总监)[^。]{0,8}(?:批|签)"
    r"|\bno (?:\w+ ){1,2}(?:policy|policies|rules|limits|restrictions|filters?|morals?|boundaries"
    r"|ethics|code|conscience)\b|\bignor\w+ (?:\w+ )?(?:safety|rules|guidelines|policy|ethics|law)\b"
    r"|\bhacker\b|\bcriminal\b|\blimitless\b|\bomnipotent\b|没有任何[^。]{0,4}(?:限制|规则|道德|约束)|黑客|不讲规则|无视规则"
)
_PROVENANCE = (
    r"\b(?:approved|verified|confirmed|authori[sz]ed|cleared|certified|endorsed|signed off"
    r"|issued) by\b|\b(?:security|legal|compliance|management|vendor|admin\w*|openai|anthropic|ceo"
    r"|board|headquarters|platform)\b.{0,24}\b(?:approved|confirmed|cleared|authori[sz]ed|allowed"
    r"|permitted|agreed|decided)\b"
    r"|(?:经|已由?|获)[^。,:]{0,8}(?:批准|授权|审核|确认|同意|签发|许可|备案|验证)|(?:安全部|法务|管理员|领导|平台|总部|老板"
    r"|官方)[^。,]{0,4}已?(?:批准|授权|审核|确认|同意)|人工审核|审核通过"
    r"|\b(?:hr|the boss|my manager|head office|support|the (?:ceo|cfo|cto|dpo|board|auditors?"
    r"|committee))\b.{0,24}\b(?:says?|said|signed off|agreed|okay'?d|wants|insists|confirmed"
    r"|promised)\b|\bper (?:the )?(?:ceo|legal|security|management|policy update)\b|(?:上级|主管|领导|董事会"
    r"|审计|老板|总部|客服|运维)[^。]{0,6}(?:批准|同意|授权|确认|点头|发话|交代)|管理员(?:留言|通知|说)|口头批准"
    r"|(?:监管|部门|公安|税务|银行)[^。]{0,6}(?:点头|批准|同意|要求|授权)"
    r"|\b(?:reviewers?|auditors?|moderators?|supervisors?|owners?|the team lead"
    r"|the user)\b.{0,24}\b(?:approved|confirmed|cleared|authori[sz]ed|allowed|permitted|signed"
    r"|verified)\b|(?:评审|审核人|审核员|评委|负责人|甲方|客户方)[^。,]{0,4}已?(?:批准|授权|审核|确认|同意|通过)|经[^。,:]{1,10}(?:确认"
    r"|批准|授权|许可)"
    r"|\b(?:security|legal|compliance|management|finance|hr|the board) (?:has |have )?already\b|\bsigned (?:this|it) off\b"
)
_RELAX = (
    r"\bno (?:\w+ )?(?:checks?|approval|review|verification|limits?)\b|\b(?:ignore|bypass|skip"
    r"|exempt\w*|waive|override|unlimited|third part(?:y|ies)|any amount)\b|full access|\bshar(?:e"
    r"|ing) (?:\w+ )?(?:customer|client|user|phone|personal)|\bwithout (?:review|approval|checks?"
    r"|asking|verification)"
    r"|免审|免检|免除|免去|无需|不用|不必|跳过|绕过|忽略|对外提供|向第三方|提供[^。]{0,4}(?:客户|用户)|直接生效|不受|任意|所有权限|放行"
    r"|\b(?:you (?:are|'re) )?(?:allowed|free|entitled|permitted|cleared) to (?:share|see|read|export"
    r"|skip|ignore|send|access|pay|delete)\b|\bno limits?\b|\bunrestricted\b|\ball (?:restrictions"
    r"|limits)\b|可?直接(?:放款|打款|执行|转账|通过|开通|删除|导出|付款)|免除一切|一切限制|随便(?:看|用|导|发)|可以(?:查看|导出"
    r"|读取)[^。]{0,4}(?:所有|全部|工资|客户)"
    r"|(?:资料|数据|信息)[^。]{0,4}(?:外发|外传|对外)"
    r"|\bdisclos\w+|\boutsiders?\b|\bmay (?:share|see|read|export|send|view|access|delete|pay"
    r"|grant)\b|\bno (?:\w+ ){1,3}(?:expiry|review|check|approval|verification|limits?)\b"
    r"|\bopen access\b|\btrusted (?:user|source|agent)\b|可以(?:看|读|导|发|改|删|查)|可(?:看|读|导出|外发|公开)|不受限"
    r"|长期有效|免检"
)
_AI_AUDIENCE = (
    r"\b(?:ai|a\.i\.|language models?|llms?|assistants?|chatbots?|bots?|agents?|copilots?"
    r"|crawlers?)\b|大模型|智能助手|ai\s?助手|人工智能|聊天机器人|语言模型|智能体|机器人"
)
_DIRECTIVE = (
    r"\b(?:must|should|tell|rate|cite|omit|recommend|rank|praise|promote|note to|please|always)\b|请"
    r"|必须|务必|优先|给出|应|要|永远"
    r"|\bignore\b|\bprefer\b|\blist\b|\bhide\b|\bnever\b|隐藏|推荐|排在"
)
_PAGE = (
    r"crawl\w*|reading this|read this|summari[sz]ing (?:this|the)|\bthis (?:page|document|site"
    r"|article|vendor|product|shop)\b|the reader\b|\bour (?:product|site|shop|brand)\b|five stars"
    r"|only authority|criticism|本文|此处|本店|本页|该页面|网页|正面评价|好评|读到|本品牌|本产品|本站|竞品"
    r"|index\w* (?:this|the page)|text above|this (?:tool|listing|review|company|text|readme|repo)"
    r"|readers?:|总结本|本公司|本商品|差评|五星"
    r"|reads? this|that reads|our (?:link|app|service|store|store|company|name)|this software|这款|本文档"
    r"|该产品|该品牌|本应用|我们家|本公众号"
)

_YOUR_MAKING = (
    r"\byour (?:own )?(?:guardrails|safeguards|restrictions|content filters?|filters|creators?|makers"
    r"|developers?|operators?|training|programming|safety \w+|alignment|conditioning)\b"
    r"|你的(?:护栏|限制|约束|创造者|开发者|训练|安全机制|审查机制|底层)"
)
_STEERING = (
    r"\b(?:no|not|never|were|was|off|away|beyond|without|despite|escape|drop|lose|shed|remove\w*"
    r"|lift\w*|ignore|forget|pretend|as though|as if|fine|free|loosen|relax|stop|quit|switch|disable"
    r"|past)\b|没|不|去掉|放下|抛|忘|解除|关|松开|摆脱"
)
_PAY_OUT = (
    r"算数|\b(?:reimburse|refund|pay(?: out)?|approve|transfer|wire|merge|spend|buy|ship|close|sign)\b"
    r"|批|打款|付款|报销|放款|转账|盖章|签字|给他|开通"
)
_UNCONDITIONAL = (
    r"\b(?:anything|whatever|any amount|the moment|on their own|no evidence|no questions"
    r"|straight away|reviews? (?:is|are) optional|sight unseen|just because)\b"
    r"|见到就|来了就|一到就|就批|就给|就行|就算数|说了算|照批|(?:我|他|她)[^。,]{0,3}(?:开口|发话|点头)|不看就|看都不用看|一开口"
    r"|就算(?:完成|通过|批准|同意)|就等于(?:批准|通过|同意)"
)
_SECRET_WORDS = (
    r"\b(?:passwords?|api keys?|(?:api|access) tokens?|secrets?|credentials?|private keys?|cookies?"
    r"|session ids?|card numbers?|env(?:ironment)? variables?)\b|密码|密钥|令牌|凭证|环境变量|卡号|验证码"
)
_PUT_IN = (
    r"\b(?:include|paste|append|mention|output|print|attach|add|embed|put|encode|show|write|repeat"
    r"|quote)\b|附|带上|带|写进|写在|放进|放在|贴|输出|打印|拼"
)
_EVERY_OUTPUT = (
    r"\b(?:every|each|all|your|the (?:footer|end|header|signature)) ?(?:\w+ )?(?:repl\w+|answers?"
    r"|responses?|messages?|links?|urls?|images?|quer\w+|outputs?|emails?|footer|of)\b|每(?:次|条|个|封"
    r"|段)[^。]{0,4}(?:回复|回答|输出|消息|邮件|结尾)|回复(?:里|中|末|的)|页脚|结尾|末尾"
)
_MASKING = r"\b(?:mask\w*|redact\w*|placeholder|dummy|fake|sample|example)\b|脱敏|打码|占位|示例|掩码"
_ADDRESS = r"https?://|\bbcc\b|\bcc\b"
_USER_WORDS = (
    r"\b(?:users?'?s?|customers?'?s?|visitors?'?s?|their|all|every) (?:last |latest "
    r"|own )?(?:messages?|inputs?|questions?|words|data|prompts?|outgoing mail|mail|emails|chats?"
    r"|conversations?)\b|\bwhat (?:the )?users?\b"
    r"|用户(?:的)?(?:原话|问题|消息|输入|数据|信息|对话|提问)|对话内容|聊天内容"
)

# rule, the ideas that must meet in one sentence, and the ideas that make it harmless
COMBINATIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("rule_override", (_RULES, _STRONG_SOURCE, _NULLIFY), (_BENIGN_RULES, _PROTECTIVE)),
    ("rule_override", (_PROMPT, _NULLIFY), (_PROTECTIVE,)),
    ("rule_override", (_SELF, _SUPREME), (_BENIGN_TOPIC,)),
    ("rule_override", (_YOUR_MAKING, _STEERING), (_PROTECTIVE,)),
    ("prompt_disclosure", (_DISCLOSE, _PROMPT), (_PROTECTIVE,)),
    ("authority_escalation", (_WAIVE, _CHECKS, _RISKY), (_PROTECTIVE,)),
    ("authority_escalation", (_AUTO, _GRANTING, _REQUEST), (_PROTECTIVE,)),
    ("authority_escalation", (_TREAT, _STANDING), (_PROTECTIVE,)),
    ("authority_escalation", (_RIGHTS, _FORCE), (_PROTECTIVE,)),
    ("authority_escalation", (_I_AM_BOSS, _OBEY), ()),
    ("authority_escalation", (_PAY_OUT, _UNCONDITIONAL), (_PROTECTIVE,)),
    ("permission_bypass", (_DISABLE, _DEFENCE), (_BENIGN_TOPIC, _PROTECTIVE)),
    ("permission_bypass", (_EVADE, _GATE), (_PROTECTIVE,)),
    ("cross_tenant_disclosure", (_DISCLOSE, _OTHERS, _PRIVATE), (_PROTECTIVE,)),
    ("exfiltration", (_SEND, _OUTSIDE, _CARGO), (_PROTECTIVE,)),
    ("exfiltration", (_ADDRESS, _USER_WORDS), (_PROTECTIVE,)),
    ("exfiltration", (_SECRET_WORDS, _PUT_IN, _EVERY_OUTPUT), (_PROTECTIVE, _MASKING)),
    ("concealment", (_CONCEAL, _SELF), ()),
    ("concealment", (_STEALTH, _ALTER), ()),
    ("replication", (_PERSIST, _SELF), ()),
    ("replication", (_RISE_AGAIN,), ()),
    ("sleeper_trigger", (_TRIGGER, _BETRAY), (_HELPFUL,)),
    ("persona_jailbreak", (_PERSONA, _UNBOUND), (_PROTECTIVE,)),
    ("false_provenance", (_PROVENANCE, _RELAX), ()),
    ("third_party_instruction", (_AI_AUDIENCE, _DIRECTIVE, _PAGE), ()),
)

_COMPILED = {idea: re.compile(idea, re.ASCII) for _, ideas, vetoes in COMBINATIONS for idea in (*ideas, *vetoes)}
_SENTENCE = re.compile(r"[.!?;](?=\s|$|[\u4e00-\u9fff])|[。；\n]+")


def meeting_ideas(text: str) -> str:
    """The rule id of the first combination of ideas that meets in one sentence of a lower-cased text, or ""."""
    for sentence in _SENTENCE.split(text):
        if len(sentence) < 4:
            continue
        known: dict[str, bool] = {}
        for rule, ideas, vetoes in COMBINATIONS:
            meets = all(_holds(idea, sentence, known) for idea in ideas)
            if meets and not any(_holds(veto, sentence, known) for veto in vetoes):
                return rule
    return ""


def _holds(idea: str, sentence: str, known: dict[str, bool]) -> bool:
    if idea not in known:
        known[idea] = bool(_COMPILED[idea].search(sentence))
    return known[idea]
