class_name DemoTextSize
## The size of texts that the player has chosen. Texts that are shown take on another size at once.

## Whoever must hear of another size: the controls of [method hold], and nodes with a method [code]fit_texts()[/code].
const GROUP := &"demo_texts"
## How much larger than usual, by the setting's name.
const SCALES: Dictionary[String, float] = {"normal": 1.0, "large": 1.2, "largest": 1.4}

const _HELD := &"usual_text_size"

## How much larger texts are than usual.
static var scale: float = 1.0:
	set(value):
		if value == scale:
			return
		scale = value
		for node: Node in (Engine.get_main_loop() as SceneTree).get_nodes_in_group(GROUP):
			if node.has_method(&"fit_texts"):
				node.call(&"fit_texts")
			else:
				_fit(node as Control)


## Returns the size for a text that usually has [param pixels].
static func of(pixels: int) -> int:
	return roundi(pixels * scale)


## Writes the texts of a control in the chosen size. [param item] is the font size of its theme.
static func hold(control: Control, pixels: int, item: StringName = &"font_size") -> void:
	control.set_meta(_HELD, [item, pixels])
	control.add_to_group(GROUP)
	_fit(control)


static func _fit(control: Control) -> void:
	var usual: Array = control.get_meta(_HELD)
	control.add_theme_font_size_override(usual[0] as StringName, of(usual[1] as int))
