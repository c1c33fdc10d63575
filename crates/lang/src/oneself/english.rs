//! The English rules for facts that people tell about themselves; see the parent module for the meaning of each field.
//! The patterns of preferences in the memory crate find "I like", "I prefer" and similar clauses (JV2).

mod everyday;
mod words;

use std::sync::OnceLock;

use super::Tables;
use words::LISTS;

pub(super) static TABLES: Tables = Tables {
    rules: &[RULES, everyday::RULES],
    lists: LISTS,
    openings: "and|but|so|well|oh|ah|hey|hi|hello|ok|okay|yes|yeah|yep|no|nope|btw|anyway|actually|honestly|also|fyi|please|\
        by the way|just|sorry|correction|wait|hmm|ugh|then|because|since|to be honest|personally|right|you know|in case|as you know|\
        for context|for the record|i mean|i think|i guess|fun fact|now|these days|currently|nowadays|about me|\
        recently|lately|usually|last week|last month|last year|yesterday|this year|last spring|last summer|last autumn|\
        last fall|last winter|since monday|since tuesday|since wednesday|since thursday|since friday|since saturday|since sunday|\
        since yesterday|since last week|since last month|since last year|since this week|\
        turns out|it turns out|small correction|quick correction|one correction|as i said|like i said|full disclosure|\
        confession|random fact|in fact|truth be told|between us|believe it or not|good news|sad news|big news|guess what|heads up|\
        quick note|side note|not that it matters|thing is|the thing is|funnily enough|luckily|sadly|unfortunately|finally|these last years|after that|as of this week|as of last week|as of this month|as of last month|as of today",
    supposing: "if when unless suppose imagine maybe perhaps whenever until once although would should could might",
    stories: "imagine|suppose|let's say|say you|let's pretend|role play|roleplay|in my story|if|pretend|said|says|told me|joke|character|novel|wish|dreamt|dreamed",
    times: "today|tonight|tomorrow|right now|at the moment|this week|this weekend|this morning|this evening|\
        this afternoon|this month|next week|next time|for lunch|for dinner",
    passing: "married to my job|married to my work|allergic to your|for now|this time|maybe|perhaps|probably|might|would|if|when i was|when we were|i used to|we used to|it used to|he used to|she used to|they used to|who used to|that used to|always used to|as a child|\
        as a kid|just kidding|so to speak|in a sense|in my dreams|in the game|anymore than|said|says",
    joints: "and|but|so|because|since|though|although",
    subjects: "i i'm i've i'd we we're we've my our call i'll im ive please",
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
    ("name", "call me {name}!{notname}|{it}|{adv} {any}*2 $"),
    ("name", "you|u can|may|could just|also*1 call me !{notname}|{it}|{adv}"),
    ("name", "everyone|everybody|people|friends|folks|they|most {any}*3 call|calls me !{notname}|{it}"),
    (
        "name",
        "my|all friends|family|colleagues|mates|mum|mom|parents|kids|students|grandma|wife|husband|coworkers {any}*2 call|calls me !{notname}|{it}",
    ),
    ("pronouns", "i {adv}*2 go by she|he|they|xe|ze {any}*3 $"),
    ("name", "i {adv}*2 go|goes by !{nocall}"),
    ("name", "i'm|im called|named {name}"),
    ("name", "i prefer to? be|being called !{notname}|{it}"),
    ("pronouns", "my pronouns are {any}"),
    ("pronouns", "use she|he|they her|him|them {any}*3 $"),
    ("pronouns", "it|its she|he|they|xe|ze her|him|them {any}*1 for|with me {any}*3"),
    (
        "pronouns",
        "i'm|im {adv}*2 trans|nonbinary|non-binary|enby|agender|genderfluid $|and|so|woman|man|person",
    ),
    ("pronouns", "i'm|im a trans? woman|man|girl|guy $|so|and|by|btw|actually|not"),
    ("name", "people|friends|folks|everyone|everybody|they|most|my {any}*2 know|knows me as {name}"),
    ("pronouns", "i use|go|prefer by? she|he|they|xe|ze {any}*3 $"),
    // where they live and come from
    (
        "home",
        "i|we {adv}*2 live|reside|stay|living in|near|outside|on|at|by|around the|a|an|my|our {any}*3 !{not_a_home} $",
    ),
    (
        "home",
        "i|we {adv}*2 live|reside in|near|outside|on|at|by|around|above|opposite|next|close !{not_a_home}|the|a|an",
    ),
    (
        "home",
        "i|we {adv}*2 live|reside in|near|outside|on|at|by|around|above|opposite the|a|an|my|our !{not_a_home}",
    ),
    (
        "home",
        "i|we|i've|we've {adv}*2 live|lived|living {any}*1 in|near|on|outside {name} {any}*3 since|for|all {any}",
    ),
    ("home", "i|we|i've|we've {adv}*2 been living {any}*1 in|near|on|outside {any}*1 {name} {any}*5"),
    (
        "home",
        "i|we|i've|we've have|just|recently|finally*2 bought|rent|rented|own a|an|our|my {adj}*3 flat|house|apartment|cottage|bungalow|houseboat|narrowboat|farm|studio|room in|near|on|outside {any}",
    ),
    ("home", "home for? me|us*1 is {adv}*2 {name}"),
    ("home", "home for me|us is {adv}*2 a|an|the {any}*3 in|near|outside|on {name}"),
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
    ("home", "i'm|im|we're {adv}*2 based|living|settled in|near|on|out !{not_a_home}"),
    ("origin", "i'm|im|we're {adv}*2 from {name}!{not_an_origin}"),
    (
        "origin",
        "i'm|im|we're {adv}*2 half|part|quarter|born*2 {nationality} $|and|by|but|so|on|originally|born",
    ),
    ("origin", "i'm|im|we're {adv}*2 from|a the|a|native {any}*2 {name}"),
    ("origin", "i|we {adv}*2 come|came|hail {adv}*1 from {name}!{not_an_origin}"),
    (
        "origin",
        "i|we {adv}*2 come|came|hail {adv}*1 from a|the {adj}*3 town|village|city|farm|island|family|north|south|east|west {any}*3",
    ),
    ("childhood", "i|we {adv}*2 grew|was|were up|raised in|on|near !{it}|fear"),
    // family and pets
    ("#1? #2 name", "my|our {rel}*2 {kin}|{pet} {any}*2 is|are {adv}*2 called|named {any}"),
    (
        "#1? #2 #3? home",
        "my|our {rel}*2 {kin} {name}*1 lives|live|moved|resides in|near|on|at|to|next|across|abroad !her|his|their|{not_a_home}",
    ),
    (
        "#1? #2 #3? home",
        "my|our {rel}*2 {kin} {name}*1 lives|live|resides in|near|on|at|with the|a|an|my|us|me !{not_a_home}|$",
    ),
    ("#1? #2 #3? work", "my|our {rel}*2 {kin} {name}*1 works|work as|at|for|in !{not_a_job}"),
    ("#1? #2 #3? work", "my|our {rel}*2 {kin} {name}*1 works|work as|at|for|in the|a|an !{not_a_job}"),
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
    (
        "#1? #2 #3? work",
        "my|our {rel}*2 {kin} {name}*1 drives|sells|builds|breeds|raises|farms|bakes|designs|writes|edits|manages|trains|repairs|makes|fixes|runs|owns a|an|the|{name} !hard|point|mess|fuss|noise|joke|lot|bit|big",
    ),
    ("#1? #2 #3? origin", "my|our {rel}*2 {kin} {name}*1 is|are|comes|come {very}*2 from {name}"),
    ("#1? #2 #3? origin", "my|our {rel}*2 {kin} {name}*1 is|are {very}*2 half? {nationality}"),
    (
        "#1? #2 #3? died",
        "my|our {rel}*3 {kin}|{pet} {name}*1 died|passed away|in|last|when|two|three|a|on|$ {any}*4",
    ),
    ("#1? #2 birthday", "my|our {rel}*2 {kin}|{pet} {any}*2 birthday is on|in*1 {any}*4 {month}|{digits}"),
    ("have #5", "i|we|i've|we've {adv}*2 have|got|own*2 {count} {adj}*3 {family}|{pet} !{thing}"),
    ("have #5", "i|we|i've|we've {adv}*2 have|got|own*2 {count} {adj}*3 {family}|{pet} $"),
    ("have #5", "i|we|i've|we've {adv}*2 keep|breed|adopted|rescued {count} {adj}*3 {pet} !{thing}"),
    ("have #5", "i|we|i've|we've {adv}*2 keep|breed|adopted|rescued {count} {adj}*3 {pet} $"),
    (
        "have #6",
        "i|we|i've|we've {adv}*2 keep|have|got|own*2 a|two|three {adj}*2 {any} {pet} called|named {any}",
    ),
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
    ("married", "my {kin} and i|me {any}*2 married|engaged|divorced|separated|split {any}*3"),
    (
        "married",
        "i|we|we've|i've {adv}*1 split|broken|broke up {any}*2 in|last|this|two|three|a|after|with|$",
    ),
    ("pregnant", "i'm|im|we're {any}*2 pregnant|expecting {any}*2 $"),
    ("married", "i've|we've been married {any}"),
    ("#1 name", "my {kin}|{pet} name is? {name} $"),
    // work and studies
    ("work", "i {adv}*2 work|worked as|at|for|in !{not_a_job}|the|{it}"),
    ("work", "i {adv}*2 work nights|part|full|shifts|remotely {any}*2 as|at|for|in a|an|the {any}"),
    ("work", "i {adv}*2 work as|at|for|in the|a|an|my|our !{not_a_job}|{it}"),
    ("work", "i {any}*2 and {adv}*2 work as a|an {any}"),
    ("work", "i|we no longer work {any}"),
    (
        "work",
        "i|i've {adv}*2 been working|teaching|nursing as|at|for|in|with the|a|an|my|our*1 !{not_a_job}|{it}|report|moment|draft|background",
    ),
    ("work", "i'm|im {adv}*2 working as a|an {any}"),
    ("work", "i|i've have|been*2 a|an {jobadj}*3 {job} for|since|all {any}"),
    (
        "work",
        "i|we {adv}*2 do|make|sell|build|design|repair|fix|restore|grow|paint|write {any}*3 for a living",
    ),
    (
        "work",
        "i {adv}*2 drive a|an|the bus|taxi|cab|lorry|truck|tram|train|ambulance|forklift|tractor|crane {any}*5",
    ),
    ("work", "i {adv}*2 volunteer at|for|with|in|as|on {any}"),
    ("work", "i'm|im {adv}*2 in my first|second|third|fourth|fifth|final|last year of|at|studying {any}"),
    ("work", "i'm|im {adv}*2 doing|finishing|starting|halfway|through*2 a|an|my {any}*1 {degree} {any}*5"),
    ("work", "i|i've {adv}*2 did|got|have|hold a|an|my {any}*1 {degree} in {any}"),
    (
        "work",
        "i|i've have|just|recently*2 got|taken|found|landed|started|start a|my {any}*2 job at|as|in|with {any}",
    ),
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
    ("work", "i|we {adv}*2 run|own|manage a|an|my|the|our {adj}*2 {any}*2 {business}"),
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
    ("diet *", "i|we {adv}*2 eat|drink no !{it}"),
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
    (
        "allergy #0",
        "!it|that|this|these|he|she|they|which|what {any}*1 brings|bring|gives|give me out|a|in*2 {any}*1 hives|rash|rashes|eczema|migraines|migraine|welts",
    ),
    (
        "allergy #0",
        "!it|that|this|he|she|they|which {any}*1 put|puts|sends|send me in|into|to hospital|anaphylaxis|shock {any}*3",
    ),
    (
        "allergy *",
        "i {adv}*2 react {very}*2 to !{it}|news|criticism|people|things|stress|every|all|each|any|jokes|memes|messages|posts|comments",
    ),
    ("allergy", "i|we {adv}*2 carry an|my epipen {any}*6"),
    ("health *", "i|i've {adv}*2 have|had|got|suffer from? {very}*1 type? one|two|{digits}*1 {condition}"),
    (
        "health *",
        "i'm|im {adv}*2 {very}*2 diabetic|asthmatic|epileptic|autistic|dyslexic|deaf|blind|colourblind|colorblind|left-handed|right-handed|ambidextrous",
    ),
    ("health *", "i'm|im {adv}*2 {very}*1 left|right|colour|color|short|hard handed|blind|sighted|of"),
    ("health blood", "my blood type|group is {any}"),
    // dates
    ("birthday", "my birthday is|falls on|in*1 the? {any}*3 {month}|{digits}"),
    ("birthday", "it|its my birthday on {any}*3 {month}|{digits}"),
    ("birthday", "my birthday on|in the? {any}*3 {month}|{digits}"),
    ("birthday", "i was born on|in {any}*3 {month}|{digits}"),
    ("anniversary", "it|its our {any}*1 wedding? anniversary on {any}*4 {month}|{digits}"),
    ("birthplace", "i|we was|were {adv}*1 born {any}*3 in {name}"),
    ("age", "i'm|im {adv}*1 {digits}|{tens} {unit}*1 years|year|$|and"),
    ("age", "i {adv}*1 turn|turned {digits}|{tens} {unit}*1 $|on|in|last|next|yesterday|this|recently"),
    ("age", "i've {adv}*2 turned {digits}|{tens} {unit}*1 {any}*4"),
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
    ("like *", "i'm|im {very}*2 not {very}*2 into|keen on? !{it}|the|my|a|our|doing|going"),
    ("like *", "i'm|im {very}*2 keen|mad|crazy|nuts about|on !{it}|the|my|going|doing|seeing"),
    (
        "like #0",
        "!it|that|this|these|those|he|she|they {any}*1 isn't|aren't really|just|quite*1 my thing|cup|jam {any}*2",
    ),
    ("like *", "i|i've {adv}*1 have|got*2 a real|big|terrible|total*1 soft|sweet spot|tooth {any}*3"),
    ("like *", "i'm|im {very}*2 obsessed|fond with|of !{it}|the|my|this"),
    (
        "favourite #2",
        "my favourite|favorite !{it}|part|thing|one {any}*2 is|are !{it}|here|back|gone|closed|on|broken",
    ),
    ("favourite #4", "my absolute|all time*1 favourite|favorite !part|thing|one {any}*2 is|are {any}"),
];
