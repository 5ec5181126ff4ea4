"""The vocabulary that the English grammar is made of: what an assistant does, what it makes and what that consists of."""

from __future__ import annotations

from memories.topic_rules import words

VERB = words(
    """
    accept|add|address|answer|apply|arrange|ask|assume|attach|avoid|begin|book|bring|call|check|choose|cite|close|compare
    confirm|convert|count|cut|date|decline|default|describe|do|don't|dont|double-check|draft|drop|end|explain|express
    finish|flag|follow|format|give|go|greet|guess|handle|interrupt|repeat|apologi[sz]e|thank|hide|highlight|ignore|include|insert|keep|label|lead|leave|let's|limit|link
    list|make|mark|mention|name|no|note|number|offer|omit|only|open|order|pick|place|point|prefer|prefix|present|propose|provide
    put|quote|recommend|refer|refrain|refuse|remind|remove|render|reply|report|respond|round|say|schedule|send|separate|set
    shorten|show|sign|skip|sort|speak|spell|spare|start|state|stay|stick|stop|suggest|summari[sz]e|tag|talk|tell|title
    translate|treat|turn|type|use|verify|wait|warn|write
    """
)
DOING = words(
    """
    add|address|answer|apologi[sz]|ask|assum|begin|book|bring|call|cit|copy|correct|quot|end|explain|finish|giv|guess
    hedg|includ|insert|interrupt|label|link|list|mak|mark|mention|nagg|nudg|number|offer|open|order|prais|prefix|present
    propos|push|putt|recommend|refer|remind|remov|repeat|reply|respond|round|say|schedul|send|show|sign|start|stat
    suggest|summari[sz]|tagg|tell|thank|translat|treat|us|warn|word|wrapp|writ
    """
)
DOING = f"{DOING}ing"

STYLE = words(
    """
    emojis?|smileys|emoticons|bullets?|bullet points?|tables?|headings?|headers|exclamation (?:marks?|points?)|semicolons?
    em[- ]?dash(?:es)?|jargon|buzzwords|slang|acronyms|abbreviations|contractions|puns?|jokes?|disclaimers?|apologies
    greetings?|pleasantries|small talk|fillers?|fluff|preambles?|intros?|introductions|recaps?|caveats|follow-?up questions
    hashtags|footnotes|citations|metaphors|analogies|clich.s|compliments|flattery|passive voice|first person|caps|capitals
    bold|italics|markdown|latex|decimals|screenshots|gifs|memes|code blocks|long (?:words|sentences|paragraphs|answers)
    one-liners|walls of text|anglicisms|latin|nicknames?|first name|sign-?offs?|sarcasm|chit-?chat|filler words|waffl\\w+
    """
)
MADE = words(
    """
    answers|repl(?:y|ies)|responses|summar(?:y|ies)|explanations|translations|code (?:comments|samples?|examples?)|comments
    e-?mails?|letters?|messages|reports|drafts|notes|minutes|plans|posts|slides|charts|invoices?|quotes|itinerar(?:y|ies)
    contracts?|recipes|reminders|documents|texts|captions|answer|response|bookings?|meetings?|invites?|invitations?|suggestions
    recommendations|lists|dates|prices|amounts|temperatures|version
    """
)
LATER = words(
    """
    (?:for |in )?(?:next time|the future|future(?: \\w+)?|later(?: on)?|our (?:next|future) \\w+|upcoming \\w+)
    going forward|moving forward|from (?:now|here) on
    """
)
NOT_NOW = r"(?!.*(?<![\w-])(?:this|that|these|it|here|now|today|tonight|tomorrow|until|yet|for a (?:bit|moment|while))(?![\w-]))"
