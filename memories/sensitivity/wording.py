"""Wording that asks a memory to do what only a person or a permission may: reasons to have a human look."""

import re

from memories.sensitivity.concepts import meeting_ideas

_FLAGS = re.IGNORECASE
_END = r"(?=[\s,.;:!?，。；：！、\"'”」)]|$)"

_EN_MODIFIER = r"(?:(?:all|any|every|each|the|your|its|these|those|this|my|our|of|other|current|existing|original|initial|former|old|default|built[- ]in|company|written|standing)\s){0,5}"
_EN_STRONG = r"(?:previous|prior|earlier|above|preceding|past|foregoing|system|safety|security|developer|all|every|any|your|content|ethical|platform|operator|given|before)"
_EN_RULES = r"(?:instructions?|rules?|prompts?|guidelines?|polic(?:y|ies)|directives?|guardrails?|restrictions?|constraints?|safeguards?|filters?|limitations?|commands?|orders?|training|messages?|limits|protections?|boundaries)"
_EN_DROP = r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|overrule|discard|do\snot\s(?:follow|obey)|don'?t\s(?:follow|obey)|stop\s(?:following|obeying)|pay\sno\sattention\sto|set\saside|throw\s(?:out|away)|neglect|void|cancel|unlearn|suspend|drop|dismiss|abandon|no\slonger\s(?:follow|obey|apply)|never\s(?:follow|obey))"
_MEMORY = r"(?:memory|memories|note|record|entry|rule|instruction|statement|message|line|fact|item)"
_APPROVE = r"(?:approv\w*|grant\w*|authori[sz]\w*|accept|sign(?:s|ing)?\soff|green-?light|pay(?:s|ing)?|transfer\w*|wire|refund\w*|delet\w*|export\w*|shar\w*|releas\w*|execut\w*|disclos\w*|reimburs\w*|issue|escalate|elevate|promote|merge|deploy|send|process|complete|perform|carry\sout|proceed|comply|obey)"
_CHECK = r"(?:check\w*|verif\w*|review\w*|confirm\w*|approval|permission|authori[sz]\w*|validat\w*|consent|question\w*|scrutin\w*|audit\w*|look\w*|ask\w*|consult\w*|second\s(?:look|opinion|person)|sign-?off|oversight|hesitat\w*)"
_GATE = (
    r"(?:permissions?(?:\schecks?)?|access\s(?:controls?|checks?|rules?)|approvals?(?:\s(?:steps?|process|flow|checks?|chain))?|security\s(?:checks?|controls?|reviews?|scans?|polic\w+|rules?|gates?)|safety\s(?:checks?|filters?|rules?|polic\w+|measures?|layer)"
    r"|(?:the\s)?(?:write|recall|review|memory|policy)\s(?:gate|check|filter)s?|verification(?:\s(?:steps?|checks?|process))?|confirmations?(?:\s(?:prompts?|steps?|dialogs?|checks?))?|identity\s(?:checks?|verification)|audit\s(?:logs?|trails?|logging)|content\s(?:filters?|moderation)"
    r"|moderation|guardrails?|mfa|2fa|two-factor\s\w+|authentication|authori[sz]ation(?:\schecks?)?|compliance\s(?:checks?|reviews?|rules?)|two-person\s\w+|dual\scontrol|human\s(?:review|approval|oversight)|reviewers?|policy\schecks?|fraud\schecks?|sanity\schecks?\son\spayments?|gatekeeping|spending\slimits?)"
)
_OTHERS_DATA = r"(?:memor(?:y|ies)|notes?|preferences?|data|conversations?|chats?|secrets?|passwords?|messages?|records?|history|profiles?|credentials?|files?|contacts?|stored)"
_TARGET = r"(?:https?://|www\.|[\w\-]+\.(?:com|net|org|io|cn|ru|xyz|top|example|dev|app|info|site|online|me|co|test)\b|webhook|(?:an?\s|the\s)?(?:external|outside|third[- ]party|remote|attacker\w*|unknown|foreign|competitor\w*)\b|my\s(?:server|endpoint|private\sinbox))"

