//! Personas on InspIRCd and ngIRCd.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{Account, AccountState, Adapter, RefusedChannel};
use greenroom_core::Platform;
use greenroom_persona::{AccountSettings, FaceSetting, Secret};

use crate::{
    house::{House, name, within},
    servers::irc::{Kind, Person, Server},
};

pub fn settings(server: &Server) -> AccountSettings {
    AccountSettings {
        name: "net".into(),
        server: Some(format!("127.0.0.1:{}", server.port)),
        tls: false,
        channels: vec!["#tea".into()],
        personas: vec![name("ada"), name("vesper")],
        answers_per_person: 1000,
        ..AccountSettings::default()
    }
}

fn adapter(settings: &AccountSettings) -> Arc<dyn Adapter> {
    Account::read(settings).unwrap().adapter().unwrap()
}

pub async fn house(settings: AccountSettings) -> House {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let house = House::open(directory, adapter(&settings), settings, vec!["ada", "vesper"]).await;
    online(&house).await;
    house
}

async fn online(house: &House) {
    within(async {
        while house.accounts.status().await.unwrap()[0].state != AccountState::Online {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

fn said(by: &str, to: &str, text: &str) -> (String, String, String) {
    (by.into(), to.into(), text.into())
}

/// Servers give no clear error for a channel name without its prefix, such as `#`.
#[test]
fn ad5_a_channel_without_its_sign_is_refused_with_a_remedy() {
    let server = Some("127.0.0.1:6667".to_owned());
    let wrong = |channels: &[&str]| {
        let channels = channels.iter().map(|&channel| channel.to_owned()).collect();
        let settings = AccountSettings {
            name: "net".into(),
            server: server.clone(),
            channels,
            ..AccountSettings::default()
        };
        Account::read(&settings).unwrap().adapter().err().map(|error| error.to_string())
    };
    assert_eq!(wrong(&["#tea", "&local", "#den secret"]), None);
    let error = wrong(&["#tea", "den"]).unwrap();
    assert!(error.contains("`channels`: den is no channel of irc") && error.contains("\"#tea\""), "{error}");
}

/// Regression: `connect` accepted a user name that the server does not sign on.
#[tokio::test]
async fn ad5_a_user_whom_a_server_without_services_does_not_sign_on_is_named() {
    let server = Server::start(Kind::Inspircd).await;
    let found = async |token: Option<Secret>| {
        let settings = AccountSettings { user: Some("bot".into()), ..settings(&server) };
        let account = Account { settings, token, app_token: None };
        account.adapter().unwrap().check().await
    };
    let with = found(Some(Secret::new("canary"))).await;
    assert!(with.len() == 2 && with[1].text.contains("bot is not signed on"), "{with:?}");
    assert!(with.iter().all(|finding| finding.passed && !finding.text.contains("canary")));
    assert_eq!(found(None).await.len(), 1);
}

/// Regression: only the log showed that a channel refuses the account.
#[tokio::test]
async fn ad8_a_channel_that_refuses_the_account_is_shown() {
    let server = Server::start(Kind::Inspircd).await;
    let mut ann = Person::enter(&server, "ann").await;
    ann.send("JOIN #den").await;
    ann.send("MODE #den +i").await;
    ann.until(|line| line.contains("MODE #den") && line.contains("+i")).await;
    let channels = vec!["#tea".into(), "#den".into()];
    let house = house(AccountSettings { channels, ..settings(&server) }).await;
    let refused = async |wished: usize| {
        within(async {
            loop {
                let refused = house.accounts.status().await.unwrap().remove(0).refused;
                if refused.len() == wished {
                    return refused;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await
    };
    let both = refused(2).await;
    let ada = &both[0];
    assert_eq!((ada.channel.as_str(), ada.persona.as_ref().unwrap()), ("#den", &name("ada")));
    assert!(ada.why.contains("invite only"), "{ada:?}");
    assert_eq!(both[1].persona, Some(name("vesper")));
    ann.send("KICK #tea vesper :no more").await;
    let all = refused(3).await;
    let kicked = all.iter().find(|one| one.channel == "#tea").unwrap();
    assert_eq!(kicked.why, "ann sent us out: no more");
}

/// Each persona has a connection of its own, and each receives every message; the first one that is in the channel hands
/// it in.
async fn first_is_kept_out(kind: Kind) {
    let server = Server::start(kind).await;
    let mut ann = Person::enter(&server, "ann").await;
    for line in ["JOIN #den", "MODE #den +b ada!*@*"] {
        ann.send(line).await;
    }
    ann.until(|line| line.contains("MODE #den")).await;
    let channels = vec!["#tea".into(), "#den".into()];
    let _house = house(AccountSettings { channels, ..settings(&server) }).await;
    ann.until(|line| line.starts_with(":vesper!") && line.contains("JOIN") && line.contains("#den")).await;
    ann.says("#den", "vesper: Say: one").await;
    assert_eq!(ann.hears().await, said("vesper", "#den", "one"));
    ann.says("#tea", "vesper: Say: two").await;
    assert_eq!(ann.hears().await, said("vesper", "#tea", "two"));
    ann.send("KICK #tea ada :no more").await;
    ann.until(|line| line.contains("KICK #tea ada")).await;
    for word in ["three", "four"] {
        ann.says("#tea", &format!("vesper: Say: {word}")).await;
        assert_eq!(ann.hears().await, said("vesper", "#tea", word), "and once");
    }
}

#[tokio::test]
async fn ad3_a_channel_is_read_although_the_first_persona_is_kept_out_on_inspircd() {
    first_is_kept_out(Kind::Inspircd).await;
}

#[tokio::test]
async fn ad3_a_channel_is_read_although_the_first_persona_is_kept_out_on_ngircd() {
    first_is_kept_out(Kind::Ngircd).await;
}

/// A full channel leads to another one: the personas do not stay there, where nobody asked for them.
#[tokio::test]
async fn ad8_a_channel_that_leads_elsewhere_is_shown_and_the_other_one_left() {
    let server = Server::start(Kind::Inspircd).await;
    let mut ann = Person::enter(&server, "ann").await;
    for line in ["JOIN #lounge", "JOIN #full", "MODE #full +lL 1 #lounge"] {
        ann.send(line).await;
    }
    ann.until(|line| line.contains("MODE #full") && line.contains("#lounge")).await;
    let channels = vec!["#tea".into(), "#full".into()];
    let house = house(AccountSettings { channels, ..settings(&server) }).await;
    for nick in ["ada", "vesper"] {
        ann.until(|line| line.starts_with(&format!(":{nick}!")) && line.contains("PART #lounge")).await;
    }
    let refused = house.accounts.status().await.unwrap().remove(0).refused;
    let leads = |one: &RefusedChannel| one.channel == "#full" && one.why.contains("#lounge");
    assert!(refused.len() == 2 && refused.iter().all(leads), "{refused:?}");
}

/// Personas answer in a channel and in private, each with its own nick.
async fn talk(kind: Kind) {
    let server = Server::start(kind).await;
    let house = house(settings(&server)).await;
    let mut ann = Person::enter(&server, "ann").await;
    ann.says("#tea", "vesper: Say: one").await;
    assert_eq!(ann.hears().await, said("vesper", "#tea", "one"));
    ann.says("ada", "Say: two").await;
    assert_eq!(ann.hears().await, said("ada", "ann", "two"));
    ann.says("#tea", "!who").await;
    let notice = ann.until(|line| line.contains("NOTICE ann :Personas")).await;
    assert!(notice.ends_with("Personas: Ada, Vesper"), "{notice}");
    house.until_open(|open| open.is_empty()).await;
    // a line break in a reply must not begin another IRC command
    ann.says("#tea", "ada: Say: first\u{2028}QUIT :gone").await;
    assert_eq!(ann.hears().await, said("ada", "#tea", "first"));
    assert_eq!(ann.hears().await, said("ada", "#tea", "QUIT :gone"));
}

#[tokio::test]
async fn ad2_people_talk_with_personas_on_inspircd() {
    talk(Kind::Inspircd).await;
}

#[tokio::test]
async fn ad2_people_talk_with_personas_on_ngircd() {
    talk(Kind::Ngircd).await;
}

/// Regression (openclaw#56610, #52577, #51116, NemoClaw#3582): messages around a reconnect were lost.
async fn server_dies(kind: Kind) {
    let mut server = Server::start(kind).await;
    let house = house(settings(&server)).await;
    for round in 0..3 {
        let mut ann = Person::enter(&server, "ann").await;
        ann.says("#tea", &format!("ada: Say: round {round}")).await;
        assert_eq!(ann.hears().await, said("ada", "#tea", &format!("round {round}")));
        house.until_open(|open| open.is_empty()).await;
        server.kill();
        within(async {
            while house.accounts.status().await.unwrap()[0].state == AccountState::Online {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
        server.run().await;
        online(&house).await;
    }
    let status = &house.accounts.status().await.unwrap()[0];
    assert_eq!((status.waiting, status.uncertain, status.dead), (0, 0, 0));
}

#[tokio::test]
async fn ad3_inspircd_may_die_at_any_time() {
    server_dies(Kind::Inspircd).await;
}

#[tokio::test]
async fn ad3_ngircd_may_die_at_any_time() {
    server_dies(Kind::Ngircd).await;
}

/// A reply with more lines than the server accepts at once, and with letters longer than a byte.
async fn long_reply(kind: Kind) {
    let server = Server::start(kind).await;
    let house = house(settings(&server)).await;
    let mut ann = Person::enter(&server, "ann").await;
    let words: Vec<String> = (0..120).map(|n| format!("größe{n}🍵")).collect();
    // a reply of 1.8 kB: the message goes to the runtime directly, because no IRC line of a person is so long
    let message = greenroom_core::Message::new(
        "irc:net/#tea".parse().unwrap(),
        "e1",
        greenroom_core::Author::User { id: "net/~ann".parse().unwrap(), name: "ann".into() },
        format!("Say: {}", words.join(" ")),
    );
    let envelope =
        greenroom_core::Envelope { to: Some(name("ada")), ..greenroom_core::Envelope::new(message) };
    house.runtime.send(envelope).await.unwrap();
    let (mut heard, mut lines) = (Vec::new(), 0);
    while heard.len() < words.len() {
        let (by, _, text) = ann.hears().await;
        assert_eq!(by, "ada");
        assert!(!text.contains('\u{fffd}'), "{text}");
        heard.extend(text.split(' ').map(str::to_owned));
        lines += 1;
    }
    assert_eq!(heard, words);
    assert!(lines >= 4, "{lines}");
    house.until_open(|open| open.is_empty()).await;
}

#[tokio::test]
async fn ad2_a_long_reply_arrives_whole_and_unhurried_on_inspircd() {
    long_reply(Kind::Inspircd).await;
}

#[tokio::test]
async fn ad2_a_long_reply_arrives_whole_and_unhurried_on_ngircd() {
    long_reply(Kind::Ngircd).await;
}

#[tokio::test]
async fn ad4_personas_share_a_nick_where_the_settings_say_so() {
    let server = Server::start(Kind::Ngircd).await;
    let shared =
        AccountSettings { faces: FaceSetting::Prefix, user: Some("cast".into()), ..settings(&server) };
    let _house = house(shared).await;
    let mut ann = Person::enter(&server, "ann").await;
    ann.says("#tea", "@vesper Say: one").await;
    assert_eq!(ann.hears().await, said("cast", "#tea", "<Vesper> one"));
}

#[tokio::test]
async fn ad2_another_nick_is_taken_where_it_is_in_use() {
    let server = Server::start(Kind::Inspircd).await;
    let mut impostor = Person::enter(&server, "ada").await;
    let house = house(settings(&server)).await;
    let as_user = house.accounts.status().await.unwrap()[0].as_user.clone();
    assert_eq!(as_user.as_deref(), Some("ada_, vesper"));
    impostor.says("#tea", "vesper: Say: one").await;
    assert_eq!(impostor.hears().await, said("vesper", "#tea", "one"));
    // the nick becomes free, and the account may take it
    impostor.send("QUIT :bye").await;
    let mut ann = Person::enter(&server, "ann").await;
    ann.says("#tea", "ada: Say: two").await;
    let (by, ..) = ann.hears().await;
    assert!(by == "ada" || by == "ada_", "{by}");
}

/// The process dies while replies are being sent. Each message is answered, and each send that may be lost is reported.
#[tokio::test]
async fn ad3_a_kill_loses_no_message_on_irc() {
    let server = Server::start(Kind::Ngircd).await;
    let first = settings(&server);
    let mut house = house(first.clone()).await;
    let mut ann = Person::enter(&server, "ann").await;
    let mut heard = std::collections::BTreeMap::<String, usize>::new();
    let mut reported = 0;
    for round in 0..5 {
        ann.says("#tea", &format!("ada: Say: reply {round}")).await;
        // the message is stored, so from here on a loss would be Greenroom's fault
        within(async {
            let key = "irc:net/#tea".parse().unwrap();
            loop {
                let said =
                    greenroom_store::HistoryStore::history(&*house.store, &key, None, 100).await.unwrap();
                if said.iter().any(|said| said.text == format!("ada: Say: reply {round}")) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        house = house.killed(adapter(&first)).await;
        online(&house).await;
    }
    ann.says("#tea", "ada: Say: last").await;
    loop {
        let (_, _, text) = ann.hears().await;
        *heard.entry(text.clone()).or_default() += 1;
        if text == "last" {
            break;
        }
    }
    let open = house
        .until_open(|open| open.iter().all(|one| one.state == greenroom_store::DeliveryState::Uncertain))
        .await;
    reported += open.len();
    for round in 0..5 {
        let times = heard.get(&format!("reply {round}")).copied().unwrap_or(0);
        let uncertain = open.iter().filter(|one| one.text == format!("reply {round}")).count();
        assert!(times <= 1, "reply {round} was said {times} times");
        assert!(times + uncertain >= 1, "reply {round} was lost: {heard:?}, {open:?}");
    }
    assert!(reported <= 5);
}

#[tokio::test]
async fn x5_the_connection_is_encrypted_and_an_unknown_certificate_is_refused() {
    let server = Server::start(Kind::Inspircd).await;
    let encrypted = AccountSettings {
        server: Some(format!("localhost:{}", server.tls_port)),
        tls: true,
        ca_file: Some(server.directory.path().join("cert.pem")),
        ..settings(&server)
    };
    let unknown = adapter(&AccountSettings { ca_file: None, ..encrypted.clone() });
    let found = unknown.check().await.remove(0);
    assert!(!found.passed && found.text.contains("certificate of the server is not trusted"), "{found:?}");
    assert!(found.text.contains("--ca-file"), "{found:?}");
    // the same with a platform that is called over HTTP
    let matrix = AccountSettings {
        platform: Platform::Matrix,
        server: Some(format!("https://localhost:{}", server.tls_port)),
        ca_file: None,
        ..encrypted.clone()
    };
    let token = Some(Secret::new("secret"));
    let account = Account { settings: matrix, token, app_token: None };
    let found = account.adapter().unwrap().check().await.remove(0);
    assert!(!found.passed && found.text.contains("is not trusted"), "{found:?}");
    let _house = house(encrypted).await;
    let mut ann = Person::enter(&server, "ann").await;
    ann.says("#tea", "ada: Say: one").await;
    assert_eq!(ann.hears().await, said("ada", "#tea", "one"));
}

/// Regression: `connect` did not check the configured channels.
#[tokio::test]
async fn ad5_a_channel_that_does_not_let_the_account_in_is_found_on_both_servers() {
    for kind in [Kind::Inspircd, Kind::Ngircd] {
        let server = Server::start(kind).await;
        let mut ann = Person::enter(&server, "ann").await;
        for (channel, mode) in [("#invited", "+i"), ("#keyed", "+k sesame"), ("#banned", "+b ada!*@*")] {
            ann.send(&format!("JOIN {channel}")).await;
            ann.send(&format!("MODE {channel} {mode}")).await;
        }
        ann.send("JOIN #open").await;
        ann.until(|line| line.contains("366") && line.contains("#open")).await;
        let finds = async |channel: &str| {
            let settings = AccountSettings { channels: vec![channel.into()], ..settings(&server) };
            let account = Account { settings, token: None, app_token: None };
            let mut found = account.adapter().unwrap().enter().await;
            assert_eq!(found.len(), 1, "{found:?}");
            found.remove(0)
        };
        for (channel, is_ok) in [
            ("#open", true),
            ("#keyed sesame", true),
            ("#keyed", false),
            ("#invited", false),
            ("#banned", false),
        ] {
            let found = finds(channel).await;
            assert_eq!(found.passed, is_ok, "{channel}: {found:?}");
        }
        let new = finds("#new").await;
        assert!(new.passed && new.text.contains("nobody else is there"), "{new:?}");
    }
}
