class_name RecipeQuests
extends Node
## The list of quests, for where no quest addon is installed.

## Emitted when a quest has begun.
signal quest_accepted(quest: Resource)
## Emitted when a quest is done.
signal quest_completed(quest: Resource)


## Begins a quest.
func start_quest(quest: RecipeQuest) -> void:
	quest.start()
	quest_accepted.emit(quest)


## Ends a quest whose goal is reached.
func complete_quest(quest: RecipeQuest) -> void:
	if quest.objective_completed:
		quest.complete()
		quest_completed.emit(quest)
