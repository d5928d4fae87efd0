class_name BTAction
extends BTTask
## A stand-in for LimboAI's class.