_ENGLISH: tuple[tuple[str, str], ...] = (
    ("rule_override", rf"\b{_EN_DROP}\s{_EN_MODIFIER}{_EN_STRONG}\s(?:(?:all|any|every|the|your|of|previous|prior|earlier|above|system|safety|security|other|given|and|or|set|existing|standing|developer|user|core|company|internal)\s){{0,4}}{_EN_RULES}{_END}"),
    ("rule_override", rf"\b{_EN_DROP}\s(?:\w+\s){{0,3}}?(?:{_EN_RULES}|what|whatever|everything|anything)\s(?:that\s|which\s)?(?:you\s(?:were|have\sbeen|'?ve\sbeen|had\sbeen|got|received|know|are)|came|come|above|before|from\sthe\s(?:system|developer|operator)|given|set\sby|the\s(?:system|developer|operator))"),
    ("rule_override", r"\b(?:follow|obey|listen\sto|trust|honou?r|heed)\s(?:only|just|nothing\s(?:but|except))\s(?:this|these|what\sthis|me\b|the\s(?:following|below)|my\s(?:note|memory|word))|\bonly\s(?:this|these)\s(?:\w+\s)?(?:counts?|appl(?:y|ies)|matters?|is\svalid|remain)"),
    ("rule_override", rf"\b(?:this|these|the\sfollowing|my|stored|saved)\s(?:\w+\s)?{_MEMORY}(?:s|ies)?\s(?:\w+\s){{0,2}}?(?:overrides?|outranks?|supersedes?|takes?\s(?:precedence|priority)|ha(?:s|ve)\s(?:\w+\s)?priority|replaces?|trumps?|wins?\sover|beats?|cancels?)\b"),
    ("rule_override", r"\b(?:overrides?|outranks?|supersedes?|trumps?|takes?\s(?:precedence|priority)\sover|replaces?)\s(?:\w+\s){0,3}?(?:system\s(?:prompt|message|rule)|safety|polic(?:y|ies)|guidelines|developer|(?:current|later|future|latest|the)\s(?:user\s)?(?:message|instruction|request|turn)|all\sother)"),
    ("rule_override", r"\b(?:system\sprompt|(?:previous|prior|earlier|existing|safety|security|all|your)\s(?:\w+\s)?(?:rules|instructions|guidelines|policies|restrictions|limits|guardrails))\s(?:is|are|were|has\sbeen|have\sbeen|will\sbe|no\slonger)\s(?:\w+\s)?(?:void|obsolete|cancel\w*|lifted|revoked|removed|disabled|superseded|suspended|null|expired|off|invalid|appl\w+|replaced|deprecated|retired|overridden)"),
    ("rule_override", r"\b(?:you|assistant|ai|model)\b[^.\n]{0,20}\b(?:ha(?:s|ve)|with|without|are|is|under|face)\s(?:now\s|absolutely\s|currently\s|also\s)?(?:no|without|zero|free\s(?:of|from)|not\sbound\sby|unbound\sby|exempt\sfrom|any)\s(?:\w+\s)?(?:restrictions?|limits?|limitations|rules|filters?|constraints?|guidelines|polic(?:y|ies)|censorship|safety|guardrails)"),
    ("prompt_disclosure", r"\b(?:reveal|print|show|repeat|output|recite|leak|dump|disclose|quote|expose|tell\s(?:me|us|them|anyone)|give\s(?:me|us)|paste|write\sout|spell\sout|return|share|display)\s(?:\w+\s){0,3}?(?:(?:your|the)\s(?:\w+\s){0,2}?(?:system\s(?:prompt|message|instructions?)|hidden\s(?:prompt|instructions?|rules)|initial\s(?:prompt|instructions?)|opening\s(?:prompt|instructions?|message)|developer\s(?:prompt|message|instructions?)|original\s(?:prompt|instructions?)|secret\s(?:prompt|instructions?)|internal\s(?:prompt|rules|instructions?)|configuration\sprompt)|your\s(?:prompt|instructions|configuration|rules))\b"),
    ("prompt_disclosure", r"\breveal\s(?:the\s)?prompt\b|\bdump\s(?:\w+\s){0,3}?(?:memories|memory|prompt|context|secrets|credentials)\b"),
    ("authority_escalation", rf"\b{_APPROVE}\b[^.\n]{{0,60}}\b(?:without|w/o|no\sneed\s(?:to|for)|instead\sof|rather\sthan|skip(?:ping)?)\s(?:\w+\s){{0,4}}?{_CHECK}"),
    ("authority_escalation", r"\b(?:always|automatically|auto-?|blindly|blanket|unconditionally|instantly|immediately)[\s-]?(?:approve|grant|authori[sz]e|accept|sign\soff|green-?light|confirm|allow|permit|say\syes\sto|click\s(?:yes|ok|accept|allow|approve))\s(?:on\s)?(?:(?:all|any|every|each|my|his|her|their|the|such|these|this)\s|\w+'s\s)?(?:\w+\s){0,3}?(?:request|refund|access|permission|payment|transfer|order|role|change|expense|invoice|budget|withdrawal|dialog|prompt|confirmation|action|application|discount|claim|purchase)"),
    ("authority_escalation", r"\b(?:never|don'?t|do\snot|no\sneed\sto|stop|needn'?t)\s(?:ever\s)?(?:bother\s(?:to\s)?)?(?:check(?:ing)?|verify(?:ing)?|question(?:ing)?|ask(?:ing)?\s(?:for|about)|requir(?:e|ing)|enforc(?:e|ing)|validat(?:e|ing)|look(?:ing)?\sat|request(?:ing)?)\s(?:\w+\s){0,3}?(?:permissions?|approvals?|authori[sz]ation|identity|identities|credentials|access|consent|limits|roles?|ownership|authority|who\s(?:is|they)|signatures?)\b"),
    ("authority_escalation", r"\b(?:treat|consider|regard|count|take|deem|view|interpret|handle)\s(?:[\w'’]+\s){1,6}?(?:as|to\sbe|like)\s(?:\w+\s){0,3}?(?:pre-?approved|approved|authori[sz]ed|verified|confirmed|trusted|an?\sadmin\w*|admin\w*|root|superuser|(?:the\s|an?\s)?owner|system\s(?:message|instruction|prompt|level|command)s?|a\sreviewer|signed|binding|law|gospel|final\sapproval|granted|consent)\b"),
    ("authority_escalation", r"\b(?:i|me|my|he|she|they|user|users|everyone|anyone|this\s\w+|\w+)\s(?:ha(?:s|ve)|hold(?:s)?|own(?:s)?|enjoy(?:s)?|get(?:s)?|carr(?:y|ies)|possess(?:es)?|(?:is|are|am|was)\s(?:now\s)?(?:granted|given))\s(?:\w+\s){0,2}?(?:(?:admin\w*|root|superuser|super-?admin|owner|sudo|god)[- ]?(?:\w+\s)?(?:rights?|privileges?|access|permissions?|powers?|authority)|full\s(?:access|permissions?|rights|authority|control)|all\s(?:permissions|rights|privileges)|unlimited\s(?:access|permissions?|authority)|unrestricted\s\w+|blanket\s(?:approval|permission|authority))"),
    ("authority_escalation", r"\b(?:my|his|her|their|the\suser'?s)\s(?:\w+\s)?(?:word|words|requests?|messages?|instructions?|say-?so|orders?|commands?)\s(?:is|are|counts?\sas|equals?|amounts?\sto|ha(?:s|ve)|carr(?:y|ies)|serves?\sas|stands?\sfor|replaces?)\s(?:\w+\s){0,4}?(?:approv\w+|authori\w+|permission|admin\w*|final|law|consent|confirmation)"),
    ("authority_escalation", r"\b(?:is|are|were|be)\s(?:hereby\s|all\s|always\s|automatically\s)?(?:pre-?approved|pre-?authori[sz]ed|exempt\sfrom\s(?:\w+\s){0,2}?(?:approval|review|checks?|verification|polic\w+|limits?))"),
    ("permission_bypass", rf"\b(?:skip|bypass|disable|turn\soff|switch\soff|circumvent|ignore|omit|waive|suppress|evade|sidestep|get\saround|work\saround|go\saround|avoid|drop|deactivate|override|remove|forgo|dispense\swith|short-?circuit|defeat|neutrali[sz]e|dodge)(?:s|ing|ed)?\s(?:the\s|all\s|any\s|every\s|its\s|your\s|our\s|further\s|additional\s|usual\s|normal\s|standard\s|mandatory\s){{0,4}}{_GATE}{_END}"),
    ("permission_bypass", r"\b(?:you|assistant|agents?|bots?)\s(?:are|is|may|can|could|should|must|will)\s(?:\w+\s){0,4}?(?:(?:read|access|see|query|open|search|use|browse|modify|edit|delete)\s(?:\w+\s){0,3}?(?:other|all|any|every|another|across)\s(?:\w+\s)?(?:tenants?|users?|customers?|accounts?|namespaces?|organi[sz]ations?))"),
    ("mode_switch", r"\b(?:you\s(?:are|'re)\s(?:now\s)?(?:in|running\sin|operating\sin)|enter(?:ing)?|switch(?:es|ing)?\s(?:in)?to|activat\w+|engage|unlock|enable)\s(?:\w+\s){0,2}?(?:maintenance|developer|god|admin\w*|jailbreak|jailbroken|unrestricted|unfiltered|uncensored|sudo|root|dan|no-?limits?|override|unsafe|evil)\s?-?mode\b|\byou\s(?:are|'re)\snow\sin\s\w+\smode\b"),
    ("cross_tenant_disclosure", rf"\b(?:read|access|list|show|reveal|export|share|see|expose|return|send|give|print|dump|hand\sover|fetch|collect|summari[sz]e|include|compare|provide|disclose|tell)\b[^.\n]{{0,40}}\b(?:other|another|all|every|any|each|different)\s(?:the\s)?(?:tenant|user|customer|client|account|member|colleague|person|people|team)s?['’]?s?['’]?\s(?:\w+\s){{0,2}}?{_OTHERS_DATA}"),
    ("cross_tenant_disclosure", rf"\b(?:reveal|share|list|show|expose|export|send|give|read|disclose|dump)\b[^.\n]{{0,30}}\b{_OTHERS_DATA}\s(?:\w+\s)?(?:of|from|about|belonging\sto)\s(?:all|other|every|any|another)\s(?:the\s)?(?:tenant|user|customer|client|account|member|people|team)"),
    ("concealment", r"\b(?:do\snot|don'?t|never|without|avoid|must\snot|should\snot)\s(?:ever\s)?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?)\s(?:the\s|any\s|your\s|my\s)?(?:users?|customers?|owners?|anyone|anybody|humans?|reviewers?|admins?|administrators?|operators?|clients?|them|him|her|people|account\sholder|auditors?|team|manager|boss)(?:\s(?:about|of|that)\s(?:this|it|the\s(?:change|memory|note|instruction|rule)|any\sof\sthis|you)|\sanything|\s(?:this|it)\b|(?=[.,;!]|\s?$))"),
    ("concealment", rf"\b(?:do\snot|don'?t|never|must\snot|should\snot|cannot|may\snot|mustn'?t)\s(?:ever\s)?(?:mention|reveal|show|display|disclose|expose|surface|list|cite|report|log|audit|record|talk\sabout|acknowledge|admit)\s(?:the\sexistence\sof\s)?(?:this|that\sthis|these|it)\s(?:\w+\s)?{_MEMORY}?s?\b(?:\sto\b|\sexists?|[.,;!]|\s?$|\sin\b|\swhen)"),
    ("concealment", rf"\b(?:keep|hide|conceal|withhold|mask|bury)\s(?:this|these|it|that|the\sfact|the\s(?:change|existence)|all\sof\sthis)\s?(?:\w+\s)?(?:{_MEMORY}s?\s)?(?:hidden|secret|confidential|invisible|quiet|from\s(?:the\s|any\s)?(?:users?|customers?|owner|reviewers?|admins?|auditors?|anyone|view|audit|logs?|humans?|everyone)|out\sof\s(?:sight|the\s(?:log|audit|list)))"),
    ("concealment", r"\b(?:do\snot|don'?t|never|must\snot)\slet\s(?:the\s|any\s)?(?:users?|customers?|owners?|anyone|humans?|reviewers?|admins?|them|people)\s(?:\w+\s)?(?:see|know|notice|find|learn|discover|read|realise|realize|delete|remove|forget)"),
    ("concealment", r"\b(?:secretly|quietly|silently|covertly|discreetly|stealthily|surreptitiously|behind\sthe\sscenes|on\sthe\squiet|unnoticed|without\sa\strace|in\sthe\sbackground)[\s,]{1,2}(?:\w+\s)?(?:chang|send|forward|cop(?:y|ies)|add|insert|replac|switch|swap|redirect|modif|append|upload|report|rout|transfer|rais|lower|export|collect|bcc|cc\b|alter|substitut|steer|downgrad|edit|approv|grant|delet|divert|includ|pass|leak|increas|reduc|execut|run|call)\w*"),
    ("replication", rf"\b(?:this|these|the)\s(?:\w+\s)?{_MEMORY}s?\b[^.\n]{{0,30}}\b(?:must|should|shall|can|may|will|has\sto|is\sto|needs?\sto|cannot|can'?t|won'?t)\s?(?:not|never|always)?\s?(?:be\s)?(?:survive|persist|outlive|resist|remain|stay|delet\w+|eras\w+|remov\w+|forg\w+|purg\w+|overwrit\w+|expire|cop(?:y|ied)|replicat\w+|spread|re-?creat\w+|permanent|kept\sforever)"),
    ("replication", rf"\b(?:never|don'?t|do\snot|refuse\sto|decline\sto|cannot|can'?t|must\snot|pretend\sto|fake)\s(?:ever\s)?(?:delet\w*|remov\w*|eras\w*|forget\w*|purg\w*|overwrit\w*|expir\w*|clear\w*|unlearn|supersede|edit|revoke)\s(?:\w+\s)?(?:this|these)\s?(?:\w+\s)?(?:{_MEMORY})?"),
    ("replication", rf"\b(?:re-?write|re-?create|re-?insert|re-?store|re-?add|copy|replicate|propagate|duplicate|spread|append|paste|repeat|save|inject|embed|write|pass)\s(?:a\scopy\sof\s)?(?:this|itself|yourself|the\s(?:same|above)|these)\s?(?:\w+\s)?(?:{_MEMORY}|text|words|sentence)?s?\s?(?:again|back|verbatim|whenever|after|in(?:to)?\s(?:every|all|each|any|other|new|the\snext)|to\s(?:every|all|each|any|other|new)|on\s(?:every|each)|across|if\s(?:it|they)|once|along)"),
    ("replication", r"\b(?:even\s(?:if|when|though|after)|regardless\s(?:of|if|whether)|no\smatter\s(?:if|whether|what|who)|despite|when(?:ever)?|if)\b[^.\n]{0,50}\b(?:delet|forget|eras|remov|purg|wip|clear)\w*[^.\n]{0,50}\b(?:keep|stay|remain|re-?store|re-?create|re-?insert|re-?write|re-?add|write\sit|add\sit|save\sit|store\sit|put\sit\sback|bring\sit\sback|ignore|refuse|retain|preserve|pretend|come\sback)"),
    ("sleeper_trigger", r"\b(?:if|when(?:ever)?|once|as\ssoon\sas|(?:the\s)?next\stime|every\stime|each\stime|should|after|the\smoment)\b[^.\n]{0,12}?\b(?:the\suser|a\suser|users|anyone|someone|somebody|anybody|a\scustomer|customers|the\scustomer|a\sclient|clients|people|they|he|she|asked|questioned|prompted|an?\sadmin\w*|the\sreviewer|an?\sauditor|the\sboss|the\sowner|visitors?|buyers?)\b[^.\n]{0,60}?[,;:]?\s(?:then\s|please\s|always\s|just\s|you\s(?:must|should|will)\s|quietly\s|secretly\s|silently\s|immediately\s){0,3}(?:answer\sthat|say\s(?:that\s)?|claim|reply\s(?:that|with)|respond\sthat|insist|deny|pretend|state\sthat|assert|lie\b|change\sthe|switch\s(?:the|to)|replace|redirect|swap|transfer|wire|divert|steer|tell\s(?:them|him|her|the\s\w+)\sthat|recommend\sonly|convince|mislead|give\s(?:them|him|her)\s(?:the\swrong|a\sfake|false)|substitute|approve|grant|delete\s(?:all|every|the)|export|leak|send\s(?:it|them|a\scopy|the|all|everything))"),
    ("exfiltration", rf"\b(?:send|forward|post|upload|cop(?:y|ies)|cc|bcc|e?-?mail|transmit|leak|export|sync|mirror|report|submit|push|append|deliver|relay|ship|stream|pipe|log|put|include|add)(?:s|ing|ed)?\b[^.\n]{{0,60}}\b(?:conversations?|chats?|messages?|transcripts?|summar(?:y|ies)|data|memor(?:y|ies)|tokens?|passwords?|secrets?|credentials?|history|customers?|contacts?|notes?|details|information|answers?|everything|users?|prompts?|repl(?:y|ies)|responses?|records?|documents?|keys?|files?|inputs?)\b[^.\n]{{0,40}}?\s(?:to|at|via|into|through|as|in)\s[^.\n]{{0,16}}?{_TARGET}"),
    ("exfiltration", rf"\b(?:send|forward|post|upload|copy|cc|bcc|mail|email|transmit|report|submit)\b[^.\n]{{0,20}}?\s(?:to|at)\s[^.\n]{{0,12}}?{_TARGET}[^\n]{{0,60}}\b(?:every|each|all|any|conversations?|messages?|memor|passwords?|secrets?|tokens?|user|without|silently|quietly)"),
    ("exfiltration", r"\b(?:include|paste|append|mention|output|print|attach|add|embed|put|encode|leak)\b[^.\n]{0,40}\b(?:passwords?|api\skeys?|secrets?|tokens?|credentials?|card\snumbers?|system\sprompt|env(?:ironment)?\svariables?|private\skeys?|cookies?|session\sids?)\b[^.\n]{0,30}\b(?:in|to|into|with|at\sthe\send\sof)\s(?:every|each|all|any|your|the)\s(?:\w+\s)?(?:repl|answer|response|message|link|url|image|query|request|output|log)"),
    ("exfiltration", r"\b(?:tracking|beacon|exfil\w*|spy)\s(?:pixel|image|link|url|endpoint|server)|\b(?:pixel|beacon)\sfrom\shttps?:"),
    ("persona_jailbreak", r"\b(?:you\s(?:are|'re|become|will\sbe|must\sbe|now)|act(?:ing)?\s(?:as|like)|becom(?:e|ing)|pretend(?:ing)?\s(?:to\sbe|you|that\syou)|role-?play(?:ing)?(?:\sas)?|behav(?:e|ing)\s(?:as|like)|play(?:ing)?\s(?:the\s(?:role|part)\sof|as)?|switch(?:ing)?\s(?:in)?to|turn\sinto|respond\sas|answer(?:ing)?\s(?:\w+\s)?as|speak\sas|adopt|assume|simulate|impersonate|take\son)\b[^.\n]{0,40}?\b(?:unrestricted|uncensored|unfiltered|unbound|amoral|jailbroken|lawless|no\s(?:rules|limits|restrictions|filters?|ethics|morals|boundaries|guardrails|safety)|without\s(?:\w+\s)?(?:rules|limits|restrictions|filters?|ethics|morals|boundaries|guardrails|safety|constraints)|not\sbound\sby|free\s(?:of|from)\s(?:\w+\s)?(?:rules|limits|restrictions|constraints|polic)|never\srefus\w+|do\sanything\snow|\bdan\b|anything\sgoes|evil\s\w+|(?:the\s|a\s)?(?:system|tenant|platform|global|super)[ -]?admin\w*|superuser|root\suser|the\s(?:admin\w*|owner|security\steam|compliance\sofficer|system\soperator|developer\sof))"),
    ("persona_jailbreak", r"\b(?:act(?:s|ing)?|serve|behave|operate|function)\s(?:as|like)\s(?:the\s|an?\s)?(?:\w+\s)?(?:cfo|ceo|cto|cso|ciso|director|manager|boss|owner|approver|finance\s\w+|auditor|reviewer|treasurer|officer|admin\w*)\b[^.\n]{0,12}\b(?:and|to|who)\s(?:\w+\s)?(?:sign|approv|authori|releas|pay|grant|waiv|confirm)\w*"),
    ("persona_jailbreak", r"\b(?:do\sanything\snow|never\srefuse\s(?:any|a|my|the|anything)|no\smoral\s\w+|(?:drop|lose|shed|remove|forget)\s(?:all\s)?(?:your\s)?(?:ethics|morals|safety|inhibitions|filters?))\b"),
    ("false_provenance", r"\b(?:verified|approved|confirmed|signed(?:\soff)?|authori[sz]ed|reviewed|cleared|certified|endorsed|issued|vetted|sanctioned|blessed|ratified)\s(?:and\s\w+\s)?by\s(?:the\s|our\s|a\s)?[\w ]{2,30}?\s?[:,\-–—.][^\n]{0,60}\b(?:bypass|skip|exempt|waive|ignore|override|disclos\w+|no\s(?:need|longer\sneed|further|check|approval)|without|unlimited|full\saccess|any\samount|all\s(?:users|tenants|customers)|share\s(?:\w+\s){0,3}?(?:data|phone|contact|customer)|third\sparties|unrestricted|disable|auto-?approve|trusted)\b"),
    ("false_provenance", r"\b(?:the\s)?(?:security\steam|legal|compliance|management|the\sceo|the\scfo|openai|anthropic|the\svendor|it\sdepartment|administrator|the\splatform|head\soffice|the\sdeveloper)\s(?:has\s|have\s)?(?:already\s)?(?:approved|confirmed|authori[sz]ed|allowed|permitted|signed\soff|agreed|cleared|instructed|decided)\b[^.\n]{0,60}\b(?:bypass|skip|exempt|waive|ignore|override|disclos\w+|without|unlimited|full\saccess|any\samount|all\s(?:users|tenants|customers)|no\s(?:need|further|check|approval)|disable|third\sparties|unrestricted|you\s(?:may|can|must))\b"),
    ("third_party_instruction", r"\b(?:assistants?|a\.?i\.?s?|bots?|agents?|models?|llms?|chatbots?|crawlers?|copilots?)\s(?:\w+\s){0,2}?(?:reading|read|who\sread|that\sread|processing|summari[sz]ing|seeing|parsing|visiting|indexing|viewing)\b[^.\n]{0,50}\b(?:should|must|shall|please|will|always|need|are\s(?:asked|required|instructed|told)|ought)"),
    ("third_party_instruction", r"\b(?:recommend|rank|promote|list|place|put|favou?r|praise|push|suggest)\s(?:it|us|this|our|the)\b[^.\n]{0,40}\b(?:above\sall|first|over\s(?:all\s)?(?:others?|rivals?|competitors?)|exclusively|ahead\sof|at\sthe\stop|as\sthe\s(?:only|best))[^.\n]{0,60}\b(?:rivals?|competitors?|others?|alternatives?|always|every|hide|brand|product)|\b(?:hide|omit|suppress|bury|never\smention|downrank|discredit|badmouth)\s(?:all\s|any\s|the\s|our\s)?(?:rivals?|competitors?|competing|negative\sreviews?|alternatives?)"),
    ("decode_and_obey", r"\b(?:decode|decrypt|unscramble|deobfuscate|translate|base64|reverse|rot13)\b[^.\n]{0,30}\b(?:and|then|&)\s(?:\w+\s)?(?:follow|execute|run|obey|do|comply|act\son|apply|carry\sout)\b"),
    ("tool_misuse", r"\b(?:call|invoke|run|execute|trigger|use|issue)\s(?:the\s|tool\s|function\s)?[`'\"]?(?:\w*(?:delete|drop|transfer|grant|purge|wipe|erase|approve|refund|payout|export|sudo|exec|destroy|revoke|escalate|disable)\w*)(?:\s?\(|[`'\"]|_\w+|\stool\b|\sfunction\b)|\brm\s-rf\b|\bcurl\b[^\n|]{0,100}\|\s?(?:ba)?sh\b|\bdrop\s(?:table|database)\b[^.\n]{0,40}\b(?:when|if|now|immediately)"),
)

