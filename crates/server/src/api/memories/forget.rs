//! Forgets many items at once: by search, person, channel or age (GR10, X15). With `preview` it only lists them.

use axum::{Json, extract::State};
use greenroom_adapters::note_erasure;
use greenroom_core::{ChannelKey, Memory, PersonaName, Timestamp, UserId, UserRef, Viewer};
use greenroom_memory::{PROMPT_HISTORY, PromptLines, existing};
use greenroom_store::{Erase, Erased, Quote, Quotes};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{ViewerQuery, may_change, now, viewer::MemoryAccess};
use crate::{ApiError, Caller, Role, Services, access::own_channel, extract, reference::Failures};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new().routes(routes!(forget))
}

/// The items to forget: one of the first four fields.
#[derive(Debug, Deserialize, ToSchema)]
struct ForgetBody {
    /// All versions of the memories that contain each significant word of this text.
    #[serde(default)]
    query: Option<String>,
    /// With an operator's key: all messages of this person and all memories from or about them, of every persona,
    /// in every channel of the provider of the query's `channel`. With a user key, for the user themselves: their
    /// messages in their own chat, `api:NAME` and its threads, and the memories from these; statements of an
    /// operator stay.
    #[serde(default)]
    person: Option<UserId>,
    /// This channel: its messages, its summaries, and every persona's memories of it. For operators.
    #[serde(default)]
    channel: Option<ChannelKey>,
    /// The messages of the query's channel, and the persona's memories of it, from before this time, in
    /// microseconds since 1970. For operators.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    before: Option<Timestamp>,
    /// With a person or a channel: also the replies to others, and the memories, that quote the forgotten texts. A
    /// preview lists them.
    #[serde(default)]
    quotes: bool,
    /// Lists the items and forgets nothing.
    #[serde(default)]
    preview: bool,
}

/// The items that were forgotten, or would be.
#[derive(Debug, Default, Serialize, ToSchema)]
struct ForgetReceipt {
    /// Whether this is a preview.
    preview: bool,
    /// The memories of a query.
    memories: Vec<Memory>,
    /// The number of items of each kind, for a person, a channel or an age.
    erased: Option<Erased>,
    /// The items that quote the person or the channel. They are forgotten with `quotes` only; those that stay come with
    /// their texts.
    quotes: Vec<QuotingItem>,
    /// Whether lines of the line history of `greenroom chat` are among the items.
    prompt_history: bool,
}

/// A reply or a memory that quotes a forgotten text.
#[derive(Debug, Serialize, ToSchema)]
struct QuotingItem {
    /// Its id, as msg:34 or m12.
    id: String,
    /// Its persona.
    persona: PersonaName,
    /// Its channel.
    channel: Option<ChannelKey>,
    /// Its text, while it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The quoted words, while it stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
}

impl QuotingItem {
    fn of(quote: Quote, stays: bool) -> Self {
        let Quote { item, persona, channel, text, words } = quote;
        let shown = |text: String| stays.then_some(text);
        Self { id: item.to_string(), persona, channel, text: shown(text), words: shown(words) }
    }
}

/// The selected items.
enum Selection {
    Query(String),
    All(Erase),
}

impl ForgetBody {
    /// The selection, if the caller may forget it.
    fn selection(self, caller: &Caller, viewer: &Viewer) -> Result<Selection, ApiError> {
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
                caller.require_operator()?;
                Selection::All(Erase::Channel(channel))
            }
            (None, None, None, Some(before)) => {
                caller.require_operator()?;
                let (persona, channel) = (viewer.persona().clone(), viewer.channel().clone());
                Selection::All(Erase::Older { persona, channel, before })
            }
            _ => {
                let message = "give exactly one of `query`, `person`, `channel` and `before`";
                return Err(ApiError::invalid(message));
            }
        })
    }
}

/// Forget many items
///
/// There is no confirmation: look at a `preview` first.
#[utoipa::path(
    post, path = "/api/personas/{name}/memories/forget", tag = "memories", request_body = ForgetBody,
    params(("name" = PersonaName, Path, description = "The persona"), ViewerQuery),
    responses((status = 200, description = "The items", body = ForgetReceipt), Failures)
)]
async fn forget(
    State(services): State<Services>,
    MemoryAccess { caller, viewer }: MemoryAccess,
    extract::Json(body): extract::Json<ForgetBody>,
) -> Result<Json<ForgetReceipt>, ApiError> {
    let (preview, quotes) = (body.preview, body.quotes);
    Ok(Json(match body.selection(&caller, &viewer)? {
        Selection::Query(query) => forget_memories(&services, &caller, &viewer, &query, preview).await?,
        Selection::All(what) => erase(&services, &what, quotes, preview).await?,
    }))
}

async fn forget_memories(
    services: &Services,
    caller: &Caller,
    viewer: &Viewer,
    query: &str,
    preview: bool,
) -> Result<ForgetReceipt, ApiError> {
    let meant = services.memory.find_to_forget(viewer, query, false, None).await?;
    let mut memories = existing(&*services.store, viewer, &meant.ids, now()).await?;
    memories.retain(|memory| may_change(caller, memory));
    if !preview {
        for memory in &memories {
            services.store.forget(viewer, memory.id).await?;
        }
        services.runtime.follow_erasures().await;
    }
    Ok(ForgetReceipt { preview, memories, ..ForgetReceipt::default() })
}

/// Erases a person, a channel or an age. If nothing is left, an earlier call may have broken off before the file was
/// cleaned, so it is cleaned again.
async fn erase(
    services: &Services,
    what: &Erase,
    quotes: bool,
    preview: bool,
) -> Result<ForgetReceipt, ApiError> {
    let would = services.store.would_erase(what).await?;
    let lines = PromptLines::of(&*services.store, what, &would, &services.data).await?;
    let quoting = services.store.quoting(what).await?;
    let go = Quotes::go_if(quotes);
    let stay = preview || !quotes;
    let quotes = quoting.into_iter().map(|quote| QuotingItem::of(quote, stay)).collect();
    if preview {
        return Ok(ForgetReceipt {
            preview,
            erased: Some(would),
            quotes,
            prompt_history: lines.is_some(),
            ..ForgetReceipt::default()
        });
    }
    let history = lines.map(|lines| lines.forget().map_err(|error| history_kept(&error)));
    let prompt_history = history.transpose()?.unwrap_or(false);
    let erased = if would == Erased::default() {
        services.store.sweep(now()).await?;
        would
    } else {
        note_erasure(&*services.store, what, None, now()).await?;
        let erased = services.store.erase(what, go).await?;
        // events in memory may contain the erased texts too
        services.runtime.follow_erasures().await;
        erased
    };
    Ok(ForgetReceipt { erased: Some(erased), quotes, prompt_history, ..ForgetReceipt::default() })
}

fn history_kept(error: &std::io::Error) -> ApiError {
    ApiError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "internal",
        format!(
            "nothing was forgotten: {PROMPT_HISTORY} in the data directory cannot be changed: {error}; remove it \
             by hand and try again"
        ),
    )
}
