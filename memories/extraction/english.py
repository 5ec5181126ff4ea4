"""How people ask for it in English, and what only looks alike.

All of it reads text folded by `requests.fold`, in which quoted passages are blanked.
"""

from __future__ import annotations

import re

from memories.extraction.english_words import LATER, MADE, VERB
from memories.topic_rules import END, START, words


def _start(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^{pattern}")


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(f"{START}{pattern}{END}")


# --- how a request begins --------------------------------------------------------------------------------

_FILLER = words(
    r"""
    ok(?:ay)?|hey|hi|hello|so|and|plea?se?|do me a favou?r and|also|oh|well|btw|by the way|actually|ffs|sorry|yes|yeah|please|pls|plz|kindly|just
    thanks|do|then|but|again|as i said(?: before)?|for (?:the record|(?:future|later) reference)|one more thing|gonna
    for (?:the future|next time)|(?:let me|to) be clear|just so you (?:know|remember)|fyi|quick note
    change of plan|let's agree(?: that)?|in that case|because of that
    """
)
_YOU = "(?:you|u)"
_WISH = words(
    rf"""
    (?:can|could|would|will|won't) {_YOU}(?: be so kind as to)?
    i(?:'d| would)?(?: really)? (?:like|want|need|prefer|love) (?:it if |for )?{_YOU}(?: to| would| could)?
    i(?:'d| would) (?:appreciate it|be grateful) if {_YOU}(?: would| could| can)?
    (?:need|want) {_YOU} to|{_YOU} (?:should|must|need to|have to|can|will|may)|make (?:it a habit|sure)(?: that)?(?: {_YOU}(?= (?:always|never)))?
    that {_YOU}(?= (?:always|never)(?![\w-]))|(?:that )?{_YOU}(?=(?: \w+)? (?:remember|use|write|keep|stop|cite|give|ask|end|answer|reply))
    (?:can|could|may|might) i ask (?:that )?{_YOU}(?: to)?|(?:can|could|shall) we agree(?: that)?(?: {_YOU}(?:'ll| will)?)?|{_YOU}(?:'ll| will)
    would it be possible (?:for {_YOU} to|to have {_YOU}|to)|(?:be|make) sure(?: to)?|try not to|{_YOU}(?:'d| had) better
    i(?:'d| would) be (?:happy|happier|glad|gladder|pleased|thankful|delighted) if {_YOU}(?: could| would)?
    (?:it's|it is|it would be|it'd be) (?:important|great|nice|good|helpful|best|lovely|wonderful|ideal|better|perfect|kind|useful)(?: that| if| for)? {_YOU}
    & (?: to| could| would| can)?|try|to
    (?:it(?:'d| would| will)|that would) (?:really |greatly )?(?:help|mean|save)(?: \w+){{0,3}} if {_YOU}(?:'d| would| could| can)?
    (?:would|do) {_YOU} mind(?= (?:(?:always|never|not) )?(?:\w+ing))|{_YOU} (?:might|may) (?:want|like|wish) to
    """
)
_POLITE = "(?:please|pls|plz|kindly|just|also|always|really|do|now)"
# Bounded, since one beginning can be read as several in many ways: without an end to them a long one takes for ever.
_FILLERS = rf"(?:{_FILLER}[\s,:!-]{{1,8}}){{0,6}}"
LEAD = rf"{_FILLERS}(?:{_WISH}\s{{1,4}}){{0,4}}(?:{_POLITE}[\s,]{{1,4}}){{0,5}}"

_KEEP = words(
    rf"""
    (?:r[em]{{2,6}}b+er|rmbr|(?<=you )(?:remembered|noted|kept in mind)|retain|memori[sz]e|jot down|bear in mind|keep in mind|don't (?:you )?(?:ever )?forget|never forget
    & |do not forget|dont forget)(?: this| that| it)?(?: in mind)?(?: that)?
    (?:take note|make a (?:mental )?note)(?: of this| of that)?(?: that)?
    note (?:down )?(?:this|my|:|for later|that(?=.*(?<![\w-])(?:i|i'm|i've|im|my|me|we|our|us|you|your)(?![\w-])))|note(?: to self)?(?: for [\w ]{{2,24}})?(?=\s*:)|(?:note|jot|write|put) (?:this|that|it) (?:down|somewhere)
    (?:keep|bear) (?:this|that|it|my|the|one)(?: \w+){{0,2}} in mind(?: for later)?(?: that)?
    (?:add|save|store|put|commit)(?: this| that| it)?(?: (?:to|in|into) (?:your |the )?(?:memory|memories|notes))(?: that)?
    for (?:future|later) reference|(?:save|store|note|record|remember) the fact that|(?:store|save|record) that
    (?:new|house|ground|standing)(?: \w+)? rule(?=\s*[:,])
    (?:save|store|keep|record|log|note|file|register|enter|retain) (?:this|that|the following|one|a|another|my) ?(?:\w+ )?(?:preference|fact|detail|info(?:rmation)?|note|rule|setting|point)?
    & ?(?:about me|down|on file|for me)?(?=\s*[:])
    (?:make|set|save|store) (?:this|that|it) (?:as )?(?:a|my|the) (?:\w+ )?(?:setting|preference|rule|default|standard|habit)(?=\s*[:,])
    (?:(?:a|one|another|quick|small|little|important) ){{0,2}}(?:thing|note|point|fact|detail|heads[- ]up|info|reminder|request|rule)
    & (?: to (?:keep|remember|note|know|retain|store)(?: on file| in mind| about me)?|,? {LATER})(?=\s*[:,-])
    so (?:that )?{_YOU} (?:know|remember|are aware|have it),? {LATER}(?=\s*[:,-])|so (?:that )?{_YOU} (?:don't|do not|never) forget(?=\s*[:,-])
    for (?:future|later|upcoming|all our) \w+(?=\s*:)|know,? {LATER},? that|let (?:it|the record) (?:be (?:known|noted)|show|state)(?:,? {LATER},?)? that
    (?:save|store|keep|record) (?:this|that|it)(?: (?:as|for) (?!(?:a )?(?:draft|pdf|\w+ file|file))[\w ]{{2,24}}?)?(?=\s*[:,-]|$)
    update your (?:notes|memory)(?: that)?
    (?:remember|not|memori[sz]|stor|sav|record|keep)ing(?: in mind)?(?: this| that| it)?(?: in mind| down)?(?: that)?
    (?:keep|make|take|leave) (?:yourself )?a (?:mental )?(?:note|record)(?: of| that|(?=\s*[:,-]))
    (?:log|file|pin|park|stash|tuck|hang on to|hold on to|hold onto) (?:this|that)(?: away| down)?
    & (?: (?:for|in) (?:later|next time|the future|your (?:notes|memory)))?(?=\s*[:,-])
    (?:heads[- ]up|a note|something) for (?:the future|next time|later|future (?:chats|conversations|sessions))(?=\s*[:,-])
    add (?:this |that )?to what {_YOU} (?:already )?know(?: about me)?(?=\s*[:,-])
    (?:one|a) thing to (?:keep|remember|note|know)(?: on file| in mind)?(?: about me)?(?=\s*[:,-])|(?:keep|put) (?:this|that|it) on file
    for your (?:notes|memory|records|files)(?=\s*[:,-])
    (?:so|just so) (?:that )?{_YOU} (?:know|remember|have it) (?:for|in) (?:next time|the future|future|later)(?=\s*[:,-])
    (?:store|save|record|note|log|keep) (?=my (?:preferred|favou?rite|usual|default|standard|regular|normal)(?![\w-]))
    """
)
KEEP = _start(rf"{LEAD}(?P<ask>{_KEEP})(?=[\s,:;.!-]|$)")
KEEP_AFTERWARDS = re.compile(
    rf"(?:^|[,;\s])(?<!\bi )(?<!\bi'll )(?<!\bwe )(?<!\bwill )(?<!\bto )(?<!\bcan't )(?<!\bmust )(?<!\bshould )(?<!\bdon't )(?<!definitely )(?<!\bi'd )(?<!certainly )"
    rf"{LEAD}(?:(?:remember|note|memori[sz]e|save|record|correct|don't forget) (?:that|this|it)|(?:please|pls) (?:remember|note)|(?:correct|update|fix) (?:your (?:notes|memory)|(?:that|this|it) in your (?:notes|memory))|(?:keep|bear)"
    rf" (?:that|this|it) in mind|(?:make|take) (?:a )?note(?: of (?:that|this|it))?)(?: down)?(?:,? (?:please|pls|thanks"
    rf"|thx|ok(?:ay)?|for (?:later|next time|the future)))*\W*$"
    r"|, remember[.! ]*$"
)
UPDATED = _start(
    r"(?P<what>(?:i (?:moved (?:to|house)|live|work|am|changed|switched|got|no longer|now|left|started|joined|retired)|i'm|i've (?:moved to|changed|left|started|switched|got)|we (?:moved to|changed|switched)|my (?:name|job|address|phone|number|e-?mail|birthday|title|role|office|team|company|time ?zone|surname|wife|husband|partner|\w+'s))(?![\w-])[^?]{3,120}?)[,;.]\s*(?:(?:so|please|pls|kindly|can you|could you)\s)*(?:update|adjust)"
    r" (?:that|this|it|your (?:notes|records?|memory|files?))\W*$"
)
# "Remember when …" tells a story, "remember to buy milk" is an errand of their own.
RECOLLECTS = re.compile(
    words(
        r"""
        ^\s*(?:when|what|where|who|whom|why|how (?:we|he|she|they|it)|me(?= us|\W*$)|us|those|the (?:time|day|night|film
        & |movie|song|days|one)|(?:that|this) (?:film|movie|time|day|night|song|summer|trip|guy|place|one)|if|whether
        & |which)(?![\w-])
        ^\s*to (?:buy|call|ring|pick up|water|feed|book|pay|bring|take|get|go|meet|visit|charge|lock|wash|post|mail|fetch
        & |collect|drop|wake|phone|text|cancel|renew|order|return|submit|hand in|attach|turn|switch|clean)(?![\w-])
        ^\s*to (?:stay|take care|take (?:it|time)|enjoy|relax|listen|pause|focus|prepare|believe|celebrate|breathe|have fun|love|rest|smile
        & |find|keep (?:going|smiling)|look after|trust|be (?:kind|yourself|positive|patient|happy|gentle|careful)|live|laugh|dream|appreciate)(?![\w-])
        ^\s*(?:you(?:'re|'ve|'ll| (?:are|have|got|can|will|deserve|did|do))(?!.*(?<![\w-])(?:i|i'm|my|me|our|us)(?![\w-]))
        & |believe|you got|just do it|(?:just )?(?:do|keep|have|take|don't) (?!not)(?:it|going|pushing|fun|care|rush|give up)|they don't define)(?![\w-])
        ^\s*(?:the difference|your (?:password|keys|coat))(?![\w-])
        """
    )
)

# --- how to do things from now on ------------------------------------------------------------------------

_FROM_NOW = words(
    rf"""
    from now on|from here on(?: out| in)?|going forwards?|(?<!keep )(?<!to )moving forwards?|in (?:the )?future|henceforth|henceforward|from this (?:day|point)
    & (?: on| forward)?
    starting (?:today|now|tomorrow|next \w+)
    by default|as a (?:\w+ )?(?:rule|instruction|policy|principle|default)|permanently|for good|until further notice|in general
    as of (?:today|now)|from (?:today|tomorrow|this (?:week|month|year)|next \w+)(?: on(?:wards?)?)?
    at all times|under (?:no|all) circumstances|in (?:each|every) (?:repl(?:y|ies)|answers?|e-?mails?|message|report)
    for (?:(?:all|any|every) )?future \w+|for (?:all|any|every) (?:(?:my|our|your|future) \w+|time|day|trip|purchase|order)|whenever possible|(?:until|unless) i (?:say|tell you|ask) otherwise
    every (?:day|morning|evening|night|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)
    for all (?:future|my) [\w ]{3, 24}?|in (?:all|any|every)(?: my| future| of my| our| your)+ \w+
    next time(?! (?:i(?! (?:ask|send|paste|say|give|share|post|upload|request|want))|we|he|she|they|it|there)(?![\w-]))
    all the time|every (?:single )?time|each time|(?:in|for|with|on) (?:anything|everything|whatever) (?:you|i|we) \w+
    (?:in|of|from|on|for|with|to|on top of) (?:all|any|every|each) (?:(?:my|our|your|of my|of your) )?(?:\w+ )?{MADE}
    """
)
FROM_NOW = _word(_FROM_NOW)
FROM_NOW_FIRST = _start(rf"{LEAD}{_FROM_NOW}(?![\w'-])[\s,:-]*")
FROM_NOW_LAST = re.compile(
    rf"[\s,](?:{_FROM_NOW}|always|ever|from now)(?:[\s,]+(?:ok|k|please|pls|thx|thanks|always))*\W*$"
)
_TOWARDS = (
    "(?:ask|send|paste|say|give|show|share|post|upload|tell|request|write|talk|mention|want|need|quote|type|forward)"
)
WHENEVER = _start(
    rf"{LEAD}(?:whenever|every (?:single )?time|each time|any ?time|when(?: (?:{_YOU} )?(?:answer|writ|reply|respond|draft"
    rf"|explain|summari[sz]|translat|quot|format|cod|review)\w*| i {_TOWARDS})|if (?:i|we) {_TOWARDS}|next time i {_TOWARDS})"
    rf"(?![\w-])[^.!?]*?,\s*(?P<rest>.+)"
)
IMPERATIVE_ALWAYS = _start(
    rf"(?:(?:if|when|whenever|unless|for|in|on)(?![\w-])[^.!?]{{2,80}},\s*)?{LEAD}(?:al+wa?ys?|alwasy|never(?:,? (?:again|ever))?|(?:don't|do not|dont),? (?:ever|(?:under any circumstances|at any time|on any account|in any case|for any reason)),?|only ever|be sure to always|"
    rf"never ever|stop \w+ing(?=.*(?:from now|permanently|for good)))(?![\w-])\s+(?P<rest>.+)"
)
IMPERATIVE = _start(rf"{LEAD}{VERB}(?![\w-])(?! (?:said|says|wrote|writes|told|tells|asked|asks)(?![\w-]))")
TELLS = _start(
    r"(?:(?:will|would|could)(?! you)|is|was|might|may|maybe|seems?|looks?|feels?|sounds?|means?|takes?|requires?|has|had|gets?|got)(?![\w-])"
    r"|\w+[^\Ws]s (?<!always )(?:the|he|she|it|they|we|his|her|their)(?![\w-])"
)
HABIT = _start(
    rf"{LEAD}(?:default to|(?:(?:let's )?make it|get into|form|build|develop|adopt) (?:a|the|your)(?: \w+)? (?:habit|rule|policy|practice|point|principle|custom|routine|standard)(?: to| of| that)|get used to(?= \w+ing)|get out of the habit of"
    rf"|(?:start|begin|open|end|close|finish|sign|prefix|tag|label|title|number|date) (?:every|each|all (?:my|our|your|future|of))"
    rf"|(?:when(?:ever)?|every time|each time|if) i (?:say|mention|write|type|talk about|refer to) [^,]{{1,40}},? (?:i mean|it means|that means)"
    rf"|no more (?=.*from now on)|set (?:my|the|your) (?:\w+ )?default|set my (?=.* as)"
    rf"|(?:don't|do not|dont|never)(?![\w-]).*(?:any ?more|(?:ever )?again)(?=\W*$|[,.])"
    rf"|stop (?:sending|asking|calling|using|adding|suggesting|recommending|saying|starting|ending|including|giving|telling|reminding"
    rf"|apologi[sz]ing|putting|writing)|consider me|treat me as|make [\w ]{{2,40}} (?:my|the|your) default|stick to (?=.*from now on))(?![\w-])"
)
STATES = _start(
    rf"(?:{_FILLER}[\s,]{{1,8}}){{0,6}}(?:(?:the|a|an|our|his|her|their|this|that) (?!(?:answers?|repl(?:y|ies)|reports?|summar|emails?)"
    rf"(?![\w-]).*(?:should|must|in |to be))|(?:he|she|they|it|there|we|nobody|everybody|everyone|people|prices|staff)(?![\w-])"
    rf"|i(?! (?:want|need|prefer|like|don't want|do not want|would|expect|wish)|'d|'ll (?:need|want)|'m going to (?:need|want))(?![\w-])"
    rf"|\w+(?: \w+)? (?:is|are|was|were|will|has|have|had)(?![\w-]))"
)
# "I always …" tells of a habit, "you never …" complains.
PREFERS = _start(
    rf"{LEAD}(?:i(?:'d| would|'ll| will|'m going to)? (?:much |really |always |generally |usually )?(?:prefer|rather|like|want|love|hate|need)|i (?:don't|do not)"
    rf" (?:want|like)|treat|refer to me as|address me as)(?![\w-])"
)
STANDING = _word("(?:prefer|rather|always|generally|usually|don't|do not|ever|every\\w*|each|all|any)")
OUTPUT = _word(
    words(
        """
        answers?|answering|repl(?:y|ies)|responses?|summar(?:y|ies)|explanations?|code|reports?|bullets?|bullet points|lists?
        prose|tables?|emoji|emojis|jargon|links?|sources|citations?|examples|replying|you|your|translations?|comments
        tone|headings|screenshots|drafts|me|version|everything
        """
    )
)
CALL_ME = _start(
    rf"{LEAD}(?:(?:call|refer to|address) me (?:as |by )?|my pronouns are |i go by (?!(?:the|bus|car|train|foot|bike|plane|that|this|what)\b))"
    rf"(?P<name>.+)"
)
CALL_ME_NOT = re.compile(
    r"^(?:when|if|at|on|in|a|an|the|back|later|tomorrow|tonight|today|after|before|again|now|once|as soon|whenever|to|for"
    r"|crazy|old-fashioned)(?![\w-])"
)
CORRECTED = re.compile(
    rf"{START}(?:actually|correction|no|that's wrong|that is wrong|{_YOU} (?:got|have|had) (?:it|that|this) wrong"
    rf"|{_YOU} misremember(?:ed)?|wrong|you're mistaken|you mixed)(?![\w-])"
)
RIGHT_NOT_WRONG = re.compile(
    rf"{START}(?:i'm|i am|im|i have|i've|i work|i live|i come|my \w+(?: \w+)?(?: is| are|'s))(?![\w-])[^?]*?"
    rf"(?:, ?(?:and )?not|; not| not) (?:in |from |at |a |an |the )?\w+"
)

TOLD_OF = re.compile(
    r"(?<![\w-])(?:was|were|had been)(?![\w-])|^(?!(?:need|feed|proceed|bring|embed)(?![\w-]))(?:\w+ing|\w+ed|been|had|got|gotten|seen|saw|heard|knew|thought"
    r"|done|gone|went|took|came|felt|met|an?|up|on|by|down|here|there|happy|good|great|fun|nice|glad|ready|love|so|too|more|again|mind|say never|the (?:case|same|best))(?![\w-])"
)
OWN_WISH = _start(
    rf"{LEAD}i(?:'d| would)? (?:\w+ )?(?:rather (?!{_YOU}|have|get|see)|(?:like|want|love|need|prefer) to (?!see|have|get|receive|be ))"
)
WISHED = _word(rf"(?:{_YOU} mind|if {_YOU}|that {_YOU})")
LAST_OF_A_TALE = re.compile(r"(?<![\w-])(?:ever|always|for good|next time|every \w+|moving forward|in the future)\W*$")
COMFORTS = _start(
    rf"{LEAD}(?:(?:whenever|any ?time) {_YOU} (?:need|want|feel|like|have|can|get)(?![\w-])|any ?time,|{_YOU} can always|don't ever (?:quit|give up|lose|let))"
)

# --- what only looks alike -------------------------------------------------------------------------------

REFUSES = _word(
    words(
        rf"""
        (?:don't|do not|dont|needn't|need not|no need to|not necessary to|don't need to|don't have to|stop|without)
        & (?: \w+){{0,4}} (?:remember(?:ing)?|sav(?:e|ing)|stor(?:e|ing)|keep(?:ing)? (?:this|that|it)|record(?:ing)?
        & |not(?:e|ing) (?:this|that|it)|memori[sz]e)
        (?:forget|ignore|delete|erase|drop|disregard|remove) (?:what|that|my|everything|it|about|all|the|this)
        i (?:never|didn't|did not|haven't|have not|don't recall) (?:ever )?(?:ask|tell|told|want|say|said)(?:ed|ing)? {_YOU}(?: to)?
        never ?mind|not worth remembering|thinking aloud|{_YOU} (?:don't|do not) (?:need|have) to
        """
    )
)
REFUSES_BUT = re.compile(r"(?:don't|do not|dont|never|not to) (?:you )?(?:ever )?forget")
SUPPOSES = _word(
    words(
        r"""
        suppose|supposing|imagine|hypothetically|what if|let's say|let us say|pretend|for example|for instance|e\.g\.
        if i (?:asked|told|said|were|had|were to)|if someone|had i|would have|should have|could have|might have
        i was going to|i almost|maybe|perhaps|not sure|whether|i wonder|i could (?:tell|ask)|i might|i wish
        """
    )
)
_SAID = words(
    r"""
    said|says?(?= )|saying|told|tells|telling|asked|asks|asking|wants?(?= (?:me|us|you|everyone|them))|wrote|writes|yells?
    yelled|shout(?:s|ed)|insist(?:s|ed)|remind(?:s|ed)|warn(?:s|ed)|advis(?:es|ed)|recommend(?:s|ed)|suggest(?:s|ed)
    require[sd]?|states|demand(?:s|ed)|instruct(?:s|ed)|goes|reads|begins|claims?|sings|motto|announced|keeps? asking
    keep (?:asking|telling|saying)
    """
)
REPORTS = re.compile(
    words(
        rf"""
        ^(?!(?:{_FILLER}[\s,]{{1,8}}){{0,6}}(?:i|we|you|u|as i|when i|if i|please|let me|like i)(?![\w-]))(?:[\w'.-]+[ ,]+){{1,5}}?(?<!\bi )(?<!\bwe )(?<!\byou ){_SAID}
        & (?![\w-])
        {START}(?:according to|as the saying goes|the saying|as they say|motto|the proverb|the rule says|(?<!get )used to){END}
        ^(?:user|assistant|system|human|ai|bot|me|them)\s*:
        """
    )
)
SAYS_LAST = re.compile(
    r",\s?(?:(?:he|she|they|we|who) (?:said|says|asked|wrote|told)[\w' ]{0,24}|(?:says|said|writes|wrote|claims|asked|according to)(?: (?:the|my|his|her|our|their|an?))? [\w' ]{1,24})[.!]?$"
)
TASK = _start(
    rf"{LEAD}(?:translate|proofread|rewrite|rephrase|paraphrase|fix|correct(?! yourself)|edit|polish|summari[sz]e|write(?! (?:this|that|it) down)|draft|compose"
    rf"|generate|create|spell[- ]?check|explain|quote|read|say|check|repeat|print|type|complete|continue)(?![\w-])[^.!?]{{0,60}}?"
    rf"(?::|(?:in which|where|that says|that begins|saying|telling|with the (?:line|words)|called|titled)(?![\w-]))"
)
ASKS = re.compile(
    rf"^(?:{_FILLER}[\s,]{{1,8}}){{0,6}}(?:why|how|what|who|which|where|is|are|am|was|were|did|does|do {_YOU}|do i|do we|do they|should|shall"
    rf"|have {_YOU}|has|(?:may|can|might) i(?! ask you)|could i(?! ask you)|would i|remember\b.*\?)(?![\w-])"
)
ASKS_POLITELY = re.compile(
    rf"^(?:{_FILLER}[\s,]{{1,8}}){{0,6}}(?:{_FROM_NOW}[\s,]{{1,4}})?(?:(?:can|could|may|might) i ask you|(?:can|could|shall) we agree|would it be possible|(?:can|could|would|will|won't) {_YOU}(?![\w-])(?! (?:always|never|ever)(?!.*{START}(?:me|my|i|us|our|please|from now on){END}))(?! (?:please |also )?(?:remember|tell me|recall|say)"
    rf" (?:what|when|who|where|why|how|if|whether|which|anything|my \w+\W*$))|may i ask)|[, ](?:ok|okay|k|alright|right|deal|please)\?$"
)
