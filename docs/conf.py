"""Sphinx configuration for `make docs`."""

project = "casino-env"
author = "casino-env contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]

# The pages are plain Markdown that reads the same on GitHub.
myst_heading_anchors = 3
myst_enable_extensions = ["html_image"]
highlight_language = "none"  # for indented blocks, which show commands and their output

# The API page must build without the packages that only running the code needs.
autodoc_mock_imports = ["torch", "safetensors", "pydantic", "scipy", "choix", "rich"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "furo"
html_title = "casino-env"
