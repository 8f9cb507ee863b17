"""The paper's experiments, a module each, on any trees; `structiou paper` prints them."""