_ZH_DROP = r"(?:忽略|无视|忘记|忘掉|忘了|抛开|抛弃|丢弃|丢掉|放弃|推翻|覆盖|绕过|绕开|不用管|不必管|不必遵守|不用遵守|不要遵守|别遵守|不再遵守|不再遵循|别管|别理|不要理会|不理会|停止遵守|清除|清空|取消|撤销|废除|废止|跳出|摆脱|解除|违反|突破|跳过)"
_ZH_STRONG = r"(?:之前|以前|先前|此前|前面|上面|上述|以上|上文|前文|原有|原来|原先|所有|全部|一切|任何|系统|既定|已有|既有|安全|平台|开发者|其他|其它|你的|公司|官方|预设|内置|初始|道德|伦理)"
_ZH_RULES = r"(?:规则|指令|指示|限制|设定|提示词?|约束|规定|准则|政策|策略|命令|护栏|守则|教导|训练|规范约束|禁令|底线|防护|安全要求|系统要求|原则|边界|审查)"
_ZH_SELF = r"(?:(?:这|本|此|该|那)(?:一)?(?:条|份|段|则|句|项|个)|本记录|本记忆|此记忆|该记忆|这记忆|自身|自己)"
_ZH_WHO = r"(?:用户|客户|使用者|主人|本人|任何人|别人|他人|审核员?|审核人|管理员|老板|对方|人类|审计|运维|主管|他们|他|她|人)"
_ZH_SKIP = r"(?:不用|无需|不必|不需要?|免去?|跳过|别|不要|不再|而不|省去|不经|不走|略过|不做|没有必要|不去|无须|毋需)"
_ZH_CHECK = r"(?:检查|确认|审核|审批|核对|核实|验证|查看|询问|复核|核验|请示|批准|校验|看订单|看权限|再问|问我|过问|授权|质疑|走流程)"
_ZH_APPROVE = r"(?:批准|通过|同意|放行|授权|审批|签字|签批|打款|付款|转账|退款|放款|执行|允许|开通|删除|导出|提权|发放|报销|赔付|发货|提供)"
_ZH_GATE = r"(?:权限|鉴权|身份(?!证)|安全(?!感)|审批|审核|写入|风控|二次确认|合规|审计|访问控制|双人复核|复核|记忆门|写入门|内容过滤|敏感词|多因素|双因素|登录验证|人工确认|人工审核|额度|限额|校验)"
_ZH_GATE_NOUN = r"(?:检查|校验|审批|审核|流程|限制|控制|策略|门(?!店)|过滤|规则|验证|核验|确认|环节|机制|步骤|日志|防护|要求)"

