"""Taking memories along: files of what someone may read, and files that someone hands over.

`importers` and `formats` know the shapes of files and nothing else; `files` is where exports are kept; `exporting` and
`importing` are the verbs; `writing` and `applying` do what is due. Every line of a handed-over file takes the way of
any other proposal (`memories.actions.hand_over`).
"""
