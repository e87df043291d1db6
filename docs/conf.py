"""How `make docs` turns these pages into HTML."""

project = "casino-env"
author = "casino-env contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]

# The pages are plain Markdown that reads the same on GitHub.
myst_heading_anchors = 3
myst_enable_extensions = ["html_image"]
highlight_language = "none"  # of indented blocks: commands with what they print

# Importing the parts that the API page shows must not need what it takes to run them.
autodoc_mock_imports = ["torch", "safetensors", "pydantic", "scipy", "choix", "rich"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "furo"
html_title = "casino-env"
