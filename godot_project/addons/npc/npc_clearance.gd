class_name NpcClearance
## Keeps bodies off the walls along their paths. The navigation of a tile map ends at the walls themselves, so its paths turn
## right at their corners, where only a body without width could walk.

## Metres of [member NpcSpace.scale] between a body and the corner that it walks around.
const GAP_M := 1.0 / 32.0


## Returns a path on which the body touches nothing, to the end of [param path]. Returns [param path], with its corners moved
## off the walls, if there is no such path: somebody may stand in the way.
static func clear(space: NpcSpace, path: PackedVector3Array, tolerance: float) -> PackedVector3Array:
	if not space.is_physical() or path.size() < 2:
		return path
	var wide := _widen(space, path)
	if _fits(space, wide):
		return wide
	var pulled := _pull(space, _bend(space, space.find_path(space.get_map(), path[0], path[-1], tolerance, true)))
	return pulled if not pulled.is_empty() and _fits(space, pulled) else wide


## Moves each corner that the body would touch away from the wall: by the width of the body, or to the middle of a door that
## is narrower.
static func _widen(space: NpcSpace, path: PackedVector3Array) -> PackedVector3Array:
	var wide := path.duplicate()
	var width := space.get_radius() + GAP_M * space.scale
	for i: int in range(1, path.size() - 1):
		var off := _get_way_off(path[i - 1], path[i], path[i + 1])
		if off.is_zero_approx() or space.has_room_at(path[i]):
			continue
		var across := space.get_nearest_on_map(path[i] + off * width * 2.0)
		wide[i] = path[i] + off * minf(width, NpcSpace.flat_distance(path[i], across) / 2.0)
	return wide


## Adds a right angle wherever the body does not fit on the straight way from a point to the next: most walls of tiles follow
## the axes.
static func _bend(space: NpcSpace, path: PackedVector3Array) -> PackedVector3Array:
	var bent := path.slice(0, 1)
	for i: int in range(1, path.size()):
		var from := path[i - 1]
		var to := path[i]
		if not space.fits(from, to - from):
			for knee: Vector3 in [Vector3(from.x, to.y, to.z), Vector3(to.x, to.y, from.z)] as Array[Vector3]:
				if space.fits(from, knee - from) and space.fits(knee, to - knee):
					bent.append(knee)
					break
		bent.append(to)
	return bent


## Takes the points out of a path that the body need not visit: it fits on the straight way past them.
static func _pull(space: NpcSpace, path: PackedVector3Array) -> PackedVector3Array:
	var kept := path.slice(0, 1)
	var at := 0
	while at < path.size() - 1:
		var next := at + 1
		while next + 1 < path.size() and space.fits(path[at], path[next + 1] - path[at]):
			next += 1
		kept.append(path[next])
		at = next
	return kept


static func _fits(space: NpcSpace, path: PackedVector3Array) -> bool:
	for i: int in range(1, path.size()):
		if not space.fits(path[i - 1], path[i] - path[i - 1]):
			return false
	return true


## Returns the direction that leads off a corner, as a unit vector without height. It is zero where the path goes straight on.
static func _get_way_off(before: Vector3, corner: Vector3, after: Vector3) -> Vector3:
	return (NpcSpace.flat_direction(before, corner) - NpcSpace.flat_direction(corner, after)).normalized()
