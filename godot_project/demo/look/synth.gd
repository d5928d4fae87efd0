class_name DemoSynth
## Makes the sounds of the demo out of sines and noise. No recording is in the project.

const RATE := 22050


## Makes all sounds, by name. It takes a moment, so call it from a thread.
static func make_all() -> Dictionary[StringName, AudioStreamWAV]:
	var rng := RandomNumberGenerator.new()
	rng.seed = 5
	var made: Dictionary[StringName, AudioStreamWAV] = {}
	for i: int in 3:
		made[StringName("step%d" % i)] = _pack(_thump(rng, 0.07, 150.0 + i * 22.0, 0.45))
	made[&"door"] = _pack(_door(rng))
	made[&"blip"] = _pack(_tone(0.075, 330.0, 330.0, 0.35, [1.0, 0.45, 0.2]))
	made[&"click"] = _pack(_tone(0.035, 900.0, 620.0, 0.25, [1.0, 0.3]))
	made[&"move"] = _pack(_tone(0.03, 560.0, 560.0, 0.14, [1.0]))
	made[&"coin"] = _pack(_join([_tone(0.06, 1320.0, 1320.0, 0.3, [1.0, 0.3]), _tone(0.28, 1980.0, 1980.0, 0.3, [1.0, 0.25, 0.1])]))
	made[&"page"] = _pack(_page(rng))
	made[&"bell"] = _pack(_bell())
	for i: int in 3:
		made[StringName("bird%d" % i)] = _pack(_bird(i))
	made[&"crickets"] = _pack(_crickets(), true)
	return made


static func _pack(samples: PackedFloat32Array, loops: bool = false) -> AudioStreamWAV:
	var bytes := PackedByteArray()
	bytes.resize(samples.size() * 2)
	for i: int in samples.size():
		bytes.encode_s16(i * 2, int(clampf(samples[i], -1.0, 1.0) * 32767.0))
	var stream := AudioStreamWAV.new()
	stream.format = AudioStreamWAV.FORMAT_16_BITS
	stream.mix_rate = RATE
	stream.data = bytes
	if loops:
		stream.loop_mode = AudioStreamWAV.LOOP_FORWARD
		stream.loop_end = samples.size()
	return stream


static func _silence(seconds: float) -> PackedFloat32Array:
	var samples := PackedFloat32Array()
	samples.resize(int(seconds * RATE))
	return samples


## A tone that glides from one pitch to another and dies away, with overtones.
static func _tone(seconds: float, from: float, to: float, loud: float, overtones: Array) -> PackedFloat32Array:
	var samples := _silence(seconds)
	var phase := 0.0
	for i: int in samples.size():
		var part := i / float(samples.size())
		phase += lerpf(from, to, part) / RATE
		var sum := 0.0
		for k: int in overtones.size():
			sum += sin(phase * TAU * (k + 1)) * (overtones[k] as float)
		samples[i] = sum * loud * (1.0 - part) * (1.0 - part) * minf(1.0, i / 60.0)
	return samples


static func _thump(rng: RandomNumberGenerator, seconds: float, pitch: float, loud: float) -> PackedFloat32Array:
	var samples := _silence(seconds)
	var noise := 0.0
	for i: int in samples.size():
		var part := i / float(samples.size())
		noise = lerpf(noise, rng.randf_range(-1.0, 1.0), 0.18)
		samples[i] = (noise * 0.8 + sin(i * TAU * pitch * (1.0 - part * 0.5) / RATE) * 0.5) * loud * exp(-part * 6.0)
	return samples


static func _door(rng: RandomNumberGenerator) -> PackedFloat32Array:
	var samples := _silence(0.34)
	var phase := 0.0
	for i: int in int(0.22 * RATE):
		var part := i / (0.22 * RATE)
		phase += (95.0 + 60.0 * part + 18.0 * sin(part * 40.0)) / RATE
		samples[i] = (fmod(phase, 1.0) * 2.0 - 1.0) * 0.09 * sin(part * PI)
	var thump := _thump(rng, 0.12, 105.0, 0.6)
	for i: int in thump.size():
		samples[int(0.21 * RATE) + i] += thump[i]
	return samples


static func _page(rng: RandomNumberGenerator) -> PackedFloat32Array:
	var samples := _silence(0.26)
	var low := 0.0
	for i: int in samples.size():
		var part := i / float(samples.size())
		var noise := rng.randf_range(-1.0, 1.0)
		low = lerpf(low, noise, 0.25 + part * 0.3)
		samples[i] = (noise - low) * 0.3 * sin(part * PI) * (0.6 + 0.4 * sin(part * 50.0))
	return samples


static func _bell() -> PackedFloat32Array:
	var samples := _silence(2.2)
	var parts: Array[Vector3] = [
		Vector3(294, 0.3, 2.0), Vector3(588, 0.22, 2.6), Vector3(706, 0.14, 3.4), Vector3(881, 0.1, 4.5), Vector3(1180, 0.08, 6.0)
	]
	for i: int in samples.size():
		var at := i / float(RATE)
		var sum := 0.0
		for part: Vector3 in parts:
			sum += sin(at * TAU * part.x) * part.y * exp(-at * part.z)
		samples[i] = sum * 0.7 * minf(1.0, i / 40.0) * (1.0 - at / 2.2)
	return samples


static func _bird(kind: int) -> PackedFloat32Array:
	var notes: Array[PackedFloat32Array] = []
	for i: int in [3, 2, 5][kind] as int:
		var high := 2500.0 + kind * 420.0 + (i % 2) * 380.0
		notes.append(_tone(0.09 + kind * 0.02, high, high * (1.25 if kind != 1 else 0.7), 0.11, [1.0]))
		notes.append(_silence(0.05))
	return _join(notes)


## A loop of a second and a half: three crickets, each with its own pulse.
static func _crickets() -> PackedFloat32Array:
	var samples := _silence(1.5)
	for cricket: int in 3:
		var pitch := 4000.0 + cricket * 330.0
		for i: int in samples.size():
			var at := i / float(RATE)
			var chirp := fposmod(at + cricket * 0.17, 0.5)
			if chirp < 0.2:
				var pulse := maxf(0.0, sin(chirp / 0.2 * TAU * 3.0))
				samples[i] += sin(at * TAU * pitch) * pulse * 0.035
	return samples


static func _join(parts: Array[PackedFloat32Array]) -> PackedFloat32Array:
	var all := PackedFloat32Array()
	for part: PackedFloat32Array in parts:
		all.append_array(part)
	return all
