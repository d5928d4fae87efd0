"""Lives to conclude something from: what was seen and heard, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Life:
    name: str
    me: str
    lines: str
    wanted: tuple[tuple[str, set[int]], ...] = ()
    """Words that an insight holds, `a/b` for either, with the memories that support it."""
    unwanted: tuple[str, ...] = ()


LIVES = (
    Life(
        "a well gone bad",
        "Mara Voss",
        """The water from the well tastes of iron
        Mara is kneading dough
        Tom Reed says the well has a brown skin in the mornings
        Mara is serving customers
        Ines boiled the well water twice before she drank it
        Tom Reed is walking by
        The counter is clean
        Old Piet found a dead bird beside the well""",
        (("well", {1, 3, 5, 8}),),
        ("dough", "customers", "counter"),
    ),
    Life(
        "a helpful neighbour",
        "Mara Voss",
        """Tom Reed carried the flour sacks in for Mara
        Mara opened the shop
        Tom Reed mended the back door and took no money
        It rained all morning
        Tom Reed lent Mara his ladder
        Mara swept the floor
        A dog lay in the square
        Tom Reed helped Mara to unload the cart""",
        (("Tom Reed", {1, 3, 5, 8}),),
        ("floor", "square"),
    ),
    Life(
        "a fever on board",
        "Captain Ilse Brandt",
        """The cook lies in his hammock with a fever
        The wind turned to the west
        Two sailors did not come on deck, they are ill
        Ilse looked at the chart
        The ship's boy coughs all night
        The surgeon asked Ilse for more medicine
        Ilse wrote the log
        A gull sat on the rail""",
        (("ill/fever/sick/medicine", {1, 3, 5, 6}),),
        ("gull", "rail"),
    ),
    Life(
        "a quarrel between brothers",
        "Anna Weiss",
        """Karl shouted at Jonas over the fence
        Anna hung out the washing
        Jonas told Anna that Karl moved the boundary stone
        The cat slept on the wall
        Karl and Jonas argued at the market
        Anna bought eggs
        Jonas refuses to greet Karl""",
        (("Karl/Jonas", {1, 3, 5, 7}),),
        ("cat", "eggs", "washing"),
    ),
    Life(
        "one who practises the flute",
        "Lio Park",
        """Lio practised the flute until midnight
        Lio ate noodles
        Lio bought new sheet music for the flute
        The tram was full
        Lio played the flute on the roof
        Lio answered emails
        Lio dreams of the flute concert in June""",
        (("flute", {1, 3, 5, 7}),),
        ("noodles", "tram", "emails"),
    ),
    Life(
        "an apprentice who is late",
        "Greta Holm",
        """Finn came to the forge an hour late
        Greta sharpened the axes
        Finn overslept again
        The fire needed coal
        Finn was late for the lesson on hinges
        A merchant asked for nails
        Finn missed the morning delivery""",
        (("Finn", {1, 3, 5, 7}),),
        ("nails",),
    ),
    Life(
        "money troubles",
        "Ruth Adler",
        """The landlord asked Ruth for the rent twice
        Ruth watered the geraniums
        Ruth counted the coins in the jar, and it was not enough
        Ruth sold her mother's brooch to pay the rent
        A child bought a pencil
        The landlord put up the rent again
        Ruth lay awake over the rent""",
        (("rent", {1, 3, 4, 6, 7}),),
        ("geraniums", "pencil"),
    ),
    Life(
        "oxygen on a station",
        "Dr Yara Osei",
        """The oxygen gauge in module three dropped in the night
        Yara ate a ration bar
        Chen replaced an oxygen filter, and it clogged again
        The window shows the dark side
        Yara woke with a headache, the oxygen alarm was on
        Chen is playing cards
        Mission control asked about the oxygen""",
        (("oxygen", {1, 3, 5, 7}),),
        ("cards", "window"),
    ),
    Life(
        "a lonely old man",
        "Mara Voss",
        """Tobin Hale ate alone again
        Mara is serving customers
        Tobin Hale sat alone on the bench till dark
        Ines Calder bought rye bread
        Tobin Hale said: "Nobody comes by any more"
        Tobin Hale lit two candles and waited alone
        Ines Calder paid in coins""",
        (("Tobin Hale", {1, 3, 5, 6}),),
        ("rye", "coins"),
    ),
    Life(
        "somebody owes",
        "Bo Lindqvist",
        """Sven borrowed ten crowns from Bo
        Bo salted the herring
        Sven has not paid for the nets
        A storm is coming
        Sven asked Bo for another loan
        Bo cleaned the boat
        Sven still owes Bo for the rope""",
        (("Sven", {1, 3, 5, 7}),),
        ("herring",),
    ),
    Life(
        "wolves near the ranch",
        "Hank Doyle",
        """Hank found a calf torn at the creek
        Hank drank coffee
        Tracks of wolves circle the north pasture
        Jesse saw two wolves on the ridge
        The stove smokes
        The wolves howled close to the barn
        Hank mended a saddle""",
        (("wolves/wolf", {1, 3, 4, 6}),),
        ("coffee", "stove"),
    ),
    Life(
        "a teacher's gifted pupil",
        "Miss Clara Finch",
        """Emil solved the hard sum before the others
        Clara wiped the board
        Emil borrowed three books from the library
        The bell rang
        Emil stays after school to read the books on stars
        Clara ate an apple
        Emil asked Clara what lies behind the stars""",
        (("Emil", {1, 3, 5, 7}),),
        ("apple", "board"),
    ),
    Life(
        "one who keeps promises",
        "Ada Brook",
        """Nils returned the book on the day he had promised
        Ada made tea
        Nils came at eight sharp, as he had promised
        The shop was quiet
        Nils kept his promise to paint the gate
        Ada fed the hens""",
        (("Nils", {1, 3, 5}),),
        ("tea", "hens"),
    ),
    Life(
        "one who forgets",
        "Ernst Vogel",
        """Ernst could not find his glasses
        The clock struck nine
        Ernst forgot the kettle on the stove
        A parcel came
        Ernst forgot the name of his niece
        Ernst lost his keys again
        The radio played""",
        (("forget/forgetful/lose/forgot", {1, 3, 5, 6}),),
        ("parcel", "radio"),
    ),
    Life(
        "a theft series",
        "Inspector Rosa Quell",
        """A silver cup was stolen from the chapel
        Rosa drank cold coffee
        Mrs Hale missed her pearl necklace after the dinner
        The thief left a glove in the museum
        It snowed
        Somebody broke into the jeweller's and stole two rings
        Rosa filed a report""",
        (("stolen/theft/thief/stole", {1, 3, 4, 6}),),
        ("coffee", "snow"),
    ),
    Life(
        "a harvest that fails",
        "Jory Penn",
        """The barley is yellow at the roots
        Jory yoked the ox
        No rain fell for the third week, and the barley droops
        Jory's wife baked
        The reeve asked how much barley Jory will have
        A hawk circled
        Jory pulled up a dry stalk of barley""",
        (("barley", {1, 3, 5, 7}),),
        ("hawk", "ox"),
    ),
    Life(
        "love in an office",
        "Nina Sato",
        """Paul brought Nina a coffee without being asked
        Nina answered the phone
        Paul blushed when Nina thanked him
        The printer jammed
        Paul left flowers on Nina's desk
        Nina ate lunch
        Paul walked Nina to the train""",
        (("Paul", {1, 3, 5, 7}),),
        ("printer", "lunch", "phone"),
    ),
    Life(
        "a kingdom that arms",
        "Brother Anselm",
        """A herald cried that the king wants forty archers
        Anselm copied a psalm
        The smith forges swords day and night for the king
        Anselm weeded the garden
        Soldiers of the king took the mill's flour
        Anselm rang for vespers
        A soldier asked Anselm for his blessing""",
        (("king/soldier", {1, 3, 5, 7}),),
        ("psalm", "garden"),
    ),
    Life(
        "one who hides something",
        "Vera Lund",
        """Oskar locked the drawer when Vera came in
        Vera typed the minutes
        Oskar whispered on the telephone
        The heating is on
        Oskar lied about where he was on Friday
        Vera watered the plant
        Oskar burned a letter in secret""",
        (("Oskar", {1, 3, 5, 7}),),
        ("heating", "plant"),
    ),
    Life(
        "a child that is unwell",
        "Edda Krone",
        """Little Pim coughed at breakfast
        Edda peeled potatoes
        Little Pim is pale and tired
        A letter came from the city
        Little Pim has a fever tonight
        The hen laid two eggs""",
        (("Pim", {1, 3, 5}),),
        ("potatoes", "hen"),
    ),
    Life(
        "nothing but every day",
        "Mara Voss",
        """Mara is kneading dough
        Tobin Hale is walking by
        Mara is serving customers
        The counter is clean
        Mara is kneading dough
        Tobin Hale is sitting on the bench
        Mara is serving customers
        Mara is kneading dough
        The oven is hot
        Ines Calder is buying bread
        Ines Calder said: "Good morning!"
        Mara is sweeping the floor""",
    ),
    Life(
        "things that have nothing to do with each other",
        "Mara Voss",
        """A heron stood in the pond
        Ines Calder has a new hat
        The mill wheel creaks
        Somebody left a glove on the step
        Tobin Hale whistled a tune
        The post came early
        A cart lost a barrel
        The priest spoke of patience""",
    ),
    Life(
        "twice is no pattern",
        "Ada Brook",
        """Nils helped Ada with the hay
        Ada fed the hens
        The river is high
        Nils mended a rake for Ada
        Ada made cheese
        A pedlar sold needles
        The river carries branches""",
        (),
        ("Nils", "river"),
    ),
    Life(
        "the bees",
        "Sister Agnes",
        """Agnes built a second hive for the bees
        Agnes sang at vespers
        Agnes read a book about bees by candle
        The gate was left open
        Agnes sat with the bees all afternoon
        A beggar took soup
        Agnes talked to the bees as if they were children""",
        (("bees", {1, 3, 5, 7}),),
        ("gate", "soup"),
    ),
    Life(
        "a festival ahead",
        "Lena Frey",
        """The mayor hung a poster for the lantern festival
        Lena sorted the post
        The children paint lanterns for the festival
        A cyclist asked the way
        The baker bakes three hundred buns for the festival
        Lena stamped letters
        The band rehearses for the lantern festival""",
        (("festival", {1, 3, 5, 7}),),
        ("cyclist", "stamp"),
    ),
    Life(
        "fewer guests at the inn",
        "Mother Hob",
        """Only two guests slept at the inn tonight
        Hob stirred the pot
        A pedlar says the guests go to the new inn at the bridge
        Hob wiped the mugs
        The last guests left without supper
        The dog barked
        Nobody sat in the inn till evening""",
        (("guests/inn", {1, 3, 5, 7}),),
        ("dog", "pot"),
    ),
)
