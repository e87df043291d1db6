"""Agents for programs in other languages: requests and replies as plain data."""
