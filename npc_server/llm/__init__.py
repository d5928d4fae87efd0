"""The language model: a protocol, a model process behind it, and what a reply looks like."""
