"""Standing orders in English: an order, ban, duty or wish that by its form outlasts the moment, without saying so.

"Stop apologising" and "no more puns" end a habit; "whenever …, check …" makes a rule; "any order over fifty needs my
approval" lays down a duty. What points at the text on the table or at today is none of them.
"""

from __future__ import annotations

import re

from memories.extraction.english import _FILLERS, LEAD
from memories.extraction.english_words import DOING, MADE, NOT_NOW, STYLE, VERB
from memories.topic_rules import words

_ASSENT = "(?:ok|okay|approval|sign-?off|go-ahead|consent|permission|confirmation|say-so|agreement)"
_MUST = "(?:needs?(?: to)?|must|should|has to|have to|(?:is|are) to|ought to|requires?|shall)"
_CLAUSE = r"[^.!?,;]{2,80}"
_ORDER = rf"{LEAD}(?:always |never )?{VERB}(?![\w-])"

BAN = re.compile(
    rf"^{LEAD}{NOT_NOW}"
    + words(
        rf"""
        (?:no more(?!.* (?:was|were|are|is|remain|left|found)(?![\w-]))|enough (?:with|of)|quit|cease|refrain from|stop with|spare me|i've had enough of|i'm (?:tired|sick) of)
        & (?: (?:all|any|the|your|using|with|of)){{0,3}}(?: \w+)? {STYLE}
        (?:stop|quit|cease|refrain from|no more|enough) {DOING}(?= \w)
        (?:you )?(?:don't|do not|needn't)(?: (?:need|have) to)? {VERB} [^.!?]{{2,60}} (?:every (?:single )?time|each time|all the time|any ?more)
        (?:stop|quit|cease) (?:apologi[sz]|waffl|rambl|hedg|guess|repeat)ing(?: yourself)?(?: all the time| so much| constantly)?
        """
    )
    + r"(?![\w-])"
)
RULE = re.compile(
    rf"^{_FILLERS}"
    + words(
        rf"""
        (?:whenever|every (?:single )?time|each time|any ?time) {_CLAUSE},\s*{_ORDER}
        (?:for|in|with|on) (?:anything|everything|(?:any|every|each|all) (?:my|our) \w+){_CLAUSE},\s*{_ORDER}
        if i (?:ever )?(?:forget|miss|misspell|mistype|leave out|don't (?:say|specify|mention)|mention|send|ask|share|quote){_CLAUSE},\s*{_ORDER}
        (?:always )?{_ORDER}[^.!?;]{{2,80}}? (?:whenever|every time|each time|any ?time) (?:i|you|we) {VERB}(?![\w-])
        when(?: you(?:'re| are)?)? {DOING}{_CLAUSE},\s*(?:the )?[\w ]{{2,24}} (?:comes?|goe?s?|should|must)(?![\w-])
        """
    )
)
DUTY = re.compile(
    rf"^{_FILLERS}"
    + words(
        rf"""
        (?:anything|everything|nothing|(?:any|every|each|all|no) (?!one|body)\w+)(?: [\w,'-]+){{0,8}} (?:needs?|requires?) my (?:\w+ )?{_ASSENT}
        (?:any|every|each|all|no) \w+(?: \w+)? (?:that )?you {VERB} (?:\w+ ){{0,2}}{_MUST}
        nothing (?:goes|is sent|leaves|gets (?:sent|booked|deleted|published))(?: \w+)? without my (?:\w+ )?{_ASSENT}
        your {MADE} {_MUST}
        all (?:of )?my (?:\w+ )?(?:{MADE}|travel|trips|flights|hotels|rooms|meals|calls|orders|seats|tickets|appointments|events) {_MUST}
        (?:the |my )?(?:default|standard|normal|usual) \w+ (?:of|for) [\w ]{{2,30}} (?:is|should|must|shall)
        {MADE} (?:should|must|have to|need to|are to)[^.!?]*(?:whatever|no matter|regardless|even|unless)[^.!?]* (?:i|you|me|my)
        """
    )
    + r"(?![\w-])"
)
WISH = re.compile(
    rf"^{_FILLERS}i (?:really )?(?:(?:never|don't ever|do not ever|no longer) want|don't want)(?: to (?:see|get|receive|hear|read|find)| you to \w+)?"
    rf"(?: \w+){{0,3}} (?:{STYLE}|{MADE})(?![\w-])[^.!?]*?(?:again|any ?more|ever|in (?:my|your|any|the|all) \w+)?"
)
WISH_FORM = re.compile(
    rf"^{_FILLERS}(?:i'd|i would|it would|it'd) be (?:\w+ )?(?:happier|better|nicer|easier)(?: for me)? if you(?: (?:would|could|always|never|just))? \w+[^.!?]{{0,30}} {STYLE}(?![\w-])"
)
TASTE = re.compile(
    rf"^{_FILLERS}"
    + words(
        rf"""
        (?:it (?:really )?(?:annoys|bothers|irritates|bugs|upsets|helps) me|i (?:really )?(?:hate|dislike|don't like|can't stand|like|love|prefer|enjoy)(?: it)?)
        & when(?:ever)? you {VERB}
        i(?:'d| would) (?:really )?(?:love|like|prefer|appreciate) it if (?:every|all|each|no|any|your) (?:\w+ ){{0,3}}{MADE}
        """
    )
    + r"(?![\w-])"
)
SECRECY = re.compile(
    rf"^{LEAD}(?:don't|do not|dont|never) (?:share|give|put|show|mention|reveal|tell|send|include|pass on|post|use)(?: out)? (?:my|our) [^.!?]{{2,60}}"
    r" (?:any|anyone|anything|anybody|anywhere|others|strangers)(?![\w-])"
)
MANNER = re.compile(
    rf"^{LEAD}{NOT_NOW}"
    + words(
        r"""
        (?:treat|consider|regard) (?:\w+ )?(?:\w+days?|weekends?|mornings?|evenings?|nights?|lunchtimes?|holidays?) as
        (?:refer to|address) (?:(?:my|our) [\w' ]{2,30}|him|her|them) as
        treat (?:every|all|any|each) [^.!?]{2,40}(?<![\w-])(?:i|my|we|our)(?![\w-])[^.!?]{0,30} as
        (?:set|change|switch) (?:my|your) (?:\w+ ){0,2}(?:language|units?|tone|style|format|currency|time ?zone|default|preference|pronouns)s? (?:to|as)
        """
    )
    + r"(?![\w-])"
)
ALL = (BAN, RULE, DUTY, WISH, WISH_FORM, TASTE, SECRECY, MANNER)


def stands(said: str) -> bool:
    return any(pattern.search(said) for pattern in ALL)
