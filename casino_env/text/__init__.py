"""The game in plain text, for language models: prompts, parsing of replies, and games played by text."""

from casino_env.text.prompt import introduction, moved, prompt, situation
from casino_env.text.reply import Reply, parse
from casino_env.text.rules_text import rules_text
from casino_env.text.text_game import Said, TextGame
from casino_env.text.vocabulary import Vocabulary

__all__ = [
    "Reply", "Said", "TextGame", "Vocabulary", "introduction", "moved", "parse", "prompt", "rules_text", "situation",
]  # fmt: skip
