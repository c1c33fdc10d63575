//! The German rules for facts that people tell about themselves; see the parent module for the meaning of each field.

mod colloquial;
mod habits;
mod more;
mod people;
mod words;

use std::sync::OnceLock;

use super::Tables;
pub(super) use colloquial::{begins, respelled, variants};
use habits::HABITS;
use more::MORE;
use people::PEOPLE;
use words::LISTS;

pub(super) static TABLES: Tables = Tables {
    rules: &[PEOPLE, MORE, HABITS],
    lists: LISTS,
    openings: "denk dran|denk bitte dran|denk daran|merk dir|und zwar|btw|puh|ach so|vorsicht|wie gesagt|danke dir|kleine bitte noch|achja|und|aber|also|ach|ach ja|ja|nein|ne|ubrigens|hallo|hi|hey|na|nun|gut|okay|ok|eigentlich|ehrlich gesagt|bitte|naja|tja|\
        stimmt|genau|korrektur|sorry|moment|halt|achtung|weil|denn|dass|nur|mal|so|du weisst|jedenfalls|ps|zur info|einfach|doch|hm|\
        wie du weisst|nur damit du es weisst",
    supposing: "wenn falls ob sobald bevor nachdem obwohl vielleicht angenommen hatte ware wurde sollte konnte",
    stories: "nie gesagt dass|nicht gesagt dass|nie behauptet dass|nicht behauptet dass|sag nicht dass|sag ja nicht dass|sage nicht dass|horoskop|wohn ich eigentlich|wohne ich eigentlich|dachte|dachten|geglaubt|denken|denkt|glauben|glaubt|behauptet|behaupten|behauptete|vermutet|vermuten|meint ich|meint dass|meinten|schrieb|träumte|geträumt|wünschte|\
        stimmt nicht dass|nicht wahr dass|glaube dass|glaub dass|hoffe dass|hoff dass|stell dir vor|stellt euch vor|angenommen|wenn|falls|sagt|sagte|meinte|als ob|im roman|in meinem roman|in meiner geschichte|im traum|im spiel|wär|würd|würde|würden|steht ich|ich überlege|tu so|tu mal so|tun wir so|denk dir|denkt euch|spielen wir|rollenspiel|\
        schreib einen|schreib eine|schreib mir|schreibe einen|schreibe eine|schreibe mir|erfinde|den satz|der satz|folgenden satz|\
        diesen satz|beispielsatz|hauptfigur|übe mit mir|üben wir|übungssatz|ein beispiel|als beispiel|lass uns spielen|lasst uns spielen|in der rolle|die geschichte|meine geschichte|der geschichte|aus sicht|mein charakter|spielfigur|\
        drehbuch|beispieltext|du bist|du wärst|ich wär|ich wäre|spiel einen|spiel eine|spiel den|spiel die|übersetze|übersetz",
    times: "heute|morgen fruh|morgen abend|heut|gerade eben|im moment|diese woche|dieses wochenende|ubermorgen|\
        heute abend|nachste woche|gleich|nachher|gerade an|gerade am|grad an|grad am|grade an|grade am|momentan an|momentan am|zum mittag",
    passing: "allergisch gegen deine|allergisch auf deine|mit meinem job verheiratet|mit meiner arbeit verheiratet|mit der arbeit verheiratet|mit dem job verheiratet|nur bis|bis morgen|zu besuch|hat er gesagt|hat sie gesagt|steht da|steht im|steht auf|stimmt nicht|stimmt gar nicht|stimmt aber nicht|stimmte nicht|stimmte aber nicht|ist gelogen|quasi|praktisch schon|gefuhlt|sozusagen|fast schon|so gut wie|fur heute|haha|scherz|spass beiseite|momentan nicht|am wochenende muss|vielleicht|wahrscheinlich|moglicherweise|ware|hatte gern|hatte gerne|\
        wenn|falls|als kind|fruher|damals|ausnahmsweise|diesmal|dieses mal|im spiel|sagt|sagte|zum abendessen gleich|\
        stell dir vor|tut mir leid|nicht sicher|von dir|im sack",
    joints: "und|aber|sondern|weil|denn|da|dass|doch|obwohl",
    subjects: "ich wir mein meine unser unsere mich mir nenn nennt du falls da deshalb deswegen daher drum darum also schreib \
        schreibe antworte fass spiel spiele erklar such hast kannst gib jetzt inzwischen mittlerweile",
    inverted: "ich wir",
    questions: &[
        ("home", "Zuhause Stadt Wohnort wo ich wohne"),
        ("name", "Name heißt"),
        ("work", "Arbeit Beruf"),
        ("age", "Alter wie alt"),
        ("birthday", "Geburtstag geboren"),
        ("origin", "Herkunft woher"),
    ],
    contracts: false,
    parsed: OnceLock::new(),
};
