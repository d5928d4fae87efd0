"""The baseline asks what the reference implementation of Generative Agents asks, question by question.

`mind.profile = "generative-agents"` switches it on, so that its cost can be measured beside ours. The prompts are in our own words,
the replies have types, and the answers end in the same records. A file says so where it asks less than the reference does.
"""
