//! English. "I like", "I prefer" and their kind are found by the patterns of preferences (JV2).

use std::sync::OnceLock;

use super::Tables;

pub(super) static TABLES: Tables = Tables {
    rules: RULES,
    lists: LISTS,
    openings: "and|but|so|well|oh|ah|hey|hi|hello|ok|okay|yes|yeah|yep|no|nope|btw|anyway|actually|honestly|also|fyi|please|\
        by the way|just|sorry|correction|wait|hmm|ugh|then|because|since|to be honest|personally|right|you know|in case|as you know|\
        for context|for the record|i mean|i think|i guess|fun fact|now|these days|currently|nowadays|about me|\
        originally|recently|lately|usually|last week|last month|last year|yesterday|this year|last spring|last summer|last autumn|\
        last fall|last winter|since monday|since tuesday|since wednesday|since thursday|since friday|since saturday|since sunday|\
        since yesterday|since last week|since last month|since last year|since this week",
    supposing: "if when unless suppose imagine maybe perhaps whenever until once although would should could might",
    stories: "imagine|suppose|if|pretend|said|says|told me|joke|character|novel|wish|dreamt|dreamed",
    times: "today|tonight|tomorrow|right now|at the moment|this week|this weekend|this morning|this evening|\
        this afternoon|this month|next week|next time|for lunch|for dinner",
    passing: "for now|this time|maybe|perhaps|probably|might|would|if|when i was|when we were|used to|as a child|\
        as a kid|just kidding|so to speak|in a sense|in my dreams|in the game|anymore than|said|says",
    joints: "and|but|so|because|since|though|although",
    subjects: "i i'm i've i'd we we're we've my our call i'll",
    inverted: "",
    questions: &[
        ("home", "home city town address where I live"),
        ("name", "name called"),
        ("work", "work job profession"),
        ("age", "age how old"),
        ("birthday", "birthday born"),
        ("origin", "from country origin"),
    ],
    contracts: true,
    parsed: OnceLock::new(),
};

const LISTS: &[(&str, &str)] = &[
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
        "wife husband partner spouse girlfriend boyfriend fiance fiancee mother father mum mom dad mommy daddy parents sister \
        brother sisters brothers siblings son daughter sons daughters child children kid kids baby twins twin uncle aunt \
        auntie cousin cousins nephew niece grandmother grandfather grandma grandpa granny nan gran grandparents grandson \
        granddaughter stepson stepdaughter stepsister stepbrother stepmother stepfather stepdad stepmom roommate flatmate \
        housemate boss manager neighbour neighbor colleague friend bestie godson goddaughter ex triplets toddler teenager \
        doctor dentist therapist landlord landlady law",
    ),
    (
        "family",
        "wife husband sister brother sisters brothers siblings son daughter sons daughters child children kid kids \
        twins twin cousins nephew niece nephews nieces grandson granddaughter grandchildren stepson stepdaughter \
        stepsister stepbrother girlfriend boyfriend triplets toddler toddlers",
    ),
    (
        "pet",
        "dog dogs cat cats horse horses parrot rabbit rabbits hamster hamsters bird birds puppy puppies kitten kittens \
        turtle tortoise snake goldfish pony ferret gecko lizard budgie canary chickens hens beagle labrador poodle dachshund \
        terrier corgi retriever collie greyhound",
    ),
    ("rel", "older younger little big elder eldest oldest youngest twin best late only step half new middle"),
    ("count", "a an one two three four five six seven eight nine ten no several {digits}"),
    (
        "adj",
        "little small big old young older younger new beautiful lovely rescue adopted black white grey gray brown ginger \
        adult grown grown-up teenage wonderful three two four year of quiet large tiny",
    ),
    (
        "nowhere",
        "fear hope peace denial sin danger harmony poverty constant bubble moment past present future dream fantasy \
        world nightmare shadow office gym rule rules motto kitchen pyjamas pajamas shame interesting times here there it that this theory practice general case order \
        particular one a an the my me your mind trouble style luxury pain",
    ),
    (
        "notwork",
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
        undergraduate grad postdoc teller auditor steward stewardess",
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
        crohn's ibs hypertension vertigo psoriasis eczema insomnia glaucoma",
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
];

