class_name DemoTextSize
## The size of texts that the player has chosen.

## How much larger than usual, by the setting's name.
const SCALES: Dictionary[String, float] = {"normal": 1.0, "large": 1.2, "largest": 1.4}

## How much larger texts are than usual.
static var scale: float = 1.0


## Returns the size for a text that usually has [param pixels].
static func of(pixels: int) -> int:
	return roundi(pixels * scale)
