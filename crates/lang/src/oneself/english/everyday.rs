//! English rules for facts in everyday chats: in a subordinate clause, after a name, as a reason.

pub(super) const RULES: &[(&str, &str)] = &[
    ("work", "i|i've*1 just|recently|finally*1 got hired|employed at|by|as|to {any}"),
    (
        "home",
        "i've|we've|i|we*1 been in {capital}!marketing|finance|sales|hr|accounting|slack|zoom|teams {capital}*1 {any}*3 years|months|decades|ages {any}*1 $",
    ),
    ("like #6", "i'm|im*1 a*1 {very}*1 big|huge|massive|lifelong fan of {any}"),
    // "… Plymouth, where I've been living since March"
    (
        "home",
        "{any}*14 in|to|from|near|of|is|at !{it}|the|a|an|my|our|your|his|her|their|every {any}*1 where i|we|i've|we've {any}*2 live|living|lived|grew*1 {any}*4 $",
    ),
    (
        "home",
        "i|we|i've|we've have|just|recently|finally*2 moved|relocated {any}*1 to !{it}|{not_a_home}|another|different|bigger|smaller|new|next|bed|sit|see|do|be|our|their|his|her|slack|discord|teams|linux|react|rust {name}*1 last|this|in|two|three|since|years|months|ages {any}*4",
    ),
    (
        "home",
        "i|i've have|just|recently|finally*2 moved|relocated {any}*1 from !{it}|{not_a_home}|our|their|his|her {name}*1 to !{it}|{not_a_home}|our|their|his|her|slack|discord|linux|rust $|last|this|in|two|three|since|finally|for",
    ),
    ("home", "i|i've|we|we've lived here? in {name} {any}*1 all|most|since|for {any}*5"),
    ("childhood", "i|we was|were*1 born? and*1 raised|bred|brought up*1 by|in|near|on|between !{it}|fear"),
    ("childhood", "i|we was|were*1 raised|brought up*1 by my|an|two|a {any}*3"),
    ("origin", "originally i'm|im|we're|i|we {adv}*2 from|come|came|hail from*1 {name}"),
    ("origin", "originally from {name}"),
    // names
    ("name", "name|names is? {name}!the|it|what|not|on|in $"),
    ("name", "folks|mates|all|most {any}*3 call|calls me !{notname}|{it}|{adv}"),
    (
        "#1 name",
        "my|our boss|manager|supervisor|roommate|flatmate|housemate|therapist|tutor|trainer {name}!monday|tuesday|wednesday|thursday|friday|saturday|sunday|i|i'm {any}",
    ),
    ("#2 #3? name", "my|our {count}*1 {kin}|{pet} {name} and {name}"),
    ("have #6", "{any}*9 she|he|they|that|it|it's|they're is|are*1 my|our {count}*1 {adj}*2 {pet}"),
    (
        "have #2",
        "i|we|we've|i've {adv}*2 got|have|adopted*2 a|an|two|three|our {adj}*2 {pet} {name}*1 called|named {any}",
    ),
    // work
    ("work", "as a|an {jobadj}*3 {job} $|i|i'm|i've|we|my|me"),
    ("work", "{any}*3 being a|an {jobadj}*3 {job} $|i|i'm|i've|we|my|me|but|so|and"),
    ("work", "i {adv}*2 work night|day|early|late|weekend shifts|shift {any}*9"),
    ("work", "i'm|im|i {adv}*2 studying|study|reading for a|an|my {degree} {any}*4"),
    ("work", "{ordinal} year of {any}*3 at {name}"),
    ("work", "i|i've just|recently*1 started|got a|my new? job at|in|with|as {any}"),
    ("work", "{any}*3 love|hate|enjoy being a|an {jobadj}*3 {job} {any}"),
    // health and diet
    ("health *", "i|i've {adv}*2 was|been|got diagnosed with !{it}"),
    (
        "health #6",
        "i|we*1 {adv}*2 have|need|must|gotta to|take|inject|use*2 daily|regular|my*1 take|inject|use*1 insulin|warfarin|antidepressants|antihistamines|statins|methotrexate|levothyroxine|lithium {any}*5",
    ),
    (
        "health #6",
        "i|i've {adv}*2 use|need|wear|have|got*2 a|an|my*1 {adj}*2 {aid} {any}*4 $|so|and|stairs|since|because|but",
    ),
    ("health #4", "i'm|im {adv}*2 in a {aid} {any}*4"),
    ("health #2", "my {adj}*1 hearing|guide|insulin aids|aid|dog|pump {any}*1 is|are {any}"),
    ("health *", "i'm|im {adv}*2 type {digits}|one|two diabetic"),
    (
        "health *",
        "{any}*1 being left-handed|right-handed|deaf|blind|colourblind|colorblind|diabetic|asthmatic|autistic|dyslexic|epileptic",
    ),
    ("health *", "{any}*1 being left|right handed"),
    (
        "allergy #0",
        "!{it}|this|he|she|they|which|what {any}*1 makes|make my throat|face|lips|tongue|skin|eyes {any}*4",
    ),
    (
        "allergy *",
        "{any}*1 allergic to !{it}|work|mondays|monday|bullshit|mornings|people|fun|nonsense|drama|meetings|you|effort {any}*3 here",
    ),
    ("diet", "we're|i'm|im {adv}*2 {very}*2 vegetarians|vegans|pescatarians|coeliacs"),
    ("diet", "i'm|im {adv}*2 {very}*2 lactose|gluten|fructose|histamine intol~|sensitive"),
    (
        "diet *",
        "i can't do spicy|dairy|gluten|meat|alcohol|sugar|caffeine|nuts|eggs|fish|shellfish|heights {any}*3",
    ),
    ("diet *", "i {adv}*1 only {adv}*1 eat|drink !{it}|on|when|if|at|a|half|one {any}*3"),
    // habits and likes
    ("plays #4", "i|we {adv}*2 play the? {instrument} {any}*8"),
    ("plays #4", "i|we {adv}*2 play the? {sport} {any}*5 on|every|each|in {weekday}|a|week|our|the"),
    (
        "hobby #2",
        "i|we {adv}*2 sing|paint|swim|climb|dance|row|sew|knit|fence|box|cycle in|at|with|on*1 {any}*4 every|on|each {weekday}|week",
    ),
    ("hobby #2", "i {adv}*2 sing|play|drum in a|an|the|our|my {any}*2 choir|band|orchestra|quartet|ensemble"),
    (
        "hobby gym",
        "i {adv}*2 go to {any}*4 once|twice|three|four|every a*1 times*1 {any}*1 week|day|morning|{weekday}",
    ),
    ("habit", "i'm|im {adv}*2 {very}*2 a|an*1 night|early|morning owl|bird|person|riser"),
    ("like *", "nothing makes me happier|calmer than !{it}|seeing|when"),
    (
        "like #0",
        "!{it}|this|he|she|they|these|those {any}*2 is|are {any}*3 the only thing|music|genre|drink|food|sport|kind i|we {any}",
    ),
    ("like *", "i {adv}*2 support|root for? {name}"),
    ("like #4", "i'm|im not really|much into {any}"),
    ("favourite #2", "my favourite|favorite !{it}|part|thing|one {any}*1 has|must got*1 to*1 be {any}"),
    ("languages", "i|we {adv}*2 speak|talk {nationality} {any}*2 at|with|to|and {any}"),
    ("languages", "my {rel}*2 {kin} {name}*1 speaks|talks {nationality} {any}*4"),
    ("skill swim", "i never|can't|cannot learned|learnt|learn*1 to*1 swim|drive|ride|cycle {any}*3"),
    // more rules, each with an open slot
    (
        "origin",
        "i'm|im|we're {adv}*2 from a|an|the {any}*2 village|town|city|island|farm|suburb|valley {any}*5",
    ),
    ("home", "i've|we've {adv}*2 been living in|on|at|with a|an|the|my|our {any}*6 since|for|all {any}*5"),
    ("work", "i've|i {adv}*2 been working nights|days|shifts|part|full|remotely|freelance {any}*9"),
    (
        "work",
        "i've|we've {adv}*2 worked|taught|served|volunteered|freelanced as|at|for|in|with*1 {any}*6 for|since|all {any}",
    ),
    (
        "work",
        "i {adv}*2 do freelance|contract|volunteer|social|community|accounting|bookkeeping|catering|translation|web|graphic {any}*4",
    ),
    ("work", "i {adv}*2 freelance|volunteer|intern as|at|for|in|with {any}*6"),
    ("self *", "as someone|somebody who|with|from is*1 !{it}"),
    ("name", "i'm|im {capital}!{nationality}|{not_a_name} {capital}*1 $|by|btw|nice|pleased|from"),
    ("name", "i'm|im {capital}!{nationality}|{not_a_name} {capital}*1 by|btw|nice|pleased"),
    ("best friend #3? home", "my best friend {name}*1 lives|moved in|near|to|on|next !{it}"),
    ("best friend #3? work", "my best friend {name}*1 works|is as|at|in|for|a|an {jobadj}*2 {job}"),
    ("diet *", "no {food} for me|us"),
    ("diet *", "i {adv}*1 eat|drink|do|touch no {food}"),
    ("diet *", "i|we {adv}*2 don't|can't|cannot|never|dont|cant do|have|touch|handle|digest {food}"),
    (
        "training *",
        "i'm|im|we're {adv}*2 training|saving|practising|practicing for|up*1 a|an|the|our|my !{it}",
    ),
    (
        "studies #6",
        "i'm|im|i've|i been*1 {adv}*2 trying|hoping to learn|speak !{it}|how|to|why|what|the|more",
    ),
    ("studies #5", "i'm|im|i've|i been*1 {adv}*2 teaching myself !{it}|how|to|why|what|the|myself"),
    (
        "#3 taken",
        "i|we {adv}*2 take|drink|like|have|prefer*1 my|our coffee|tea|steak|eggs {any}*3 black|white|strong|weak|rare|sweet|iced|with|without",
    ),
    (
        "health *",
        "i|i've {adv}*2 have|had|got|suffer|live from|with*1 {very}*1 chronic|bad|severe|mild*1 {condition}",
    ),
    // the end of a diet
    (
        "diet",
        "i|we|i've|we've {adv}*2 started|began|am|are*1 eat|eating meat|fish|everything|animal {any}*2 again|now",
    ),
    ("diet", "i|we {adv}*2 eat everything|anything $|now|again"),
    ("diet", "i|i've|we {adv}*2 stopped|quit|gave being|up*1 being*1 vegan|vegetarian|pescatarian"),
    ("diet", "i used to be vegan|vegetarian|pescatarian but {any}"),
    ("#1? #2 #3? health", "my|our {rel}*2 {kin} {name}*1 has|suffers from*1 {very}*1 {condition}"),
    ("health *", "i|i've {adv}*2 have|had|got|get {any}*1 {condition} {any}*4"),
    ("health *", "i'm|im {adv}*2 {very}*1 bipolar|hiv|anaemic|anemic|hypertensive|schizophrenic|narcoleptic"),
    (
        "have #3",
        "i|we {adv}*2 have|got*2 twins|triplets|grandkids|grandchildren|teenagers|kids|bees|chickens|cats|dogs|rabbits {any}*4",
    ),
    ("have #3", "i've|we've {adv}*2 got twins|triplets|grandkids|grandchildren|teenagers|kids {any}*4"),
    (
        "languages #2",
        "i {adv}*2 speak {nationality}|latin|esperanto|mandarin|cantonese|arabic|hebrew|hindi|urdu|swahili|gaelic {any}*4",
    ),
    (
        "languages",
        "{nationality}|arabic|hindi|urdu|mandarin|cantonese is my first|native|mother language|tongue",
    ),
    ("age", "i'm|im {digits} $"),
    (
        "hobby #3",
        "i|we {adv}*2 go running|swimming|climbing|bouldering|cycling|hiking|dancing|fishing|surfing|rowing|bowling|skating|sailing {any}*3 every|on|each|once|twice|most {any}*3",
    ),
    (
        "hobby #3",
        "i've {adv}*1 been knitting|running|painting|climbing|cycling|swimming|baking|gardening|fencing|sewing|rowing|dancing|fishing {any}*2 for years|ages|decades|{count} {any}*3",
    ),
    ("like *", "i'm|im {adv}*2 a*1 {very}*2 big|huge|massive|lifelong {name} {name}*1 fan|supporter"),
    ("like #1", "big|huge|massive|lifelong {capital} {capital}*1 fan|supporter here"),
    ("childhood", "i|we grew up with my|our {any}*3 in {name}"),
    ("name", "i'd rather you|u|people called me !{notname}|{it}"),
    ("diet", "{any}*8 for me as a|an vegan|vegetarian|pescatarian|coeliac|celiac"),
];
