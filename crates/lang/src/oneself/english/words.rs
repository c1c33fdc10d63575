//! The words of English rules.

pub(super) const LISTS: &[(&str, &str)] = &[
    (
        "adv",
        "now also still actually currently really always originally only recently just already mostly usually both all \
        normally since generally finally never ever so very quite pretty too absolutely simply honestly both legally",
    ),
    (
        "very",
        "very really so quite pretty severely highly deathly mildly slightly strictly mostly also still now actually \
        currently a an bit little extremely terribly badly seriously both the violently quite dangerously",
    ),
    ("be", "i'm im we're"),
    (
        "kin",
        "teenagers wife husband partner spouse girlfriend boyfriend fiance fiancee mother father mum mom dad mommy daddy parents sister \
        brother sisters brothers siblings son daughter sons daughters child children kid kids baby twins twin uncle aunt \
        auntie cousin cousins nephew niece grandmother grandfather grandma grandpa granny nan gran grandparents grandson \
        granddaughter stepson stepdaughter stepsister stepbrother stepmother stepfather stepdad stepmom \
        godson goddaughter ex triplets toddler teenager \
        brother-in-law sister-in-law mother-in-law father-in-law son-in-law \
        daughter-in-law in-laws grandparents grandkids grandchildren nephews nieces aunts uncles eldest oldest youngest folks mam \
        ma pa papa nana grandad godmother godfather other half family missus hubby lad lads lass",
    ),
    (
        "family",
        "wife husband sister brother sisters brothers siblings son daughter sons daughters child children kid kids \
        twins twin cousins nephew niece nephews nieces grandson granddaughter grandchildren stepson stepdaughter \
        stepsister stepbrother girlfriend boyfriend triplets toddler toddlers teenagers",
    ),
    (
        "pet",
        "dog dogs cat cats horse horses parrot rabbit rabbits hamster hamsters bird birds puppy puppies kitten kittens \
        turtle tortoise snake goldfish pony ferret gecko lizard budgie canary chickens hens beagle labrador poodle dachshund \
        terrier corgi retriever collie greyhound whippet whippets lurcher spaniel spaniels bulldog pug pugs husky chihuahua mastiff dalmatian \
        setter pointer schnauzer doberman rottweiler boxer dachshunds labradors beagles poodles terriers mongrel mutt pup pups tomcat tabby \
        siamese iguana chameleon python tarantula axolotl rat rats mouse mice guinea-pig guinea-pigs chinchilla degu ferrets parakeet \
        parakeets cockatiel cockatoo macaw lovebirds pigeons duck ducks goose geese goat goats sheep donkey donkeys llama alpaca alpacas \
        pig pigs cow cows mule ponies koi fish bees beehives hens hen rooster bunny bunnies rabbits snakes lizards geckos tortoises turtles",
    ),
    (
        "rel",
        "older younger little big elder eldest oldest youngest twin best late only step half new middle dear poor own other \
    second third first great ex former baby",
    ),
    ("count", "a an one two three four five six seven eight nine ten no several {digits}"),
    (
        "adj",
        "little small big old young older younger new beautiful lovely rescue adopted black white grey gray brown ginger \
        adult grown grown-up teenage wonderful three two four year of quiet large tiny",
    ),
    (
        "not_a_home",
        "fear hope peace denial sin danger harmony poverty constant bubble moment past present future dream fantasy \
        world nightmare shadow office gym rule rules motto kitchen pyjamas pajamas shame interesting times here there it that this theory practice general case order \
        particular one a an the my me your mind trouble style luxury pain",
    ),
    (
        "not_a_job",
        "it this that these those home night nights weekends weekend morning evening afternoon silence peace progress \
        least times once first hand you your all free fun myself hours bed pairs pair theory practice batches bursts a an the \
        my our him her them dark rain sun dollars mysterious teams shifts parallel secret sprints",
    ),
    (
        "notname",
        "later back when if at tomorrow tonight today crazy old paranoid a an the on in by stupid naive cynical maybe \
        again anytime whenever names this that it out what lazy weird picky sometime soon now asap up please not cab taxi \
        whatever but about after before first impressed surprised back-up skeptical sceptical superstitious silly mad over \
        for as cheap sentimental cruel biased ignorant evil selfish early late ahead anything mum mom and or and/or collect",
    ),
    (
        "nocall",
        "train bus car bike foot plane boat ferry the that it a what this instinct feel gut name memory names",
    ),
    (
        "not_an_origin",
        "mars venus jupiter saturn pluto narnia hogwarts mordor hell heaven earth nowhere space future work",
    ),
    (
        "not_a_name",
        "christian catholic muslim jewish hindu buddhist sikh atheist protestant orthodox ok okay sorry team back here done pro anti \
        democrat republican labour tory libra aries taurus gemini cancer leo virgo scorpio sagittarius capricorn aquarius pisces \
        batman santa god satan sherlock",
    ),
    (
        "food",
        "pork beef meat chicken fish shellfish prawns shrimp seafood dairy milk cheese eggs nuts peanuts gluten wheat bread sugar \
        alcohol wine beer coffee caffeine onions garlic mushrooms tomatoes soy sesame lactose bananas aubergine spice chilli",
    ),
    ("ordinal", "first second third fourth fifth final last"),
    (
        "aid",
        "wheelchair walker cane crutches pacemaker prosthesis inhaler hearing glasses contacts lenses cpap insulin stoma hearing-aid",
    ),
    (
        "instrument",
        "violin viola cello piano guitar drums bass flute clarinet trumpet trombone saxophone sax oboe harp ukulele banjo accordion \
        organ mandolin bassoon keyboard keyboards fiddle bagpipes harmonica",
    ),
    (
        "sport",
        "football soccer tennis chess hockey rugby cricket basketball volleyball badminton squash golf handball darts bridge go",
    ),
    (
        "weekday",
        "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays \
        weekend weekends",
    ),
    (
        "it",
        "it that this these those him her them you your yours everything nothing something anything how what when where \
        why another much well one more any enough anymore as such",
    ),
    (
        "noteat",
        "it that this these those anything another much more well enough him her them you as like so at \
        everything yet until because all and alone properly out right if here there what than anymore",
    ),
    (
        "job",
        "nurse teacher doctor engineer programmer developer designer lawyer carpenter plumber electrician baker chef cook \
        waiter waitress barista student pilot writer author journalist editor artist painter musician singer actor actress \
        dancer photographer architect accountant pharmacist dentist vet veterinarian scientist physicist chemist biologist \
        mathematician researcher professor lecturer librarian policeman policewoman firefighter soldier farmer gardener \
        florist mechanic welder driver conductor sailor captain translator interpreter consultant manager banker broker \
        economist analyst administrator secretary receptionist clerk cashier salesman salesperson shopkeeper hairdresser \
        barber tailor optician physiotherapist therapist psychologist psychiatrist surgeon midwife paramedic caregiver carer \
        nanny tutor coach trainer referee historian archaeologist geologist astronomer geographer linguist philosopher \
        priest pastor monk nun judge notary paralegal detective butcher fisherman fishmonger beekeeper potter blacksmith \
        jeweller jeweler watchmaker bricklayer roofer mason builder surveyor cleaner janitor caretaker postman courier \
        technician sysadmin freelancer entrepreneur founder ceo cto retiree pensioner widow widower bartender stylist \
        beautician radiologist anaesthetist anesthesiologist cardiologist paediatrician pediatrician gp lifeguard intern \
        apprentice trainee luthier violinist pianist cellist drummer guitarist composer producer director undertaker \
        illustrator animator copywriter bookkeeper statistician machinist locksmith forester ranger zookeeper hygienist \
        undergraduate grad postdoc teller auditor steward stewardess ~ologist ~ographer",
    ),
    (
        "jobadj",
        "retired freelance software primary school high secondary elementary maths math science data civil electrical \
        mechanical part-time full-time part full time trained professional registered nurse and truck bus taxi train music \
        art english german french history junior senior head staff web graphic game social youth night medical phd law \
        nursing university research product project sales marketing real estate self-employed self employed bicycle bike \
        ship tree marine chemical qualified former paediatric pediatric surgical veterinary dental first second third year \
        ux frontend backend security network systems database landscape interior fashion wedding tattoo yoga fitness piano \
        violin guitar physics biology chemistry pastry sous flight harbour crane forklift tram",
    ),
    (
        "business",
        "bakery shop cafe café restaurant farm company business studio salon bar pub hotel startup store bookshop \
        clinic practice school gallery garage brewery vineyard nursery hostel guesthouse agency kiosk workshop florist \
        bistro pharmacy",
    ),
    (
        "condition",
        "diabetes asthma epilepsy celiac coeliac adhd add autism migraines arthritis tinnitus dyslexia hayfever hay \
        crohn's ibs hypertension vertigo psoriasis eczema insomnia glaucoma anxiety ocd ptsd hiv haemophilia \
        hemophilia anaemia anemia lupus endometriosis pcos fibromyalgia narcolepsy parkinson parkinson's alzheimer's gout scoliosis rosacea sciatica",
    ),
    (
        "month",
        "january february march april may june july august september october november december jan feb mar apr jun jul \
        aug sep sept oct nov dec",
    ),
    (
        "tens",
        "twenty thirty forty fifty sixty seventy eighty ninety eighteen nineteen seventeen sixteen fifteen fourteen thirteen",
    ),
    ("unit", "one two three four five six seven eight nine"),
    (
        "thing",
        "meme memes video videos photo photos picture pictures food person people cafe show lover sitter toy toys bed hair \
        phobia allergy question questions story idea problem problems day walker joke seat pool party company city ticket coat gif emoji",
    ),
    (
        "metaphor",
        "mess bit lot disaster joke genius saint nightmare idiot angel star hero pain legend monster handful riot \
        treasure beast jerk fool clown champion gem devil witch wreck good great bad little big real total complete huge nice \
        wonderful terrible sweetheart darling lovely pig stubborn true brat machine morning night",
    ),
    (
        "state",
        "allergic vegan vegetarian pescatarian diabetic coeliac celiac pregnant deaf blind married divorced retired \
        asthmatic autistic dyslexic epileptic widowed colourblind colorblind teetotal",
    ),
    (
        "nationality",
        "american british english scottish welsh irish canadian australian kiwi german austrian swiss french belgian dutch \
        danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian bulgarian greek turkish cypriot \
        italian spanish catalan basque portuguese brazilian mexican argentinian chilean peruvian colombian venezuelan cuban \
        jamaican haitian ghanaian nigerian kenyan ethiopian eritrean somali sudanese egyptian moroccan algerian tunisian \
        senegalese south-african zimbabwean ugandan congolese israeli palestinian lebanese syrian jordanian iraqi iranian \
        persian kurdish armenian georgian russian ukrainian belarusian estonian latvian lithuanian serbian croatian bosnian \
        slovenian albanian kosovan macedonian maltese indian pakistani bangladeshi nepali nepalese chinese taiwanese japanese \
        korean vietnamese thai filipino filipina indonesian malaysian singaporean afghan kazakh uzbek samoan tongan maori",
    ),
    (
        "degree",
        "phd masters master's degree doctorate apprenticeship a-levels gcses mba residency internship msc bsc ba ma bachelor's \
        bachelors diploma traineeship",
    ),
];