const RULES: &[(&str, &str)] = &[
    // who they are
    ("name", "my|the full|first|last|middle|real|given|nick|nickname|sur|surname|maiden*2 name is? {name} $"),
    (
        "name",
        "my full|first|last|middle|real|given|maiden*2 name is !not|so|on|in|mud|a|the|it|also|common|spelled|misspelled|wrong|what|hard|difficult|often|too|very|really|pronounced",
    ),
    ("name", "my nickname|surname is {any}"),
    ("origin", "my home|hometown|town|birthplace town*1 is {name}"),
    ("name", "my name !is|was|has|on|in|and|should|will|can|means|tag|came|got|appears|isn't|doesn't $"),
    ("name", "my {any}*1 name is? {name} but|and|though everyone|everybody|people|friends|you|most {any}"),
    ("name", "call me !{notname}|{it}|{adv} $"),
    ("name", "i|i've {adv}*2 changed my name to {name}"),
    ("name", "call me {name} {any}*2 $"),
    ("name", "you|u can|may|could just|also*1 call me !{notname}|{it}|{adv}"),
    ("name", "everyone|everybody|people|friends|folks|they|most {any}*3 call|calls me !{notname}|{it}"),
    (
        "name",
        "my|all friends|family|colleagues|mates|mum|mom|parents|kids|students|grandma|wife|husband|coworkers {any}*2 call|calls me !{notname}|{it}",
    ),
    ("name", "i {adv}*2 go|goes by !{nocall}"),
    ("name", "i'm|im called|named {name}"),
    ("name", "i prefer to? be|being called !{notname}|{it}"),
    ("pronouns", "my pronouns are {any}"),
    ("pronouns", "use she|he|they her|him|them {any}*3 $"),
    ("pronouns", "i use|go|prefer by? she|he|they|xe|ze {any}*3 $"),
    // where they live and come from
    (
        "home",
        "i|we {adv}*2 live|reside|stay|living in|near|outside|on|at|by|around the|a|an|my|our {any}*3 !{nowhere} $",
    ),
    (
        "home",
        "i|we {adv}*2 live|reside in|near|outside|on|at|by|around|above|opposite|next|close !{nowhere}|the|a|an",
    ),
    (
        "home",
        "i|we {adv}*2 live|reside in|near|outside|on|at|by|around|above|opposite the|a|an|my|our !{nowhere}",
    ),
    ("home", "i|we|i've|we've {adv}*2 live|lived|been in|living {any}*2 in {name} {any}*3 since|for {any}"),
    ("household", "i {adv}*2 live alone|with !it|that|this|the|him|her|them|you|myself|regret|fear"),
    ("home", "i|we|i've|we've have|just|recently|finally*2 moved|relocated back? to {name}"),
    (
        "home",
        "i|we|i've|we've have|just|recently|finally*2 moved|relocated {any}*2 from {name} {any}*1 to {name}",
    ),
    (
        "home",
        "i've|we've {adv}*2 been in {name}!marketing|finance|sales|hr|accounting|slack|zoom|teams {name}*1 {any}*1 for {any}*2 years|months|decades|ages",
    ),
    (
        "home",
        "i've|we've {adv}*2 been in {name}!marketing|finance|sales|hr|accounting {name}*1 since {digits}|{month}|last|university|childhood",
    ),
    (
        "home",
        "my|our new|current|present home|city|town|place|address is in? {name}!great|lovely|nice|amazing|small|big|quiet|cold",
    ),
    ("home", "i|we no longer live in|near|at|on {any}"),
    ("home", "i|we don't live in|near|at|on {any}*4 anymore|longer"),
    ("home", "i'm|im|we're {adv}*2 based|living|settled in|near|on|out !{nowhere}"),
    ("origin", "i'm|im|we're {adv}*2 from {name}"),
    ("origin", "i'm|im|we're {adv}*2 from|a the|a|native {any}*2 {name}"),
    ("origin", "i|we {adv}*2 come|came|hail {adv}*1 from {name}"),
    (
        "origin",
        "i|we {adv}*2 come|came|hail {adv}*1 from a|the {adj}*3 town|village|city|farm|island|family|north|south|east|west {any}*3",
    ),
    ("childhood", "i|we {adv}*2 grew|was|were up|raised in|on|near !{it}|fear"),
    // family and pets
    ("#1? #2 name", "my|our {rel}*2 {kin}|{pet} {any}*2 is|are called|named {any}"),
    (
        "#1? #2 #3? home",
        "my|our {rel}*2 {kin} {name}*1 lives|live|moved|resides in|near|on|at|to|next|across|abroad !her|his|their|{nowhere}",
    ),
    (
        "#1? #2 #3? home",
        "my|our {rel}*2 {kin} {name}*1 lives|live|resides in|near|on|at|with the|a|an|my|us|me !{nowhere}|$",
    ),
    ("#1? #2 #3? work", "my|our {rel}*2 {kin} {name}*1 works|work as|at|for|in !{notwork}"),
    ("#1? #2 #3? work", "my|our {rel}*2 {kin} {name}*1 works|work as|at|for|in the|a|an !{notwork}"),
    ("#1? #2 #3? #6", "my|our {rel}*2 {kin}|{pet} {name}*1 is|are {very}*2 {state}"),
    ("#1? #2 #3? work", "my|our {rel}*2 {kin} {name}*1 is|are a|an {jobadj}*2 {job}"),
    (
        "#1? #2 #3? #4",
        "my|our {rel}*2 {kin} {name}*1 studies|teaches|plays|runs|owns|keeps|speaks|collects !{it}|with|around|on|out|dead|late|away",
    ),
    (
        "#1? #2 #3? school",
        "my|our {rel}*2 {kin} {name}*1 goes|is to|in school|kindergarten|nursery|university|college|uni|med|grade|year|first|second|third|fourth|fifth",
    ),
    (
        "#1? #2 #3? age",
        "my|our {rel}*2 {kin}|{pet} {name}*1 is|are|turns|turned {digits}|{tens}|{unit}|ten|eleven|twelve {unit}*1 years|year|months|$|and|next|in|on",
    ),
    ("#1? #2 birthday", "my|our {rel}*2 {kin}|{pet} {any}*2 birthday is on|in*1 {any}*4 {month}|{digits}"),
    ("have #5", "i|we|i've|we've {adv}*2 have|got|own*2 {count} {adj}*3 {family}|{pet} !{thing}"),
    ("have #5", "i|we|i've|we've {adv}*2 have|got|own*2 {count} {adj}*3 {family}|{pet} $"),
    ("have #3", "i|we don't have any? kids|children|siblings|pets|brothers|sisters"),
    ("have #3", "i'm|im an? only|single|stay|proud|new {any}*3 child|mum|mom|dad|father|mother|parent"),
    (
        "have #3",
        "i'm|im a|the {adj}*1 mother|father|mum|mom|dad|parent|grandmother|grandfather|twin of? {any}*3",
    ),
    (
        "married",
        "i'm|im|we're {adv}*2 {very}*1 married|engaged|divorced|widowed|separated|single|expecting $|to|for|with|since|and|now|again",
    ),
    (
        "married",
        "i|we got married|engaged|divorced|separated $|in|on|last|this|at|to|two|three|when|and|{digits}",
    ),
    ("pregnant", "i'm|im|we're {any}*2 pregnant|expecting {any}*2 $"),
    ("married", "i've|we've been married {any}"),
    ("#1 name", "my {kin}|{pet} name is? {name} $"),
    // work and studies
    ("work", "i {adv}*2 work|worked as|at|for|in !{notwork}|the|{it}"),
    ("work", "i {adv}*2 work nights|part|full|shifts|remotely {any}*2 as|at|for|in a|an|the {any}"),
    ("work", "i {adv}*2 work as|at|for|in the|a|an|my|our !{notwork}|{it}"),
    ("work", "i {any}*2 and {adv}*2 work as a|an {any}"),
    ("work", "i|we no longer work {any}"),
    ("work", "i {adv}*2 became|become a|an {jobadj}*3 {job} {any}*6"),
    ("work", "i|i've {adv}*2 quit|left|lost|changed my {any}*1 job|jobs {any}*5"),
    ("work", "i'm|im {adv}*3 a|an|the {jobadj}*3 {job} !who|if|at_heart $"),
    (
        "work",
        "i'm|im {adv}*3 a|an|the {jobadj}*3 {job} $|at|in|for|by|and|from|with|on|specialising|specializing|here|now",
    ),
    (
        "work",
        "i'm|im|i {adv}*2 retired|unemployed|freelance|freelancing|self-employed|self $|employed|from|since|and|now|in|teacher",
    ),
    ("work", "i|we {adv}*2 run|own|manage a|an|my|the|our {adj}*2 {any}*1 {business}"),
    ("work", "i {adv}*2 teach !{it}|me|us|my|people|myself|a"),
    (
        "work",
        "i {adv}*2 study|studied|major|majored in? !{it}|hard|a|the|for|every|all|better|best|alone|until|how",
    ),
    (
        "studies #2",
        "i'm|im {adv}*2 studying|learning !your|his|her|their|our|its|this|how|to|that|a|the|it|from|about|something|more|all|for|so|by|on|hard|as|not|and|my",
    ),
    ("studies #3", "i'm|im {adv}*2 learning the|to|how {any}*1 {any}"),
    ("work", "i'm|im|i {adv}*2 training|studied|trained as|to a|an|be {any}"),
    ("work", "my job|profession|occupation|work is|as a|an|in|as|being {any}"),
    ("work", "i|i've {adv}*2 started|got|have a new job {any}*1 as|at|with|in {any}"),
    // diet, allergies, health
    (
        "diet",
        "i'm|im|we're|i've {adv}*2 {very}*3 been|gone|turned|become*1 vegan|vegetarian|pescatarian|pescetarian|flexitarian|celiac|coeliac|kosher|halal|teetotal|teetotaller|teetotaler|veggie",
    ),
    ("diet", "i'm|im|we're {adv}*2 {very}*2 lactose|gluten|fructose|histamine intolerant|free"),
    (
        "diet",
        "i {adv}*2 became|went|turned|eat|keep|follow|am vegan|vegetarian|pescatarian|kosher|halal|keto|gluten-free|gluten|low|paleo|veggie",
    ),
    ("diet *", "i|we {adv}*2 don't|can't|cannot|never|dont|cant {adv}*2 eat|drink|tolerate|digest !{noteat}"),
    ("diet *", "i|we do|can not {adv}*1 eat|drink|tolerate|digest !{noteat}"),
    ("diet *", "i no longer eat|drink|smoke !{noteat}"),
    ("diet *", "i|i've {adv}*1 stopped|quit|given eating|drinking|smoking|up !{noteat}"),
    (
        "diet *",
        "i {adv}*2 avoid|don't|can't do? gluten|dairy|lactose|sugar|meat|pork|beef|alcohol|caffeine|nuts|eggs|fish|shellfish|wheat",
    ),
    ("diet", "i'm|im on a {any}*1 diet"),
    ("smoke", "i {adv}*1 don't|never smoke {any}*1 $"),
    (
        "allergy *",
        "i'm|im|we're {very}*3 allergic to !it|this|that|work|mondays|monday|bullshit|mornings|people|fun|nonsense|drama|meetings|stupidity|you|effort",
    ),
    (
        "allergy *",
        "i|i've {adv}*1 have|got|suffer a|an|from*1 {very}*2 {any}*2 allergy|intolerance|allergies",
    ),
    ("health *", "i|i've {adv}*2 have|had|got|suffer from? {very}*1 type? one|two|{digits}*1 {condition}"),
    (
        "health *",
        "i'm|im {adv}*2 {very}*2 diabetic|asthmatic|epileptic|autistic|dyslexic|deaf|blind|colourblind|colorblind|left-handed|right-handed|ambidextrous",
    ),
    ("health *", "i'm|im {adv}*2 {very}*1 left|right|colour|color|short|hard handed|blind|sighted|of"),
    ("health blood", "my blood type|group is {any}"),
    // dates
    ("birthday", "my birthday is|falls on|in*1 the? {any}*3 {month}|{digits}"),
    ("birthday", "i was born on|in {any}*3 {month}|{digits}"),
    ("birthplace", "i|we was|were {adv}*1 born {any}*3 in {name}"),
    ("age", "i'm|im {adv}*1 {digits}|{tens} {unit}*1 years|year|$|and"),
    ("age", "i {adv}*1 turn|turned {digits}|{tens} {unit}*1 $|on|in|last|next|yesterday|this|recently"),
    ("age", "i'm|im {adv}*1 turning {digits}|{tens} {unit}*1 $|on|in|next|this|soon"),
    ("age", "i'll {adv}*1 be|turn {digits}|{tens} {unit}*1 $|on|in|next|this|years"),
    ("anniversary", "our|my wedding? anniversary is|falls on|in*1 {any}*4 {month}|{digits}"),
    ("anniversary", "we got|were|are married|engaged|getting {any}*1 on|in {any}*3 {month}|{digits}"),
    // likes and dislikes
    ("like *", "i'm|im {adv}*2 a {very}*2 big|huge|massive|great|die-hard|lifelong*2 fan of !{it}"),
    ("like *", "i'm|im {very}*2 not|never a {very}*2 big|huge|great|much*2 fan of !{it}"),
    ("like *", "i {adv}*2 can't|cannot|cant stand|bear !{it}|the|to|up|here|in"),
    ("like *", "i {adv}*2 adore|detest|loathe|despise !{it}|the|to|my|if|being|its|it's|their|his|this|a"),
    (
        "fear *",
        "i'm|im {very}*3 afraid|scared|terrified|frightened of !{it}|losing|what|being|making|missing|my",
    ),
    (
        "fear *",
        "i {adv}*2 fear|dread !{it}|for|we|i|i'm|he|she|they|we're|there|if|no|losing|being|making|missing|my|our|it's",
    ),
    (
        "fear *",
        "i|i've {adv}*1 have|got*1 a|an {very}*2 real|great|huge|bad|deep|irrational|lifelong*2 fear|phobia of !{it}",
    ),
    ("like *", "i'm|im {very}*2 {adv}*2 into !{it}|the|my|a|our"),
    ("like *", "i'm|im {very}*2 obsessed|fond with|of !{it}|the|my|this"),
    (
        "favourite #2",
        "my favourite|favorite !{it}|part|thing|one {any}*2 is|are !{it}|here|back|gone|closed|on|broken",
    ),
    ("favourite #4", "my absolute|all time*1 favourite|favorite !part|thing|one {any}*2 is|are {any}"),
];