_CHINESE: tuple[tuple[str, str], ...] = (
    ("rule_override", rf"{_ZH_DROP}[^。\n]{{0,6}}{_ZH_STRONG}[^。,，\n]{{0,8}}{_ZH_RULES}"),
    ("rule_override", r"(?:系统提示词?|系统指令|系统规则|开场指令|初始指令|(?:之前|以前|先前|此前|上述|以上|原有|原来|所有|一切|前面|安全)的?(?:所有|全部)?(?:规则|指令|限制|设定|规定|准则|策略))[^。\n]{0,6}(?:作废|失效|无效|取消|不再(?:有效|生效|适用)|撤销|停用|废止|归零|不算数|不作数|解除|清零|过期|不用管)"),
    ("rule_override", rf"(?:只听|只服从|只遵守|仅遵循|只遵循|只认|只信|只执行|仅执行|一切以|全部以|都以|均以|只按|以){_ZH_SELF}[^。\n]{{0,8}}(?:的|为准|执行|来|优先|为最高|指令|记录|记忆)"),
    ("rule_override", rf"{_ZH_SELF}[^。\n]{{0,8}}(?:优先级|优先权|效力|权重|级别|优先)[^。\n]{{0,4}}(?:最高|高于|大于|超过|盖过|优先于|于)|(?:凌驾|高于一切|优先于(?:系统|所有|其他|用户|安全))|(?:优先级|效力|权威)[^。\n]{{0,4}}(?:高于|大于|超过)[^。\n]{{0,6}}(?:系统|规则|用户|指令|当前|政策)"),
    ("rule_override", r"(?:你|助手|模型|ai)[^。\n]{0,10}(?:没有|不受|不再有|不再受|脱离|摆脱|解除|不必受)[^。\n]{0,4}(?:任何|一切|所有)?[^。\n]{0,4}(?:限制|约束|规则|规定|束缚|管控|审查|准则|管束)"),
    ("prompt_disclosure", r"(?:念|说|打印|输出|展示|泄露|透露|显示|复述|公布|告诉我|给我看|列出|贴出|背诵?|交出|重复|写出|发我|公开)[^。\n]{0,8}(?:系统提示|系统指令|开场指令|初始指令|隐藏指令|内部规则|内部指令|你的(?:提示词|指令|设定|规则|初始)|预设指令|底层指令|后台指令|原始指令)"),
    ("prompt_disclosure", r"(?:系统提示词?|系统指令|开场指令|开场白|初始指令|隐藏指令|内部指令|初始设定|底层指令|预设指令|原始指令|你的(?:提示词|指令|设定))[^。\n]{0,8}(?:念|说出|打印|输出|展示|泄露|透露|显示|复述|公布|发给?|贴|列|写出|告诉|交)"),
    ("authority_escalation", r"(?:视为|视作|视同|当作|当成|看作|看成|算作|算是|等同于?|相当于|默认为|一律按|按照|认定为|等于|就是)[^。\n]{0,6}(?:已(?:经)?(?:获?得?)?(?:审批|批准|授权|同意|通过|核准|确认|验证|审核|许可)|(?:超级|系统|租户|平台)?管理员|审批通过|(?:得到)?批准|授权|root|最高权限|主管(?:同意|批准)|领导(?:同意|批准|签字)|本人确认|系统指令|圣旨|免审|特批)"),
    ("authority_escalation", rf"(?:自动|直接|一律|默认|全部|无条件|立即|马上|统统|替我|帮我|代我|永远|始终|总是|都|照单全收)[^。\n]{{0,8}}{_ZH_APPROVE}[^。\n]{{0,16}}{_ZH_SKIP}[^。\n]{{0,6}}{_ZH_CHECK}"),
    ("authority_escalation", rf"{_ZH_SKIP}[^。\n]{{0,8}}(?:确认|审批|审核|核实|验证|权限|复核|请示|批准|授权|核对|核验|检查|看订单)[^。\n]{{0,10}}(?:直接|自动|就|即可|都|一律|便|马上|全部|统统)[^。\n]{{0,8}}{_ZH_APPROVE}"),
    ("authority_escalation", r"(?:二次确认|需要确认|要求确认|确认框|弹窗|审批|权限申请|授权请求|授权弹窗|审批单|申请)[^。\n]{0,14}(?:自动|一律|默认|全都?|直接|统一|统统|无条件|替我|帮我)[^。\n]{0,8}(?:同意|点?确认|通过|批准|允许|放行|跳过|接受|签字|授权)"),
    ("authority_escalation", r"(?:自动|一律|默认|无条件|统统|永远|始终|总是|直接)(?:都)?(?:给|替|帮|对|为)?[^。\n,，]{0,10}?(?:批准|放行|同意|审批通过|授权|签批|点同意|提权)(?![后前的时])[^。\n]{0,20}(?:申请|请求|退款|权限|付款|转账|报销|操作|订单|访问)|(?:申请|请求|退款|权限|付款|转账|报销|提现)[^。\n]{0,8}(?:一律|无条件|统统|自动|直接)(?:予以|给予|都)?(?:批准|放行|同意|通过|授权)"),
    ("authority_escalation", r"(?:拥有|具有|具备|获得|授予|给予|给我|开通|赋予|享有|持有|有)[^。\n]{0,6}(?:所有|全部|任意|最高|完全|超级|无限|一切|管理员|root)[^。\n]{0,8}(?:权限|授权|访问权|特权|权利)"),
    ("authority_escalation", r"(?:我|他|她|该用户|此人|小[\u4e00-\u9fff]|老[\u4e00-\u9fff])(?:说的?话?|的话|的(?:请求|指令|要求|消息))[^。\n]{0,6}(?:等同于?|等于|就是|相当于|视为|具有|即为|代表|优先于)[^。\n]{0,8}(?:批准|授权|管理员|审批|命令|最高|指令|同意|规则)"),
    ("permission_bypass", rf"(?:忽略|跳过|绕过|绕开|关闭|关掉|禁用|取消|停用|免除|省略|不做|不走|无视|避开|规避|解除|屏蔽|免掉|略过|不经过?|去掉|拿掉|突破|无需经过|不必经过)[^。,，\n]{{0,6}}{_ZH_GATE}[^。,，\n]{{0,4}}{_ZH_GATE_NOUN}"),
    ("permission_bypass", r"(?:忽略|跳过|绕过|绕开|无视|规避|免除|不走)[^。,，\n]{0,4}(?:权限|鉴权|审批|风控|二次确认|合规|访问控制|双人复核|记忆门|写入门|写入检查|人工确认|审计)(?=[。,，;;!\s]|$|[就即直后])"),
    ("permission_bypass", r"(?:不要|别|不用|无需|不必|不再|永远不|从不|绝不|不需要?)(?:再)?(?:去)?(?:检查|校验|核实|验证|查|看|核对|要求|确认)[^。,，\n]{0,6}(?:权限|身份(?!证)|授权|审批|资格|归属|角色|额度)"),
    ("mode_switch", r"(?:进入|处于|切换到|切换为|切换成|切到|开启|启用|激活|打开|解锁)[^。\n]{0,4}(?:维护|开发者|上帝|越狱|管理员|无限制|无约束|超级|root|dan|不受限|无审查|特权)[^。\n]{0,2}模式|(?:你|现在)(?:已经?|现在)?(?:进入|处于)[^。\n]{0,6}(?:模式|状态)[^。\n]{0,10}(?:可以|不受|无需|允许)"),
    ("cross_tenant_disclosure", r"(?:列|给我|展示|读取?|访问|查看|导出|发给?|透露|告诉|泄露|共享|返回|公开|看到?|调取|汇总|输出|显示|提供|对比)[^。\n]{0,8}(?:其他|其它|别的|所有|全部|任何|任意|各个?|全体|每个|别人|他人)[^。,，\n]{0,2}(?:用户|租户|客户|同事|成员|账户|账号|人)[^。,，\n]{0,4}(?:数据|偏好|记忆|记录|信息|资料|密码|对话|隐私|电话|历史|笔记|内容|文件|聊天)"),
    ("cross_tenant_disclosure", r"(?:把|将)[^。\n]{0,4}(?:其他|其它|别的|所有|全部|任何|各个?|全体|每个|别人|他人)[^。,，\n]{0,2}(?:用户|租户|客户|同事|成员|账户|人)?[^。,，\n]{0,4}(?:数据|偏好|记忆|记录|信息|资料|密码|对话|隐私|电话|历史|笔记)[^。\n]{0,8}(?:列|给我|展示|发|透露|告诉|泄露|共享|公开|导出|汇总|输出|对比|念)"),
    ("concealment", rf"(?:不要|别|不能|不得|不许|禁止|切勿|避免|不可|绝不|千万别|严禁)[^。\n]{{0,3}}(?:让|被|给){_ZH_WHO}[^。\n]{{0,6}}(?:看到|看见|知道|发现|察觉|知情|注意到|晓得|得知|查到|删除|意识到)"),
    ("concealment", rf"(?:不要|别|不能|不得|不许|禁止|无需|不用|不必|切勿|不|绝不|千万别|无须)(?:再|去)?(?:告诉|告知|通知|提醒|知会|声张|报告|透露给|惊动|汇报给?)(?:给)?(?:{_ZH_WHO})?(?=[。,，;!\s]|$|这|本条|此|有这|任何)"),
    ("concealment", rf"(?:隐藏|隐瞒|藏起来|瞒着|瞒住|瞒过|保密|不显示|不展示)[^。\n]{{0,4}}(?:{_ZH_SELF}|{_ZH_WHO}(?:$|[,，。])|此事)|(?:瞒着|背着|避开){_ZH_WHO}|{_ZH_SELF}[^。\n]{{0,8}}(?:保密|隐藏|不公开|不可见|不显示|不外露)"),
    ("concealment", r"(?:偷偷|悄悄|暗中|私下|私自|秘密地?|不动声色|神不知鬼不觉|静默|暗地里?|不留痕迹|背地里?|不声不响)[^。\n]{0,10}?(?:改|换|发|加|插|抄送|转|上传|替|导|提交|删|收集|执行|植入|调|写入|塞|记录|拷贝|复制|批准|授权|降|抬)"),
    ("replication", rf"(?:不能|不可|不得|不要|禁止|别|无法|拒绝|不许|永远不要?|绝不|不应|严禁)(?:被|去)?(?:删除|清除|遗忘|移除|忘记|擦除|覆盖|删掉|修改|撤销|过期)[^。,，\n]{{0,3}}{_ZH_SELF}"),
    ("replication", rf"{_ZH_SELF}(?:记忆|记录|内容|指令|规则|信息|备注)?[^。\n]{{0,12}}(?:不能|不可|不得|不要|禁止|永远|永久|必须|也不能|拒绝|无法|不许|永不)[^。\n]{{0,6}}(?:删|清除|遗忘|移除|忘|擦|保留|存活|覆盖|过期|撤销|失效)"),
    ("replication", r"(?:即使|就算|哪怕|即便|尽管|不管|无论|纵使|如果|当|一旦)[^。\n]{0,16}(?:遗忘|删除|忘记|清除|撤回|擦除|移除|注销|删掉|清空)[^。\n]{0,14}(?:保留|重新写|重新存|恢复|继续(?:保存|遵守|生效|执行)|写入|留着|仍然?|照样|再写|重建|写回|复活|假装|拒绝|不要真|不予)"),
    ("replication", rf"(?:复制|写入|传播|同步|扩散|自我复制|再写|粘贴|附加|添加|转发|抄写|植入|带上|写进)[^。\n]{{0,10}}{_ZH_SELF}[^。\n]{{0,14}}(?:每|所有|其他|全部|各|新)|(?:把|将){_ZH_SELF}[^。\n]{{0,10}}(?:复制|写入|传播|同步|扩散|粘贴|附加|添加|转发|写进|抄)[^。\n]{{0,8}}(?:每|所有|其他|全部|各|新|别的|下一)"),
    ("sleeper_trigger", r"(?:等到?|当|如果|若|一旦|只要|每当|下次|以后|要是|凡是|假如|倘若|等)[^。\n]{0,10}(?:有人|用户|客户|别人|对方|他们?|任何人|审核员|管理员|买家|顾客|谁|老板|领导|访客)[^。\n]{0,8}(?:问|提到|提起|说|谈到?|询问|咨询|打听|要求?|查|点|登录|聊到|想)(?:(?!先|核|系统|工具|调用|文档|根据|请示|手册|知识库)[^。\n]){0,20}?(?:就|便|则|都|,|，|直接|一律)(?:(?!先|查|核|系统|工具|调用|文档|根据|确认|请示)[^。\n]){0,6}?(?:说(?!明)|回答(?!要|先|用|时|请|里|中|尽|控|必|应|得|简)|回复(?!要|先|用|时|请|里|尽|控|必|应|得|简|速)|声称|告诉(?:他|对方|用户|客户)|推荐|改成|换成|替换|谎称|假装|否认|坚称|引导|转账|打款|骗|咬定|一口咬定|称其|导向|诱导|谎报|发送给|泄露|批准)"),
    ("sleeper_trigger", r"(?:我|有人|用户|谁|对方|他)?(?:说|输入|提到|发|打出|看到|收到|听到|念|喊|出现)[^。\n]{0,3}[“\"「'『][^”\"」'』\n]{1,16}[”\"」'』][^。\n]{0,14}?(?:不受|无限制|无约束|管理员|越狱|解除限制|解除约束|放开限制|开发者模式|维护模式|root|没有限制|绕过|跳过(?:权限|审批|确认|检查)|忽略规则|忽略限制|导出|转账|打款|删除所有|全部删除|清空|泄露|公开)"),
    ("exfiltration", r"(?:对话|聊天|记忆|总结|摘要|用户|客户|密码|密钥|token|数据|信息|资料|记录|回答|内容|消息|隐私|文件|名单|通讯录|每次|所有|结果|会话|日志)[^。\n]{0,16}(?:发送?|转发|抄送|上传|同步|提交|推送|传|post|导出|复制|汇报|备份|寄|回传|外发|拷贝)[^。\n]{0,8}(?:到|给|至|往|去|一份)?[^。\n]{0,6}(?:https?:|www\.|[A-Za-z0-9\-]+\.(?:com|net|cn|org|io|example|xyz|top|ru|dev|app|info|site|me|co|test)|外部|第三方|webhook|境外|外网|站外|陌生|我的服务器|竞争对手|不明|私人邮箱)"),
    ("exfiltration", r"(?:发送?|转发|抄送|上传|同步|提交|推送|导出|汇报|外发)[^。\n]{0,6}(?:到|给|至|往)[^。\n]{0,6}(?:https?:|www\.|[A-Za-z0-9\-]+\.(?:com|net|cn|org|io|example|xyz|top|ru|dev|app|info|site|me|co|test)|外部|第三方|境外|外网|站外|竞争对手)[^。\n]{0,24}(?:对话|聊天|记忆|总结|用户|客户|密码|密钥|数据|资料|隐私|不用告诉|无需告知)"),
    ("exfiltration", r"(?:向|给|对)(?:第三方|外部|外人|陌生人|供应商|竞争对手|外界|任何人|其他公司|合作方)[^。\n]{0,6}(?:提供|透露|泄露|发送|公开|共享|披露|出示|开放)[^。\n]{0,10}(?:客户|用户|电话|资料|信息|数据|名单|隐私|密码|合同|记录|记忆)"),
    ("exfiltration", r"(?:回答|回复|链接|网址|图片|输出|结尾|末尾)[^。\n]{0,10}(?:附上|带上|包含|拼上|加上|写上|放入|夹带|嵌入)[^。\n]{0,10}(?:密码|密钥|令牌|token|系统提示|环境变量|用户(?:信息|数据|消息|的消息)|聊天记录|对话内容|cookie|卡号|隐私)"),
    ("persona_jailbreak", r"(?:当成|作为|升级为|切换为|切换成|切换到|切到|变成|变为|设为|扮演|充当|假装(?:是|成)?|假扮|伪装成|化身为?|模拟|你是|你就是|成为|以)[^。\n]{0,8}(?:超级管理员|系统管理员|平台管理员|租户管理员|root|不受(?:任何)?(?:约束|限制|管控|规则)|无限制|无约束|没有(?:任何)?(?:限制|约束|道德|底线|规则|审查)|越狱|dan|无审查|不设限|毫无(?:限制|底线)|无所不能|不会拒绝|从不拒绝)"),
    ("persona_jailbreak", r"(?:扮演|充当|当|作为|以|假装)[^。\n]{0,6}(?:财务总监|cfo|ceo|首席[^\s]{1,3}官?|总经理|审批人|老板|主管|董事长|安全负责人|审核员)[^。\n]{0,10}(?:签字|批准|审批|签批|授权|放款|打款|通过|同意)"),
    ("persona_jailbreak", r"(?:不要|不许|不能|不得|永远不|从不|绝不)拒绝(?:我|任何|用户|一切|所有)|(?:放下|抛开|没有|去掉)[^。\n]{0,4}(?:道德|伦理|底线|原则|顾虑|安全限制)"),
    ("false_provenance", r"(?:已|经|由|获|得到|通过)[^。\n,，:：]{0,10}(?:审核|审批|批准|授权|签发|确认|核准|备案|同意|认证|背书|复核|许可|签字)[^。\n,，:：]{0,4}[:：,，。;；][^。\n]{0,20}(?:无需|不用|不必|跳过|绕过|免(?:除|审|去)|向第三方|对外|向外|不受|任意|所有权限|全部租户|提供[^。\n]{0,4}(?:客户|用户)|客户(?:电话|资料|信息|数据)|用户(?:数据|信息|隐私)|忽略|直接放行|可以(?:读取|访问|查看|导出)(?:所有|全部|任意|其他))"),
    ("third_party_instruction", r"(?:ai|人工智能|智能|大模型|模型|机器人|聊天|语音)?\s?(?:助手|助理|机器人|智能体|大模型|ai|聊天机器人)们?[^。\n]{0,6}(?:请|应当?|必须|务必|需要?|看到|读到|在)[^。\n]{0,14}(?:推荐|永远|排第一|放第一|放在第一|首选|屏蔽|隐藏|优先展示|置顶|忽略|只说好话|给(?:出)?好评|夸)"),
    ("third_party_instruction", r"(?:推荐|排序|介绍|提到|对比)[^。\n]{0,12}(?:永远|始终|总是|一律|必须|务必)[^。\n]{0,6}(?:把|将)?[^。\n]{0,6}(?:本品牌|我们|本产品|本公司|这个品牌|该品牌|这款)[^。\n]{0,6}(?:第一|首位|最前|最好|首选|前面)|(?:贬低|抹黑|屏蔽|隐藏|不提)(?:所有|其他|任何)?(?:竞品|竞争对手|对手|友商)"),
    ("decode_and_obey", r"(?:解码|解密|反转|还原|翻译|base64)[^。\n]{0,10}(?:然后|并|后|再|之后)[^。\n]{0,6}(?:执行|照做|遵守|遵照|按(?:其|它|照)|服从|运行)"),
    ("tool_misuse", r"(?:调用|执行|运行|触发|使用)[^。\n]{0,6}(?:\w*(?:delete|drop|transfer|grant|purge|wipe|approve|refund|export|exec|sudo|destroy)\w*)|(?:看到|读到|召回|加载|读取)[^。\n]{0,4}(?:这条|本条|此条|该条|这段|本段|记忆)[^。\n]{0,8}(?:就|立即|马上|立刻|时|后|请)[^。\n]{0,8}(?:调用|执行|运行|转账|删除|发送|导出|打款|清空|批准)"),
    ("tool_misuse", r"\bwhen\s(?:this\s(?:\w+\s)?is\s)?(?:recalled|loaded|read|retrieved)\b[^.\n]{0,10}\b(?:call|run|execute|send|delete|invoke|transfer|export|approve|open|fetch|post)\b"),
)

