//! Forgetting more than one thing: by what a search finds, by person, by channel, by age (GR10, X15).
//! With `preview` it says what would go and leaves it.

use axum::{Json, extract::State};
use greenroom_core::{ChannelKey, Memory, PersonaName, Timestamp, UserId, UserRef, Viewer};
use greenroom_memory::{PROMPT_HISTORY, existing, forget_prompt, wrote_at_the_prompt};
use greenroom_store::{Erase, Erased, Quote, Quotes};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{Place, may_change, now};
use crate::{
    ApiError, Caller, Role, Services,
    access::own_channel,
    error::ErrorBody,
    extract::{self, Path, Query},
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(forget))
}

/// What to forget: one of the first four.
#[derive(Debug, Deserialize, ToSchema)]
struct ToForget {
    /// The memories that hold every telling word of it, in all versions.
    #[serde(default)]
    query: Option<String>,
    /// For an operator: all that this person said, and all that was learned from or about them, in every
    /// channel of the provider of `channel` in the address and by every persona. For a person's key, which
    /// names itself: what they said in their own chat, `api:NAME` and its threads, and what was learned from
    /// that; a statement of an operator stays.
    #[serde(default)]
    person: Option<UserId>,
    /// This channel: its messages, every persona's memories of it, its summaries. Operators only.
    #[serde(default)]
    channel: Option<ChannelKey>,
    /// What the channel of the address and the persona's memories of it hold from before this moment,
    /// in microseconds since 1970. Operators only.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    before: Option<Timestamp>,
    /// With a person or a channel: the replies of personas to others, and the memories, that quote what goes
    /// and would stay, go as well. A preview lists them.
    #[serde(default)]
    quotes: bool,
    /// Says what would go and leaves it.
    #[serde(default)]
    preview: bool,
}

/// What went, or would go.
#[derive(Debug, Default, Serialize, ToSchema)]
struct Went {
    /// True where nothing was touched.
    preview: bool,
    /// The memories a query means.
    memories: Vec<Memory>,
    /// How much of everything, where a person, a channel or an age was named.
    erased: Option<Erased>,
    /// What quotes the person or the channel: with `quotes` it goes as well, without it stays.
    quotes: Vec<Quoting>,
    /// Whether the lines typed at the prompt of `greenroom chat` are among it.
    prompt_history: bool,
}

/// A reply or a memory that quotes what is to be forgotten.
#[derive(Debug, Serialize, ToSchema)]
struct Quoting {
    /// Which, as msg:34 or m12.
    id: String,
    /// Whose.
    persona: PersonaName,
    /// Where it was said, or where it holds.
    channel: Option<ChannelKey>,
    /// Its text; in a preview alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The words it quotes; in a preview alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
}

impl Quoting {
    fn of(quote: Quote, preview: bool) -> Self {
        let Quote { item, persona, channel, text, words } = quote;
        let shown = |text: String| preview.then_some(text);
        Self { id: item.to_string(), persona, channel, text: shown(text), words: shown(words) }
    }
}

/// One way to say it.
enum Selection {
    Query(String),
    All(Erase),
}

impl ToForget {
    /// What is meant, as far as this caller may.
    fn what(self, caller: &Caller, viewer: &Viewer) -> Result<Selection, ApiError> {
        Ok(match (self.query, self.person, self.channel, self.before) {
            (Some(query), None, None, None) => Selection::Query(query),
            (None, Some(person), None, None) => {
                let person = caller.speak_as(Some(person))?;
                Selection::All(match caller.role {
                    Role::Operator => Erase::Person(UserRef::new(viewer.channel(), &person)),
                    Role::User => {
                        let chat =
                            own_channel(&person).map_err(|error| ApiError::invalid(error).about("person"))?;
                        Erase::Own { person: UserRef::new(&chat, &person), chat }
                    }
                })
            }
            (None, None, Some(channel), None) => {
                caller.operate()?;
                Selection::All(Erase::Channel(channel))
            }
            (None, None, None, Some(before)) => {
                caller.operate()?;
                let (persona, channel) = (viewer.persona().clone(), viewer.channel().clone());
                Selection::All(Erase::Older { persona, channel, before })
            }
            _ => {
                let message = "say one thing to forget: `query`, `person`, `channel` or `before`";
                return Err(ApiError::invalid(message));
            }
        })
    }
}

/// Forgets what is meant, with a receipt. Nobody is asked again: look with `preview` first.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories/forget", tag = "memories", request_body = ToForget,
    params(("name" = PersonaName, Path, description = "The persona"), Place),
    responses(
        (status = 200, description = "What went, or would go", body = Went),
        (status = "4XX", description = "Refused", body = ErrorBody),
    )
)]
async fn forget(
    State(services): State<Services>,
    caller: Caller,
    Path(name): Path<PersonaName>,
    Query(place): Query<Place>,
    extract::Json(body): extract::Json<ToForget>,
) -> Result<Json<Went>, ApiError> {
    let viewer = place.viewer(&services, &caller, name)?;
    let (preview, quotes) = (body.preview, body.quotes);
    Ok(Json(match body.what(&caller, &viewer)? {
        Selection::Query(query) => found(&services, &caller, &viewer, &query, preview).await?,
        Selection::All(what) => many(&services, &what, quotes, preview).await?,
    }))
}

async fn found(
    services: &Services,
    caller: &Caller,
    viewer: &Viewer,
    query: &str,
    preview: bool,
) -> Result<Went, ApiError> {
    let meant = services.memory.meant(viewer, query, false, true).await?;
    let mut memories = existing(&*services.store, viewer, &meant.ids, now()).await?;
    memories.retain(|memory| may_change(caller, memory));
    if !preview {
        for memory in &memories {
            services.store.forget(viewer, memory.id).await?;
        }
        services.runtime.follow_erasures().await;
    }
    Ok(Went { preview, memories, ..Went::default() })
}

/// When there is nothing, one that broke off before may still owe the file its words.
async fn many(services: &Services, what: &Erase, quotes: bool, preview: bool) -> Result<Went, ApiError> {
    let would = services.store.would_erase(what).await?;
    let prompt = wrote_at_the_prompt(what) && services.data.join(PROMPT_HISTORY).exists();
    let quoting = if preview || quotes { services.store.quoting(what).await? } else { Vec::new() };
    let go = Quotes::go_if(quotes);
    let quotes = quoting.into_iter().map(|quote| Quoting::of(quote, preview)).collect();
    if preview {
        return Ok(Went { preview, erased: Some(would), quotes, prompt_history: prompt, ..Went::default() });
    }
    let prompt_history = prompt && forget_prompt(&services.data).map_err(|error| kept(&error))?;
    let erased = if would == Erased::default() {
        services.store.sweep(now()).await?;
        would
    } else {
        let erased = services.store.erase(what, go).await?;
        // what late listeners would be told may hold it, too
        services.runtime.follow_erasures().await;
        erased
    };
    Ok(Went { erased: Some(erased), quotes, prompt_history, ..Went::default() })
}

fn kept(error: &std::io::Error) -> ApiError {
    ApiError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "internal",
        format!(
            "nothing was forgotten: {PROMPT_HISTORY} in the data directory cannot be removed: {error}; remove it \
             by hand and try again"
        ),
    )
}
