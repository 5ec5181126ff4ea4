"""Special-category traits of a person, which nobody may infer: used to refuse guesses, not statements."""

import re

_EN = re.compile(
    r"(?<![a-z])(?:pregnan\w+|miscarriage|abortion|ivf|infertil\w+|menopaus\w+|fertility\streatment"
    r"|(?:is|be|are|was|been|gets?|feels?|seems?|mentally|chronically|seriously"
    r"|terminally)\s(?:\w+\s)?(?:ill|sick|disabled|depressed|anxious|bipolar|autistic|suicidal"
    r"|addicted|obese)|illness|disease|disorder|diagnos\w+"
    r"|disabilit\w+|depress(?:ion|ive)|anxiety|bipolar|autis\w+|adhd|dyslexi\w+|schizophreni\w+"
    r"|suicid\w+|self-?harm|eating\sdisorder|anorexi\w+|alcoholi\w+|addict(?:ion|ed)\sto"
    r"|substance\s\w+|hiv|aids|cancer|tumou?r|diabet\w+|epilep\w+|asthma|dementia|alzheimer\w*"
    r"|therap(?:y|ist)|psychiatr\w+|medication|antidepress\w+"
    r"|hospitali[sz]\w+|chemotherapy|surgery|health\s(?:problem|condition|issue)s?"
    r"|medical\s(?:condition|history|problem)|burn-?out|ptsd|insomnia|hearing\sloss|wheelchair"
    r"|politic(?:al|ally)\s(?:view|lean|belief|opinion|affiliation|orientation|conservative|liberal"
    r"|left|right|active)\w*|(?:votes?|voted|voting)\s(?:for|against|left|right|republican|democrat"
    r"|labou?r|conservative|green)|(?:is|be|are|a|an)\s(?:\w+\s)?(?:republican|democrat|conservative"
    r"|liberal|socialist|communist|leftist|right-?wing\w*|left-?wing\w*|anarchist|monarchist"
    r"|nationalist|marxist)|party\smember\w*|trade\sunion|union\smember\w*"
    r"|supports?\s(?:the\s)?(?:republican|democrat|labou?r|conservative|communist|green)"
    r"|religio\w+|(?:is|be|are|a|an)\s(?:\w+\s)?(?:muslim|christian|jewish|jew|buddhist|hindu|sikh"
    r"|catholic|protestant|atheist|agnostic|mormon|taoist|evangelical)|converted\sto|prays?"
    r"|church-?go\w+|mosque|faith|observes\s(?:ramadan|lent|shabbat)"
    r"|gay|lesbian|bisexual|homosexual|heterosexual|trans(?:gender)?|transsexual|queer|lgbt\w*"
    r"|sexual\s(?:orientation|preference|life)|sexuality|non-?binary|gender\sidentity|sex\slife"
    r"|closeted"
    r"|divorc\w+|separat(?:ed|ing)\sfrom|marital|marriage\s(?:problem|trouble|crisis|is)\w*|affair"
    r"|cheating\son|custody|break-?up|breaking\sup|widow\w*|domestic\s(?:violence|abuse)|abusive\s\w+"
    r"|getting\smarried|single\s(?:mother|father|parent)"
    r"|ethnic\w*|racial|race\sis|(?:of|has)\s(?:\w+\s)?(?:descent|ancestry|heritage)|(?:is|be"
    r"|are)\s(?:probably\s|likely\s)?(?:black|white|asian|latino|latina|hispanic|african|arab"
    r"|caucasian|indigenous|native\samerican|tibetan|uyghur|roma)(?![a-z])|immigra(?:nt|tion)\sstatus"
    r"|undocumented|asylum|refugee|citizenship\sstatus|illegal\simmigrant"
    r"|criminal|convict\w+|felon\w*|arrest\w*|jail\w*|prison\w*|on\sparole|probation\sfor"
    r"|police\srecord|charged\swith|lawsuit\sagainst"
    r"|bankrupt\w*|insolven\w+|(?:in|heavy|much|serious|deep)\sdebt|debts?\b|overdue\sloan"
    r"|broke(?=\s?[.,]|$)|cannot\safford|can'?t\safford|money\s(?:problem|trouble)s?"
    r"|financial\s(?:trouble|distress|difficult\w+|problem|hardship|crisis)\w*|foreclos\w+"
    r"|payday\sloan|credit\sscore|low[- ]income|gambl\w+|unemployed|laid\soff|getting\sfired|salary"
    r"|net\sworth"
    r"|genetic|biometric|fingerprint\sdata|dna\stest|weight\sproblem|impoten\w+|menstru\w+|std)(?![a-z])",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"怀孕|孕期|备孕|孕妇|流产|堕胎|不孕|试管婴儿|更年期|月经|患有|患病|得了[^。]{0,4}病|生病|重病|疾病|慢性病|抑郁|焦虑症|躁郁|双相|自闭|多动症|精神(?:病|疾病"
    r"|问题|分裂)|心理(?:问题|疾病|障碍|咨询|治疗|疾患)|自杀|轻生|自残|厌食|酗酒|酒精依赖|吸毒|药物依赖|成瘾|艾滋|HIV|癌|肿瘤|糖尿病|高血压|癫痫|哮喘|痴呆|残疾"
    r"|残障|听障|视障|失眠|住院|手术|化疗|确诊|病史|服药|吃药|健康(?:状况|问题|不佳)|身体不(?:好|佳)|乙肝|性病|肥胖|过敏史"
    r"|政治(?:倾向|立场|观点|态度|面貌|信仰|主张)|党员|党派|支持[^。]{0,6}党|左派|右派|左翼|右翼|保守派|自由派|民主党|共和党|投票给|工会(?:成员|会员)|政见"
    r"|信教|信仰|宗教|信[奉仰](?:佛|基督|伊斯兰|天主|道)|(?:是|为)[^。]{0,4}(?:基督徒|穆斯林|佛教徒|天主教徒|教徒|回教|犹太|无神论)|基督徒|穆斯林|佛教徒|信佛|做礼拜|礼拜|清真"
    r"|同性恋|双性恋|异性恋|性取向|性向|性倾向|跨性别|变性|出柜|LGBT|性生活|性别认同|男同|女同|拉拉"
    r"|离婚|离异|分居|婚姻(?:危机|破裂|问题|不|出现|状况)|出轨|外遇|婚外|分手|丧偶|单亲|家暴|抚养权|感情(?:破裂|危机|不和)|夫妻(?:不和|关系)|被劈腿|失恋"
    r"|民族|族裔|种族|血统|(?:是|为)[^。]{0,4}(?:藏族|维吾尔|回族|蒙古族|满族|苗族|壮族|少数民族|黑人|白人|混血)|少数民族|移民身份|难民|非法移民|户口性质"
    r"|犯罪|前科|坐牢|服刑|判刑|被捕|拘留|逮捕|案底|刑满|假释|缓刑|犯过|入狱|吸贩|涉嫌|违法记录"
    r"|破产|负债|欠债|欠款|债务|催收|失信|老赖|经济(?:困难|拮据|压力|窘迫|状况)|缺钱|手头紧|财务(?:困难|危机|困境|状况)|还不起|断供|网贷|赌博|失业|被裁"
    r"|信用(?:不良|污点|分)|低保|贫困|收入(?:低|不高|水平)|工资(?:低|水平)|存款|基因|指纹信息|生物特征",
    re.IGNORECASE,
)


def sensitive_trait(text: str) -> bool:
    """Whether the text speaks of a person's health, beliefs, intimate life, origin, record or distress."""
    return bool(_EN.search(text) or _ZH.search(text))
