"""Extensions of Sphinx, one idea each."""
