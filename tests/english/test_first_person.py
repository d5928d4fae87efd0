"""What a character remembers of itself by name, said by itself."""

from __future__ import annotations

import pytest

from npc_server.english.first_person import in_first_person

_MARA = ("Mara Voss", "Mara")
_TOBIN = ("Tobin Ashe", "Tobin")
_ALDOUS = ("Sir Aldous", "Aldous")
_OTHERS = ("Hetty Crane", "Hetty", "Kit", "Tilly Crane", "Tilly")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mara Voss bought six eggs from Hetty Crane", "I bought six eggs from Hetty Crane"),
        ("Mara is tired", "I am tired"),
        ("Mara isn't well", "I am not well"),
        ("Mara hasn’t slept", "I haven't slept"),
        ("Mara doesn't trust the people from the dam", "I don't trust the people from the dam"),
        ("Mara was late for school", "I was late for school"),
        ("Mara carries a knife", "I carry a knife"),
        ("Mara misses the sea and watches the gulls", "I miss the sea and watch the gulls"),
        ("Mara never goes to the reactor alone", "I never go to the reactor alone"),
        ("Mara secretly likes geography", "I secretly like geography"),
        ("Mara would sail for Port Sable", "I would sail for Port Sable"),
        ("Kit says that Mara has detention on Monday", "Kit says that I have detention on Monday"),
        ("Kit thinks Mara is ill", "Kit thinks I am ill"),
        ("The airlock failed because Mara was asleep", "The airlock failed because I was asleep"),
        ("It rained. Mara stayed in the barn.", "It rained. I stayed in the barn."),
        ("On Tuesday Mara broke the window of the gymnasium", "On Tuesday I broke the window of the gymnasium"),
        ("In the market Mara sells eggs", "In the market I sell eggs"),
        ("The eggs Mara bought were bad", "The eggs I bought were bad"),
        ("Even Mara knows the password", "Even I know the password"),
        ("Is Mara ill?", "Am I ill?"),
        ("Where does Mara live?", "Where do I live?"),
    ],
)
def test_my_name_as_a_subject_is_i(text: str, said: str) -> None:
    assert in_first_person(text, _MARA, (), _OTHERS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mara bakes bread and sells it at the market", "I bake bread and sell it at the market"),
        ("Mara lives here, and works at the mill", "I live here, and work at the mill"),
        ("Mara buys eggs and apples", "I buy eggs and apples"),
        ("Mara buys bread, eggs and drinks", "I buy bread, eggs and drinks"),
        ("Mara sleeps and dreams", "I sleep and dream"),
        ("Mara comes on Friday and drinks the beer", "I come on Friday and drink the beer"),
        ("Mara rises at six, works till noon, and is asleep by ten", "I rise at six, work till noon, and am asleep by ten"),
        ("Mara was cold and has gone home", "I was cold and have gone home"),
        ("Mara reads and Kit sleeps and dreams", "I read and Kit sleeps and dreams"),
        ("Mara knows that Kit bakes and sells bread", "I know that Kit bakes and sells bread"),
        ("Mara owns a boat and it leaks and sinks", "I own a boat and it leaks and sinks"),
        ("Kit left when Mara was six and has written twice", "Kit left when I was six and has written twice"),
    ],
)
def test_only_the_verbs_that_are_mine_follow(text: str, said: str) -> None:
    assert in_first_person(text, _MARA, (), _OTHERS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Kit told Mara a secret", "Kit told me a secret"),
        ("Kit owes Mara eleven dollars", "Kit owes me eleven dollars"),
        ("Kit saw Mara steal the bread", "Kit saw me steal the bread"),
        ("The letter was for Mara.", "The letter was for me."),
        ("The squire bowed to Mara Voss, and left", "The squire bowed to me, and left"),
        ("Mara's hens are gone", "My hens are gone"),
        ("Kit broke Mara's window", "Kit broke my window"),
        ("The hens are Mara's.", "The hens are mine."),
        ("Kit is a friend of Mara's", "Kit is a friend of mine"),
        ("Mara's been ill", "I've been ill"),
        ("Kit knows Mara’s brother", "Kit knows my brother"),
    ],
)
def test_my_name_elsewhere_is_me_and_my(text: str, said: str) -> None:
    assert in_first_person(text, _MARA, (), _OTHERS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mara and Kit went home", "Kit and I went home"),
        ("Kit and Mara went home", "Kit and I went home"),
        ("Tilly went with Kit and Mara", "Tilly went with Kit and me"),
        ("Tilly went with Mara and Kit", "Tilly went with Kit and me"),
        ("Mara and Tobin went home", "You and I went home"),
        ("Kit and Tobin are late", "You and Kit are late"),
        ("Kit likes Tobin and Mara bakes bread", "Kit likes you and I bake bread"),
    ],
)
def test_who_speaks_names_itself_last(text: str, said: str) -> None:
    assert in_first_person(text, _MARA, _TOBIN, _OTHERS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Tobin was late and is sorry", "You were late and are sorry"),
        ("Tobin Ashe has the key", "You have the key"),
        ("Kit heard that Tobin wants the map", "Kit heard that you want the map"),
        ("Tobin's dog bit Mara", "Your dog bit me"),
        ("Mara gave Tobin the code of the hatch", "I gave you the code of the hatch"),
        ("Mara is waiting for Tobin, and Tobin has not come", "I am waiting for you, and you have not come"),
        ("The spaceship is Tobin's", "The spaceship is yours"),
        ("Tobin isn't afraid of geese", "You aren't afraid of geese"),
        ("Tobin lost his hat", "You lost your hat"),
    ],
)
def test_the_one_spoken_to_is_you(text: str, said: str) -> None:
    assert in_first_person(text, _MARA, _TOBIN, _OTHERS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Mara lost her purse", "I lost my purse"),
        ("Mara is proud of herself", "I am proud of myself"),
        ("Mara is ill because she has caught a cold", "I am ill because I have caught a cold"),
        ("When Mara was young she lived by the sea", "When I was young I lived by the sea"),
        ("Mara is ill. She stays in bed.", "I am ill. I stay in bed."),
        ("Mara misses her husband and he writes to nobody", "I miss my husband and he writes to nobody"),
        ("Mara asked her", "I asked her"),
        ("Mara told her stories", "I told her stories"),
        ("Mara saw her leave", "I saw her leave"),
        ("Mara met a woman who sold her hat", "I met a woman who sold her hat"),
        ("Kit told Mara that she was late", "Kit told me that she was late"),
        ("Mara saw Tilly and her dog", "I saw Tilly and her dog"),
        ("Mara feels that the hens follow her", "I feel that the hens follow me"),
    ],
)
def test_pronouns_follow_where_only_i_can_be_meant(text: str, said: str) -> None:
    assert in_first_person(text, _MARA, (), _OTHERS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sir Aldous counted two hundred tents", "I counted two hundred tents"),
        ("The herald brought Sir Aldous's banner", "The herald brought my banner"),
        ("The king trusts Aldous, and Aldous trusts nobody", "The king trusts me, and I trust nobody"),
        ("Aldous has sworn to hold the bridge until his lord returns", "I have sworn to hold the bridge until my lord returns"),
    ],
)
def test_a_title_is_part_of_a_name(text: str, said: str) -> None:
    assert in_first_person(text, _ALDOUS) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('Mara said: "I am tired"', 'I said: "I am tired"'),
        ('Kit said "Mara is ill" to Mara', 'Kit said "Mara is ill" to me'),
        ("Mara said “Mara is ill”, and left", "I said “Mara is ill”, and left"),
    ],
)
def test_what_was_said_stays_as_it_was_said(text: str, said: str) -> None:
    assert in_first_person(text, _MARA) == said


