"""Finding in a conversation what may be remembered about its person.

`requests` recognises explicit requests by rules, `model` asks a language model; both only point at words that the
person wrote. `asking` takes a conversation in, `working` looks through it when it is due. Whatever is found takes the
way of any other proposal: the write gate decides.
"""
