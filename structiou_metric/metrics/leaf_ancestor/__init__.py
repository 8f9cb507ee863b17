"""Leaf-ancestor: how alike the ways from the root to each word are."""
