"""Agents that read and write text: language models at an endpoint, and whatever else answers messages."""
