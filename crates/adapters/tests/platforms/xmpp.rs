//! Tests of what only XMPP has: rooms that exist only while somebody is in them.

use greenroom_adapters::{Account, Place};
use greenroom_persona::Secret;

use crate::{
    servers::prosody::{Kind, Prosody, TEA},
    stage::{Connected, broken, online, recorder},
};

/// A room exists once somebody enters it, and ends with its server. Regression: the adapter asked for the room's
/// features before the room existed. It then did not read the archive, and interrupted sends stayed uncertain.
#[tokio::test]
async fn ad7_a_room_that_was_not_there_before_has_its_archive_on_prosody() {
    let mut server = Prosody::start(Kind::Rich).await;
    let settings = server.settings();
    let account = Account { settings, token: Some(Secret::new("secret")), app_token: None };
    let recorder = recorder();
    let connected = Connected::with(&account, &recorder);
    for _ in 0..2 {
        online(&recorder).await;
        assert!(connected.adapter.limits(&Place::chat(TEA)).key_lives.is_some());
        server.kill();
        broken(&recorder).await;
        server.run().await;
    }
}
