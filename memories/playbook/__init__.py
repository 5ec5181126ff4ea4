"""The playbook: what was approved for teams, projects and agents, how it is used, and its switch."""

from memories.playbook.entries import PROCEDURE, procedure, procedures

__all__ = ["PROCEDURE", "procedure", "procedures"]
