//! A model that accepts images receives the fetched images. Every other model receives a description (AD2).

use std::sync::Arc;

use greenroom_adapters::{Attachment, Event, Message};
use greenroom_persona::AccountSettings;

use crate::{
    house::{House, message, name, settings},
    paper::{Paper, PaperAdapter},
};

fn file(name: &str, kind: &str, bytes: u64, source: Option<&str>) -> Attachment {
    let (media_type, source) = (Some(kind.into()), source.map(str::to_owned));
    Attachment { name: name.into(), media_type, bytes: Some(bytes), source }
}

fn shares(id: &str, text: &str, attachments: Vec<Attachment>) -> Event {
    Event::Message(Message { attachments, ..message(id, text) })
}

async fn house(paper: &Arc<Paper>) -> House {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let settings = AccountSettings { personas: vec![name("argus"), name("ada")], ..settings() };
    House::open(directory, Arc::new(PaperAdapter(paper.clone())), settings, vec!["argus", "ada"]).await
}

#[tokio::test]
async fn ad2_an_image_goes_to_a_model_that_accepts_images_and_is_described_to_others() {
    let paper = Arc::new(Paper::new());
    let house = house(&paper).await;
    let cat = || vec![file("cat.png", "image/png", 9, Some("png"))];
    paper.happens(shares("e1", "@ada look", cat())).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    assert!(paper.fetched().is_empty(), "nothing is fetched that no model sees");
    paper.happens(shares("e2", "@argus look", cat())).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.texts(), ["I see 0 images", "I see 1 images"]);
    assert_eq!(house.history("tea").await[0], "@ada look\n[image: cat.png, 1 kB]");
}

#[tokio::test]
async fn s9_of_many_or_large_images_some_are_fetched_and_what_is_gone_is_described() {
    let paper = Arc::new(Paper::new());
    let _house = house(&paper).await;
    let png = |name: &str| file(name, "image/png", 9, Some("png"));
    let files = vec![
        file("film.mp4", "video/mp4", 9, Some("png")),
        file("drawing.svg", "image/svg+xml", 9, Some("png")),
        file("huge.png", "image/png", 6 << 20, Some("png")),
        file("nowhere.png", "image/png", 9, None),
        file("gone.png", "image/png", 9, Some("gone")),
        file("page.png", "image/png", 9, Some("page")),
        png("a.png"),
        png("b.png"),
        png("c.png"),
    ];
    paper.happens(shares("e1", "@argus look", files)).await.unwrap();
    paper.until(|paper| paper.posts().len() == 1).await;
    assert_eq!(paper.fetched(), ["gone", "page", "png", "png"], "four of a message at most");
    assert_eq!(paper.texts(), ["I see 2 images"]);
}

/// A failed fetch is not final: the next persona that answers the message tries again.
#[tokio::test]
async fn ad2_an_image_that_could_not_be_fetched_is_fetched_again() {
    let paper = Arc::new(Paper::new());
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let settings = AccountSettings { personas: vec![name("argus"), name("hawk")], ..settings() };
    let adapter = Arc::new(PaperAdapter(paper.clone()));
    let _house = House::open(directory, adapter, settings, vec!["argus", "hawk"]).await;
    let files = vec![file("late.png", "image/png", 9, Some("late"))];
    paper.happens(shares("e1", "@argus @hawk look", files)).await.unwrap();
    paper.until(|paper| paper.posts().len() == 2).await;
    assert_eq!(paper.fetched(), ["late", "late"]);
}
