class_name DemoTownPage
extends DemoMenuPage
## The choice of a town for a new game.

## Emitted when the player has chosen a town.
signal chosen(town: String)

const ABOUT: Dictionary[String, String] = {
	"millbrook": "A hamlet with a café, a shop and a workshop. Three people, and all of them know each other.",
	"alderwick": "A town on a river, with a market, a college and a tavern. Twenty-five people, and an election to come.",
}


func _fill() -> void:
	head.text = "A new game"
	body.add_child(DemoTheme.label("Where do you want to live?", DemoTheme.USUAL, DemoPalette.TEXT_DIM))
	for town: String in DirAccess.get_directories_at(DemoTown.TOWNS):
		var button := DemoTheme.button("", chosen.emit.bind(town))
		button.custom_minimum_size.y = 110
		body.add_child(button)
		var lines := VBoxContainer.new()
		lines.mouse_filter = Control.MOUSE_FILTER_IGNORE
		lines.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 14)
		button.add_child(lines)
		lines.add_child(DemoTheme.label(town.capitalize(), DemoTheme.LARGE - 4, DemoPalette.TEXT))
		var about := DemoTheme.label(ABOUT.get(town, "") as String, DemoTheme.SMALL + 1, DemoPalette.TEXT_DIM)
		about.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		lines.add_child(about)
		for node: Node in lines.get_children():
			(node as Label).mouse_filter = Control.MOUSE_FILTER_IGNORE
