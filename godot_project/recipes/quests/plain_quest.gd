class_name RecipeQuest
extends Resource
## A quest as quest addons have it, for where none is installed: signals, and a goal that is reached.

## Emitted when somebody has accepted the quest.
signal started
## Emitted when the quest is done.
signal completed
## Emitted when the goal is reached, or no longer is.
signal objective_status_updated(value: bool)

## The name shown to players.
var quest_name: String = ""
## If [code]true[/code], the goal is reached, and the quest can be completed.
var objective_completed: bool = false:
	set(value):
		objective_completed = value
		objective_status_updated.emit(value)


## Begins the quest.
func start(_args: Dictionary = {}) -> void:
	started.emit()


## Ends the quest.
func complete(_args: Dictionary = {}) -> void:
	completed.emit()
