"""The paper to cite, as BibTeX; `CITATION.cff` has the same."""

BIBTEX = """\
@inproceedings{shi-etal-2024-structured,
    title = "Structured Tree Alignment for Evaluation of (Speech) Constituency Parsing",
    author = "Shi, Freda and Gimpel, Kevin and Livescu, Karen",
    booktitle = "Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics (Volume 1: Long Papers)",
    year = "2024",
    publisher = "Association for Computational Linguistics",
    pages = "12320--12332",
    doi = "10.18653/v1/2024.acl-long.666",
}
"""  # noqa: E501
