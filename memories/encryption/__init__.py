"""Texts and features encrypted under a key of whoever they belong to.

`envelope` is the cipher, `keystore` where keys live outside the database, `keys` which key is meant, `fields` the
columns that encrypt and open by themselves, `recrypting` what goes over rows that are there.
"""
