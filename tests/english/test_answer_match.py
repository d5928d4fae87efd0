"""What a question asks for, and which remembered sentences can answer it."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from npc_server.english.answer_match import can_answer, name_words
from npc_server.english.normalize import term_of
from npc_server.english.question_parts import AnswerType, parse_question


def answers(question: str, text: str, *, me: str = "", asker: str = "", names: Collection[str] = (), seen: bool = False) -> bool:
    known = name_words(*names, me, asker)
    return can_answer(parse_question(question, known), text, me=me, asker=asker, about="", known=known, seen=seen)


ANSWERED = [
    # A village.
    ("Who stole the hens?", "A fox-faced stranger stole the hens at dawn"),
    ("Who stole the hens?", "The hens were stolen by Piet"),
    ("Who is the miller?", "Joost is the miller"),
    ("Who bought the grey mare?", "Old Hanne bought the grey mare for nine crowns"),
    ("Do you know who bought the mare?", "Hanne bought the mare"),
    ("Where did Piet hide the money?", "Piet hid the money under the church stairs"),
    ("Where is the key to the chapel?", "The chapel key hangs behind the altar"),
    ("Where does Hanne live?", "Hanne's home is at the edge of the wood"),
    ("When is the fair?", "The fair is on the first Sunday of June"),
    ("When does the mill open?", "The mill opens at seven"),
    ("How many sheep did Joost lose?", "Joost lost eleven sheep in the flood"),
    ("Why is Hanne angry with Piet?", "Hanne is angry because Piet sold her goose"),
    ("Why did Joost sell the cow?", "Joost sold the cow to pay the rent"),
    ("What did Piet buy at the market?", "Piet bought a copper kettle at the market"),
    ("What is the dog's name?", "The dog is called Bram"),
    ("What colour is the new door?", "The new door is painted green"),
    ("Is the baker ill?", "The baker is sick with a fever"),
    ("Did Hanne marry?", "Hanne wed a sailor in spring"),
    # A castle.
    ("Who slew the boar?", "Sir Aldric slew the boar in the king's forest"),
    ("Where was Lady Maud born?", "Lady Maud was born in Carrow"),
    ("When will the king arrive?", "The king arrives after the harvest"),
    ("How old is Prince Edric?", "Prince Edric turned fourteen at midsummer"),
    ("How old is the abbot?", "The abbot is seventy years old"),
    ("What did the abbot forbid?", "The abbot has forbidden dice"),
    ("Which tower burned?", "The north tower burned last winter"),
    ("Why has the well been closed?", "The well is shut because a cat drowned in it"),
    ("How much does the knight owe?", "The knight has debts of forty marks"),
    ("What is the password at the gate?", "The password at the gate is heron"),
    # A ship in space.
    ("Who repaired the air pump?", "Engineer Vasko fixed the air pump"),
    ("Which airlock is to be locked down?", "The commander ordered the lockdown of airlock four"),
    ("How many days of water are left?", "There are nine days of water left"),
    ("Where is Doctor Imre?", "Doctor Imre is in the greenhouse"),
    ("When do we dock?", "The ship docks at 14:30"),
    ("What is wrong with the reactor?", "The reactor leaks, and that is wrong"),
    ("How long will the repair take?", "The repair takes three hours"),
    ("Is anybody hurt down there?", "Lena is hurt but awake"),
    # A school.
    ("Who broke the window?", "Jonas broke the window of the gym"),
    ("When is the maths test?", "The maths test is on Friday"),
    ("What did the headmaster ban?", "The headmaster banned phones in class"),
    ("Who teaches history?", "Mr Bell is the history teacher"),
    ("Why did Amira cry?", "Amira cried when her hamster died"),
    ("How many pupils passed?", "Nineteen pupils passed the exam"),
    ("What is the new teacher called?", "The new teacher's name is Mrs Okoye"),
    ("In which street does Jonas live?", "Jonas lives in Canal Street"),
    # The west.
    ("Who robbed the stage?", "Two men with sacks over their heads robbed the stage"),
    ("Where did the gang ride?", "The gang rode to Dry Creek"),
    ("How much did the sheriff pay for the horse?", "The sheriff paid sixty dollars for the horse"),
    ("Who is afraid of the marshal?", "Cole is afraid of the marshal"),
    ("What does Cole want?", "Cole wants the deed to the mine"),
    ("What did Cole bury?", "Cole buried a strongbox behind the chapel"),
    ("When are the miners paid?", "The miners get their wages on Saturday"),
    ("Whom did Ruth marry?", "Ruth married a gambler from Abilene"),
    ("When does the wagon come?", "The wagon from Abilene comes on the twelfth"),
    ("When will the herring return?", "The herring will return with the new moon"),
    ("What is Sister Agnes afraid of?", "Sister Agnes is afraid of thunder"),
    ("To whom did Ruth sell the ranch?", "Ruth sold the ranch to the bank"),
    ("How deep is the shaft?", "The shaft is ninety feet deep"),
    ("On what did Piet hit his head?", "Piet hit his head on the beam"),
    ("What is the name of the ship's cat?", "The ship's cat Tiger sleeps in the galley"),
    ("How did Jonas break his arm?", "Jonas broke his arm in a fall from the roof"),
    ("How many ships were sunk?", "Four ships were sunk"),
    ("What was buried behind the chapel?", "A strongbox was buried behind the chapel"),
    ("What did the thieves take?", "The silver candlesticks were taken by the thieves"),
    ("In which city did Cole lose his horse?", "Cole lost his horse in Laredo and walked home"),
    ("Who owns the tavern?", "The tavern belongs to Greta"),
    ("Whose hat was found in the well?", "Pim's hat was found in the well"),
    ("Where did we put the ladder?", "The ladder lies behind the barn"),
    ("What is wrong with the mast?", "The mast has a crack below the second ring"),
    ("When does the watch change?", "The watch changes at a quarter to four"),
    ("What do they keep in the jar?", "They keep a jar of pickled plums"),
    ("What did Greta say about the flood?", "Greta said that the flood took the bridge"),
    ("Which road leads to the mine?", "The left road leads to the mine"),
    ("What is Greta's job?", "Greta works as a midwife"),
    ("How long did Pim stay?", "Pim stayed for two weeks"),
    ("Tell me about the bridge.", "The bridge collapsed in the flood"),
    ("When will the bridge be repaired?", "The bridge will be mended after the rains"),
]

UNANSWERED = [
    ("Who stole the hens?", "The hens were stolen during the night"),
    ("Who mended the cart?", "The cart was mended before noon"),
    ("Who built the oven?", "The baker sold two loaves from the oven"),
    ("Who bought the grey mare?", "The grey mare was bought for nine crowns"),
    ("Where was Lady Maud born?", "Lady Maud wants her horse at the gate by six"),
    ("Where did Piet hide the money?", "Piet hid the money"),
    ("Where did Piet hide the money?", "Piet found money under the stairs"),
    ("Where is the key to the chapel?", "The chapel roof lies in the yard"),
    ("When is the fair?", "The fair is in the meadow behind the mill"),
    ("When will the king arrive?", "The king will arrive with forty riders"),
    ("How old is Prince Edric?", "Prince Edric broke two lances"),
    ("How old is the abbot?", "The abbot is in the cellar"),
    ("How many sheep did Joost lose?", "Joost lost sheep in the flood"),
    ("How many sheep did Joost lose?", "Joost lost two fingers"),
    ("How much does the knight owe?", "The knight rode home"),
    ("Why has Doctor Imre not slept?", "Doctor Imre has not slept for three nights"),
    ("Why did Joost sell the cow?", "Joost sold the cow to Hanne"),
    ("Why is the well closed?", "The well is closed since Monday"),
    ("What did Cole bury?", "Cole buried something behind the chapel"),
    ("What did Piet buy at the market?", "Piet bought something at the market on Friday"),
    ("What does Cole earn?", "Cole sings in the saloon"),
    ("What is the stranger's name?", "A stranger asked for the sheriff"),
    ("What is the name of the mine?", "The mine is wet"),
    ("What colour is the new door?", "The new door is heavy"),
    ("Which tower burned?", "The kitchen burned last winter"),
    ("Did Hanne marry?", "Hanne sings in the choir"),
    ("Did Hanne see the fire?", "Joost saw the fire"),
    ("Is the pump broken?", "The pump is new"),
    ("Who repaired the air pump?", "Engineer Vasko painted the air pump"),
    ("When is the maths test?", "The maths test is hard"),
    ("Who teaches history?", "Jonas hates history"),
    ("How many pupils passed?", "The pupils passed the exam"),
    ("Where does Cole live?", "Cole sold his saddle in town"),
    ("What did the headmaster ban?", "The headmaster was ill"),
    ("Who robbed the stage?", "The stage was robbed near Dry Creek"),
    ("Who shot the marshal?", "The marshal shot a rattlesnake"),
    ("Who killed the wolf?", "The wolf killed three lambs"),
    ("How long did Pim stay?", "Pim stayed with his uncle"),
    ("What is Pim building?", "Pim is building in the yard"),
    ("What time does the train leave?", "The train leaves from platform two"),
    ("Where did the ship come from?", "The ship came at noon"),
    ("Why does Pim limp?", "Pim limps on the left leg"),
    ("What did the miller's son want?", "The miller's son wore a red coat"),
    ("Who made the hole in the hull?", "The hull has a hole"),
    ("What did the cook bury?", "The old cook Hanne buried something"),
    ("How did Jonas break his arm?", "Jonas broke his arm in the summer"),
    ("What is the dancer's real name?", "The captain Bruno writes letters to the dancer"),
    ("When does the wagon come?", "The wagon comes from Abilene"),
    ("To whom did Ruth sell the ranch?", "Ruth sold the ranch in May"),
]


@pytest.mark.parametrize(("question", "memory"), ANSWERED)
def test_a_memory_that_holds_what_is_asked_for_answers(question: str, memory: str) -> None:
    assert answers(question, memory)


@pytest.mark.parametrize(("question", "memory"), UNANSWERED)
def test_a_memory_of_the_same_things_is_not_yet_an_answer(question: str, memory: str) -> None:
    assert not answers(question, memory)


@pytest.mark.parametrize(
    ("question", "memory", "answered"),
    [
        ("What day is my birthday?", "Asha Menon's birthday is on Thursday", True),
        ("What day is my birthday?", "Tobin Hale's birthday is on Friday", False),
        ("Did you see anybody that night?", "Rosalba saw a man with a lantern", True),
        ("Did you see the fire?", "Tobin Hale saw the fire", False),
        ("Where were you born?", "Rosalba was born in Genoa", True),
        ("What did I promise you?", "Asha promised Rosalba a goose", True),
        ("Where did I put my hat?", "Tobin put his hat on the shelf", False),
    ],
)
def test_i_is_the_asker_and_you_are_the_one_who_is_asked(question: str, memory: str, answered: bool) -> None:
    people = ("Rosalba Conti", "Asha Menon", "Tobin Hale")
    assert answers(question, memory, me="Rosalba Conti", asker="Asha Menon", names=people) is answered


def test_what_was_seen_as_it_happened_has_a_date_of_its_own() -> None:
    assert answers("When did Tobin paint the boat?", "Tobin is painting the boat", seen=True)
    assert not answers("When did Tobin paint the boat?", "Tobin is painting the boat")
    assert not answers("When does Tobin paint the boat?", "Tobin is painting the boat", seen=True)


@pytest.mark.parametrize(
    ("question", "kind", "verb"),
    [
        ("Who cut the fence?", AnswerType.WHO, "cut"),
        ("Good evening. Can you tell me where Tobin hid the ring?", AnswerType.WHERE, "hid"),
        ("What did the old cook steal from the captain?", AnswerType.WHAT, "steal"),
        ("How many horses were sold?", AnswerType.MANY, "sell"),
        ("What is the time of the feast?", AnswerType.WHEN, ""),
        ("Why has Mara not eaten?", AnswerType.WHY, "eat"),
        ("What do you know about Mara?", AnswerType.OPEN, ""),
        ("Is Mara asleep?", AnswerType.WHETHER, "sleep"),
    ],
)
def test_a_question_is_taken_apart(question: str, kind: AnswerType, verb: str) -> None:
    asked = parse_question(question)
    assert (asked.kind, asked.verb) == (kind, term_of(verb) if verb else "")


@pytest.mark.parametrize(
    ("one", "other"), [("stole", "theft"), ("carries", "carried"), ("bought", "purchase"), ("shutdown", "shut"), ("wages", "paid")]
)
def test_inflections_and_words_for_the_same_are_one(one: str, other: str) -> None:
    assert term_of(one) == term_of(other)


@pytest.mark.parametrize(
    ("question", "text", "fits"),
    [
        ("What does Ines want to sell?", "Ines wants to sell the shop", True),
        ("What did Tom want to do?", "Tom wanted to leave the village", True),
        ("What does Ines want to sell?", "Ines wants to sell", False),
    ],
)
def test_what_somebody_wants_to_do_belongs_to_the_wanting(question: str, text: str, fits: bool) -> None:
    assert answers(question, text) is fits
