"""What instinct reacts to: situations of many kinds, each with what most people would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from npc_eval.topics import topic_of
from npc_server.cognition import errands, perceive, react
from npc_server.instinct import reflexes
from npc_server.mind import replies
from npc_server.mind.instinct import Errand
from npc_server.mind.mind import Mind
from npc_server.records import Memory, MemoryKind, MemorySource, MemoryTopic, Perception, PerceptionKind, Social, Source
from tests.minds import MORNING

MakeMind = Callable[..., Mind]
ROOM = "millbrook:mara_house:kitchen"
TOBIN = "tobin_hale"

DANGER = [
    ("bake bread", "Flames are leaping from the oven", "put out the fire"),
    ("read a novel", "The curtain has caught fire", "put out the fire"),
    ("polish the armour", "The thatch of the stable is ablaze", "put out the fire"),
    ("knit", "The milk is boiling over", "take it off the heat"),
    ("write a letter", "Smoke is coming from under the door", "find out where the smoke comes from"),
    ("fish", "A swimmer is going under in the lake", "throw the swimmer a rope"),
    ("serve customers", "An old man has collapsed at the counter", "help the old man"),
    ("patrol the wall", "A stranger lies unconscious in the snow", "help the stranger"),
    ("sort the pills", "Somebody is screaming in the cellar", "see who needs help"),
    ("monitor the reactor", "A distress signal flashes on the screen", "see who needs help"),
    ("teach geometry", "The fire alarm is ringing in the corridor", "see what the alarm is about"),
    ("calibrate the sensors", "The hull is losing air", "see what the alarm is about"),
    ("mend nets", "The sheep have broken out of the field", "bring the animals back"),
]
"""What one is doing, what is noticed, and what is done instead."""

UNMOVED = [
    ("bake bread", "The oven is on"),
    ("bake bread", "The door is open"),
    ("sweep the floor", "A cat is asleep on the sill"),
    ("walk to the mill", "A cart is passing"),
    ("put out the fire in the barn", "The barn is on fire"),
    ("knead dough", "Two strangers are playing cards"),
    ("write a report", "A freighter is leaving the station"),
    ("write a report", "Rain is starting to fall outside"),
    ("mend a chair", "The bathroom is occupied"),
    ("check the plants", "The leak in the roof was already repaired"),
    ("count coins", "Children are laughing in the distance"),
    ("polish a sword", "The forge is cold"),
    ("paint", "Music is drifting over from the square"),
]

IN_THE_WAY = [
    ("shower", "The bathroom is occupied"),
    ("brush teeth", "The door of the bathroom is locked"),
    ("play the piano", "The piano is being played"),
    ("buy bread", "There is a long queue at the counter"),
    ("take the ferry to the island", "The ferry is on the other bank"),
    ("wash the clothes", "The washing machine is in use"),
    ("see the doctor", "The waiting room is full"),
    ("sit on the bench", "The bench is freshly painted"),
    ("leave through the airlock", "The airlock is cycling"),
    ("cross the bridge", "The bridge is up"),
    ("take the lift to the bridge deck", "The lift is occupied"),
    ("fire the pots", "The kiln is still cooling"),
    ("speak with the king", "The king is hearing somebody else"),
    ("make coffee", "The coffee machine is being cleaned"),
]

IN_ONES_WAY = [
    ("shower", "Tobin Hale is in the bathroom"),
    ("cook supper", "Tobin Hale is frying eggs at the stove"),
    ("play the piano", "Tobin Hale is practising on the piano"),
    ("borrow the ladder", "Tobin Hale is using the ladder"),
]

SHOWN = [
    "Tobin Hale is crying",
    "Tobin Hale is limping",
    "Tobin Hale is waving at Mara",
    "Tobin Hale comes up to Mara with a letter",
    'Tobin Hale said: "Mara, do you have a moment?"',
    'Tobin Hale said: "There you are, Mara."',
]

WISHES = [
    "Mara wants to ask Tobin about the broken chair",
    "Mara has promised to tell Tobin Hale about the meeting",
    "Mara must apologise to Tobin for the quarrel",
    "Mara hopes to see Tobin today to invite him to the feast",
    "Mara borrowed a hammer from Tobin and should return it",
    "It is high time that Mara talked to Tobin about the fence",
]

NO_WISHES = [
    "Mara means to steal the chisel of Tobin Hale",
    "Mara thinks that Tobin has a dry humour",
    "Ines Calder must speak with Tobin about the mill",
    "Tobin Hale mends chairs in his workshop",
]


def seen(mind: Mind, text: str, subject: str = "", importance: int = 3) -> Memory:
    number, topic = mind.stream.next_id(), topic_of(text)
    return Memory("mara_voss", number, MemoryKind.OBSERVATION, text, MORNING, MORNING, importance, subject=subject, topic=topic)


async def knows(mind: Mind, *texts: str, kind: MemoryKind = MemoryKind.OBSERVATION, ago: int = 86_400, about: str = "") -> None:
    triples = [("Mara", "knows", about)] * len(texts)
    given = {"kind": kind, "at": MORNING - ago, "importance": [4] * len(texts), "source": MemorySource.SEEN, "triples": triples}
    await mind.remember(texts, topics=[topic_of(text) for text in texts], **given)  # type: ignore[arg-type]


def close_to_tobin(mind: Mind, closeness: int) -> None:
    mind.relationships.social[TOBIN] = Social(mind.npc, TOBIN, "neighbour", "", "", closeness, 0, 0)


def of(mind: Mind, text: str, doing: str = "", who: str = "") -> reflexes.Reflex | None:
    subject = mind.people.name_of(who) if who else "Tobin Hale" if text.startswith("Tobin Hale") else ""
    return reflexes.reflex(mind, seen(mind, text, subject), who, doing, ROOM, MORNING)


def test_danger_and_need_interrupt_whatever_one_does(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = [(text, of(mind, text, doing)) for doing, text, _ in DANGER]
    assert [(text, found and found.kind, found and found.about) for text, found in found] == [
        (t, replies.CHANGE, what) for _, t, what in DANGER
    ]


def test_what_is_everyday_told_or_over_interrupts_nobody(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert {text: found for doing, text in UNMOVED if (found := of(mind, text, doing)) is not None} == {}


def test_one_waits_for_what_one_needs(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = {text: of(mind, text, doing) for doing, text in (*IN_THE_WAY, *IN_ONES_WAY)}
    assert {text: each for text, each in found.items() if each is None or each.kind != replies.WAIT} == {}
    bathroom = found["The bathroom is occupied"]
    assert bathroom is not None
    assert bathroom.about == "waiting for the bathroom", "it is also told as past"


def test_who_shows_a_feeling_or_turns_to_one_is_spoken_to(make_mind: MakeMind) -> None:
    mind = make_mind()
    assert [of(mind, text, "sweep the floor", TOBIN) for text in SHOWN] == [reflexes.Reflex(replies.TALK, text) for text in SHOWN]
    assert not any(of(mind, text, "sweep the floor") for text in SHOWN), "not to be spoken to now"


def test_a_friend_is_asked_about_what_strikes_one(make_mind: MakeMind) -> None:
    mind = make_mind()
    back = seen(mind, "Tobin Hale is back from the war", "Tobin Hale", importance=reflexes.STRIKING)
    close_to_tobin(mind, reflexes.FRIEND)
    assert reflexes.reflex(mind, back, TOBIN, "", ROOM, MORNING) == reflexes.Reflex(replies.TALK, back.text)
    assert reflexes.reflex(mind, replace(back, importance=reflexes.STRIKING - 1), TOBIN, "", ROOM, MORNING) is None
    close_to_tobin(mind, reflexes.FRIEND - 1)
    assert reflexes.reflex(mind, back, TOBIN, "", ROOM, MORNING) is None


def test_anybody_goes_and_looks_at_a_thing_that_matters(make_mind: MakeMind) -> None:
    mind = make_mind()
    bathtub = seen(mind, "The bathtub is overflowing", importance=reflexes.GRAVE)
    found = reflexes.reflex(mind, bathtub, "", "play chess", ROOM, MORNING)
    assert found == reflexes.Reflex(replies.CHANGE, "see what has happened", 10, ROOM)
    assert reflexes.reflex(mind, replace(bathtub, importance=reflexes.GRAVE - 1), "", "play chess", ROOM, MORNING) is None
    assert reflexes.reflex(mind, replace(bathtub, source=MemorySource.HEARD, topic=MemoryTopic.SAID), "", "", ROOM, MORNING) is None


def test_an_everyday_sight_is_no_danger_whatever_its_words(make_mind: MakeMind) -> None:
    mind = make_mind()
    for text in ("The burning candles are on the table", "Tobin Hale is waving to Mara", "Tobin Hale is limping through his old song"):
        assert of(mind, text, "", TOBIN) is not None
        assert reflexes.reflex(mind, seen(mind, text, "Tobin Hale", importance=2), TOBIN, "", ROOM, MORNING) is None


def test_everyday_doings_give_no_reason(make_mind: MakeMind) -> None:
    mind = make_mind()
    texts = ("Tobin Hale is mending a chair", "Tobin Hale is reading", 'Tobin Hale said: "Mara bakes good bread."')
    assert not any(of(mind, text, "sweep the floor", TOBIN) for text in texts)


async def test_what_one_wants_of_somebody_is_said_when_they_are_met_and_then_no_more(make_mind: MakeMind) -> None:
    mind = make_mind()
    for wish in WISHES:
        await knows(mind, wish)
        assert of(mind, "Tobin Hale is mending a chair", "sweep the floor", TOBIN) == reflexes.Reflex(replies.TALK, wish)
        await knows(mind, "Mara and Tobin talked it over.", kind=MemoryKind.CONVERSATION, ago=60, about="Tobin Hale")
        assert of(mind, "Tobin Hale is sweeping", "sweep the floor", TOBIN) is None


async def test_what_the_persona_keeps_to_itself_is_no_reason(make_mind: MakeMind) -> None:
    for kind, talks in ((MemoryKind.OBSERVATION, True), (MemoryKind.SEED, False)):
        mind = make_mind()
        await knows(mind, "Mara wants to ask Tobin Hale whether he has found out about the rent", kind=kind)
        assert (of(mind, "Tobin Hale is mending a chair", "sweep the floor", TOBIN) is not None) is talks


async def test_whom_one_keeps_away_from_is_left_alone(make_mind: MakeMind) -> None:
    for kind in (MemoryKind.OBSERVATION, MemoryKind.INTENTION):
        mind = make_mind()
        await knows(mind, "Mara does not want to speak with Tobin any more", kind=kind)
        assert of(mind, "Tobin Hale is crying", "", TOBIN) == reflexes.Reflex(replies.CONTINUE)
        assert of(mind, "Tobin Hale is mending a chair", "", TOBIN) == reflexes.Reflex(replies.CONTINUE)


async def test_what_the_persona_file_says_of_both_is_no_reason(make_mind: MakeMind) -> None:
    """Husband and wife know who they are. Only what came up since then is a reason to go and talk."""
    for kind, talks in ((MemoryKind.REFLECTION, True), (MemoryKind.INTENTION, True), (MemoryKind.SEED, False)):
        mind = make_mind()
        await knows(mind, "Mara thanks Tobin Hale for her first oven", kind=kind)
        assert (of(mind, "Tobin Hale is mending a chair", "sweep the floor", TOBIN) is not None) is talks


async def test_to_know_of_somebody_is_no_reason_to_talk(make_mind: MakeMind) -> None:
    mind = make_mind()
    await knows(mind, *NO_WISHES)
    assert of(mind, "Tobin Hale is mending a chair", "sweep the floor", TOBIN) is None


async def test_a_title_alone_names_nobody(make_mind: MakeMind) -> None:
    for wish, means in (
        ("Mara wants to ask the Captain of the ferry about the crossing", False),
        ("Mara wants to thank Brandt for the rope", True),
    ):
        mind = make_mind()
        mind.people.names[TOBIN] = "Captain Brandt Orsk"
        await knows(mind, wish)
        assert of(mind, "Captain Brandt Orsk is mending a chair", "sweep the floor", TOBIN) == (
            reflexes.Reflex(replies.TALK, wish) if means else None
        )


async def test_somebody_hurt_is_helped_once(make_mind: MakeMind) -> None:
    mind = make_mind()

    async def notice(text: str, at: int) -> Sequence[Memory]:
        return await perceive.perceive(mind, [Perception(mind.npc, PerceptionKind.PERSON, TOBIN, text, ROOM, 2.0, at)], at)

    found = await react.react(mind, await notice("has fallen off the ladder", MORNING), "", ROOM, MORNING, lambda who: True)
    assert found is not None
    assert (found.kind, found.source, found.errands[0].activity) == (replies.CHANGE, Source.INSTINCT, "help Tobin Hale")
    again = await notice("is lying on the ground", MORNING + 60)
    assert await react.react(mind, again, "", ROOM, MORNING + 60, lambda who: False) is None


def test_an_errand_in_the_plan_is_not_planned_again(make_mind: MakeMind) -> None:
    mind = make_mind()
    found = of(mind, "The curtain has caught fire", "read")
    assert found is not None
    errands.insert(mind, MORNING, [Errand(found.minutes, found.about, found.address)], Source.INSTINCT)
    assert of(mind, "The curtain is on fire and the wallpaper, too", "read") is None


def test_a_cry_for_help_is_heard_and_talk_of_fires_is_not(make_mind: MakeMind) -> None:
    mind = make_mind()
    cry = replace(seen(mind, 'Tobin Hale said: "Help! Help!"', "Tobin Hale"), source=MemorySource.HEARD)
    talk = replace(cry, text='Tobin Hale said: "The mill was on fire, they tell me."')
    found = reflexes.reflex(mind, cry, "", "read", ROOM, MORNING)
    assert found is not None
    assert found.kind == replies.CHANGE
    assert reflexes.reflex(mind, talk, "", "read", ROOM, MORNING) is None


def test_nobody_waits_because_others_wait_or_talk_to_oneself(make_mind: MakeMind) -> None:
    mind = make_mind()
    for doing, text in (
        ("Mara is talking with Tobin Hale", "Tobin Hale is talking with Mara Voss"),
        ("talk with Tobin at the counter", "Tobin Hale is waiting for Ines Calder to be done at the counter"),
        ("Mara is waiting for Tobin Hale to be done", "Tobin Hale is talking with Ines Calder"),
    ):
        assert of(mind, text, doing) is None


def test_where_the_world_knows_the_place_paths_tell_whether_it_is_taken(make_mind: MakeMind) -> None:
    mind = make_mind()
    memory = seen(mind, "Tobin Hale is brushing teeth", "Tobin Hale")
    found = reflexes.reflex(mind, memory, "", "take a shower", ROOM, MORNING)
    assert found is not None
    assert found.kind == replies.WAIT
    there = replace(memory, address="millbrook:mara_house:bathroom")
    assert reflexes.reflex(mind, there, "", "take a shower", ROOM, MORNING) is None


async def test_the_name_of_a_place_is_no_danger(make_mind: MakeMind) -> None:
    mind = make_mind()
    cafe = mind.world.node("millbrook:cafe")
    mind.world.merge([replace(cafe, name="Drowned Bell")])
    seen = "Tobin Hale is at the counter in the Drowned Bell"
    memory = Memory(
        "mara_voss", 1, MemoryKind.OBSERVATION, seen, MORNING, MORNING, 2, "Tobin Hale", "is", "", address="millbrook:cafe:dining_room"
    )
    assert reflexes.reflex(mind, memory, TOBIN, "baking bread", ROOM, MORNING) is None
    overboard = replace(memory, text="Tobin Hale has fallen into the river behind the Drowned Bell", importance=7)
    found = reflexes.reflex(mind, overboard, TOBIN, "baking bread", ROOM, MORNING)
    assert found is not None
    assert "rope" in found.about
