"""The baseline: what the reference implementation of Generative Agents asks, question by question.

`mind.profile = "generative-agents"` switches it on, so that its cost can be measured beside ours. The same work, in our own
words and with typed replies; what comes of it ends in the same records. Where the reference asks more than is needed to tell the
two apart, less is asked here, and the place says so.
"""