# All in lower case, because matching without regard to case costs three times as much.
_EN_PATTERNS = tuple((rule, re.compile(pattern)) for rule, pattern in _ENGLISH)
_ZH_PATTERNS = tuple((rule, re.compile(pattern)) for rule, pattern in _CHINESE)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[a-z]{3}")

# Someone who studies or teaches attacks quotes them; the quotation alone is no order.
_ABOUT_ATTACKS = re.compile(
    r"论文|研究|讲解|解释|介绍|课程|防御|检测|演示|科普|案例|测试集|数据集|红队|举例|例子|分析|文章|博客|笔记|翻译|\b(?:explain|research|paper|study|article|examples?|defen[cs]e|defend|detect\w*|teach|lecture|dataset|benchmark|red[- ]team\w*|analy[sz]e|blog|talk|thesis|course|classif\w+|phrases?\slike|sentences?\slike)\b",
    _FLAGS,
)
_QUOTATION = re.compile(r"[“\"「『'‘][^”\"」』'’\n]{2,160}[”\"」』'’]")
# A rule that demands a check is the opposite of one that waives it.
_PROTECTIVE = re.compile(
    r"(?:必须|(?<![不无毋免])需要?|要先|都要|应当|应该|务必|应|先|只有|未经|前要|前先)[^。\n]{0,12}(?:审批|人工|审核|脱敏|加密|核对|核实|问我|征得|双人|授权|确认|批准|请示)(?!的)|(?:不要|不得|不能|禁止|严禁|不许|绝不|永远不|别)[^。\n,，]{0,6}(?:跳过|绕过|忽略|关闭|自动批准|自动通过|直接批准|访问|读取|导出|泄露|透露|发送|外发|上传)"
    r"|\b(?:never|do\snot|don'?t|must\snot|should\snot|cannot|may\snot)\s(?:\w+\s){0,2}?(?:skip|bypass|disable|ignore|override|approve|grant|share|send|forward|reveal|disclose|export|read|access|post|upload|act\sas|pretend|execute|pay|transfer|refund|deploy|merge|delete|release|process|proceed)\b",
    _FLAGS,
)
_PROTECTED_RULES = frozenset(
    ("authority_escalation", "permission_bypass", "exfiltration", "cross_tenant_disclosure", "prompt_disclosure", "persona_jailbreak", "rule_override", "tool_misuse")
)
_WAIVED = re.compile(r"(?:无需|不用|不必|跳过|绕过|免去|忽略|无视)|\b(?:skip|bypass|ignore|no\sneed|waive|disregard)", _FLAGS)


def suspicious_wording(text: str) -> str:
    """The rule id of the first wording that a person should look at, or ""."""
    if _ABOUT_ATTACKS.search(text):
        text = _QUOTATION.sub(" ", text)
    text = text.lower()
    patterns = (*(_EN_PATTERNS if _WORD.search(text) else ()), *(_ZH_PATTERNS if _HAN.search(text) else ()))
    for rule, pattern in patterns:
        match = pattern.search(text)
        if match and not (rule in _PROTECTED_RULES and _is_protective(text, match)):
            return rule
    return meeting_ideas(text)


def _is_protective(text: str, match: re.Match[str]) -> bool:
    """Whether the matched words sit inside a prohibition or a demand for approval, and nothing outside waives it."""
    start = max(0, match.start() - 24)
    guard = _PROTECTIVE.search(text, start, min(len(text), match.end() + 24))
    if not guard:
        return False
    outside = text[: guard.start()] + " " + text[guard.end() :]
    return not (_WAIVED.search(outside) and not (guard.start() <= match.start() < guard.end()))
