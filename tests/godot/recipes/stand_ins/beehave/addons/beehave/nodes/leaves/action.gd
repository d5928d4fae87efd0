class_name ActionLeaf
extends BeehaveNode
## A stand-in for Beehave's class.