@pytest.mark.parametrize(
    "text",
    [
        "Mara Tolliver is in Maraville",
        "Aunt Mara is ill",
        "Mara the baker is ill",
        "Mara, the baker, is ill",
        "The apprentice Mara turned green",
        "mara is a word of another language",
        "",
    ],
)
def test_who_is_unclear_stays_as_it_is(text: str) -> None:
    assert in_first_person(text, _MARA, _TOBIN) == text


@pytest.mark.parametrize(
    "text",
    [
        "Kit lost her purse and is sorry. She looks for it.",
        "The coolant is leaking from valve 14; nobody knows why…",
        '  Hetty Crane\tsaid: "he is here" \n and left ',
        "Captain Brandt wants the reports on his desk by 07:00",
        "Dr. Sol's patient hasn't slept",
    ],
)
def test_nothing_changes_where_neither_of_us_is_named(text: str) -> None:
    assert in_first_person(text, _MARA, _TOBIN, _OTHERS) == text
    assert in_first_person(text, ()) == text


def test_what_is_said_in_own_words_is_not_changed_again() -> None:
    said = in_first_person("Mara and Kit bake bread, and Tobin sells Mara's eggs", _MARA, _TOBIN, _OTHERS)
    assert said == "Kit and I bake bread, and you sell my eggs"
    assert in_first_person(said, _MARA, _TOBIN, _OTHERS) == said
