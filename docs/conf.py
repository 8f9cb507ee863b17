"""How the site is built: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

from structiou_metric import __version__  # noqa: E402

project = "structiou-metric"
author = "the structiou-metric authors"
version = release = __version__
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "parts.extension"]
exclude_patterns = ["_build", "parts", "decisions/README.md", "**/.ipynb_checkpoints"]
default_role = "code"
highlight_language = "text"
smartquotes_action = "D"  # dashes; quotes stay as they are written

myst_enable_extensions = ["deflist", "attrs_inline", "substitution"]
myst_heading_anchors = 4
suppress_warnings = ["mystnb.unknown_mime_type"]

# Notebooks are executed when they have changed; an error in one fails the build.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"structiou-metric {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
