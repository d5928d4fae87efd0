"""The evaluation of a model by the questions that minds ask: cases, how they are asked, how replies are scored."""
