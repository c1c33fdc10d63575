//! A reply that nearly repeats what was said is not sent (RM4).

use greenroom_core::{ChatEvent, NoticeCode};
use greenroom_persona::GlobalRoom;
use greenroom_runtime::{NextEvent, Topic};

use super::{
    house::*,
    talking::{limited, novel},
};

const HERE: &str = "terminal:default";

#[tokio::test]
async fn rm4_a_near_repetition_is_not_sent_and_ends_the_chain() {
    let room = GlobalRoom { chain: 12, pair: 12, ..GlobalRoom::default() };
    let mut house = House::as_wished(vec![persona("ada"), persona("bob")], limited(room)).await;
    let mut listener = house.runtime.subscribe(Topic::Channel(channel(HERE)), None).await;
    house.say("good evening").await;
    let mut n = 0;
    let answers = house
        .talk(|_| {
            n += 1;
            ["I quite agree with you!", "Is that so, dear?", "I quite agree with you.", "Is that so, dear"]
                [n % 4]
                .to_owned()
        })
        .await;
    assert!(answers < 8, "{answers}");
    let texts = house.said().await;
    let agreeing = texts.iter().filter(|text| text.starts_with("I quite agree")).count();
    assert!(agreeing <= 2, "each said it once at most: {texts:?}");
    let told = async {
        while let Some(NextEvent::Event(event)) = listener.next().await {
            if matches!(event.event, ChatEvent::Notice { code: NoticeCode::NotSent, .. }) {
                return true;
            }
        }
        false
    };
    assert!(tokio::time::timeout(TOO_LONG, told).await.unwrap(), "why nothing is sent is told");
    house.say("good evening").await;
    assert!(house.talk(novel()).await > 2, "a person may ask again, and a chain begins");
}
