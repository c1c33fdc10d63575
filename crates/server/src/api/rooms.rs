//! Rooms: who belongs to a channel, invitations, quiet, and why a persona answered a message.

use std::time::Duration;

use axum::extract::State;
use greenroom_core::{ChannelKey, MessageId, PersonaName, Timestamp};
use greenroom_runtime::{DecisionView, MemberKind, MemberView, RoomView, RoundView, VerdictView};
use greenroom_store::Via;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    ApiError, Caller, Services,
    extract::{Json, Path},
    reference::Failures,
};

/// The routes.
pub fn routes() -> OpenApiRouter<Services> {
    OpenApiRouter::new()
        .routes(routes!(members, invite))
        .routes(routes!(leave))
        .routes(routes!(quiet, lift_quiet))
        .routes(routes!(decision))
}

/// Who belongs to a channel.
#[derive(Debug, Serialize, ToSchema)]
pub struct Members {
    /// Who answers: `free`, `round-robin`, `moderator`, `quiet`.
    policy: String,
    /// Until when nobody answers, in microseconds.
    quiet_until: Option<Timestamp>,
    /// Personas first.
    members: Vec<Member>,
    /// The most that can follow the last message of a person.
    bound: Bound,
}

/// A member.
#[derive(Debug, Serialize, ToSchema)]
struct Member {
    /// `persona`, `person` or `bot`.
    kind: &'static str,
    /// A persona's name or a user's id.
    id: String,
    /// What it is called.
    name: String,
    /// How a persona came, where that is known.
    via: Option<Via>,
    /// The time of the first message that a persona heard since it came, in microseconds.
    since: Option<Timestamp>,
    /// When a persona answers: `never`, `mentioned`, `addressed`, `relevant`, `talkative`, `always`.
    policy: Option<String>,
}

/// A bound.
#[derive(Debug, Serialize, ToSchema)]
struct Bound {
    /// Replies of personas.
    replies: u32,
    /// Tokens that they may take, together.
    tokens: u64,
    /// Both, for people.
    text: String,
}

impl From<RoomView> for Members {
    fn from(room: RoomView) -> Self {
        let text = bound_text(&room);
        let member = |member: MemberView| Member {
            kind: match member.kind {
                MemberKind::Persona => "persona",
                MemberKind::Person => "person",
                MemberKind::Bot => "bot",
            },
            id: member.id,
            name: member.name,
            via: member.via,
            since: member.since,
            policy: member.policy.map(word),
        };
        Self {
            policy: word(room.policy),
            quiet_until: room.quiet_until,
            bound: Bound { replies: room.bound.answers, tokens: room.bound.tokens, text },
            members: room.members.into_iter().map(member).collect(),
        }
    }
}

/// The bound of a room, for people.
pub fn bound_text(room: &RoomView) -> String {
    format!(
        "after a message of a person at most {} replies and {} tokens follow",
        room.bound.answers, room.bound.tokens
    )
}

/// The word that a unit variant is in JSON.
fn word(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

/// A persona to invite.
#[derive(Debug, Deserialize, ToSchema)]
struct Invitation {
    /// Its name.
    persona: PersonaName,
}

/// How long nobody answers.
#[derive(Debug, Default, Deserialize, ToSchema)]
struct Quiet {
    /// Seconds; until it is lifted if not given.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 4_294_967_295_i64)]
    for_secs: Option<u32>,
}

/// Why personas answered a message or did not.
#[derive(Debug, Serialize, ToSchema)]
pub struct Decision {
    /// The message.
    message: MessageId,
    /// It is asked again before each further answer. Empty where one persona alone had to answer.
    rounds: Vec<Round>,
    /// Why nobody more was permitted to answer.
    stopped: Option<String>,
}

/// A decision.
#[derive(Debug, Serialize, ToSchema)]
struct Round {
    /// The newest message that was known.
    after: MessageId,
    /// Of every persona that belonged to the channel.
    verdicts: Vec<Verdict>,
}

/// What became of a persona.
#[derive(Debug, Serialize, ToSchema)]
struct Verdict {
    /// Its name in the cast.
    member: String,
    /// What it is called.
    name: String,
    /// `persona`.
    kind: &'static str,
    /// Its place among those that answer, from 1; null if it stays silent.
    position: Option<u32>,
    /// The reason, for programs: `named-first`.
    why: String,
    /// The reason, for people.
    text: String,
    /// The numbers that decided; empty where the conversation was not looked at.
    evidence: Value,
}

impl From<DecisionView> for Decision {
    fn from(view: DecisionView) -> Self {
        let verdict = |view: VerdictView| Verdict {
            member: view.member,
            name: view.name,
            kind: "persona",
            position: view.position,
            why: view.why,
            text: view.text,
            evidence: view
                .evidence
                .and_then(|evidence| serde_json::to_value(evidence).ok())
                .unwrap_or(json!({})),
        };
        let round = |round: RoundView| Round {
            after: round.after,
            verdicts: round.verdicts.into_iter().map(verdict).collect(),
        };
        Self {
            message: view.message,
            rounds: view.rounds.into_iter().map(round).collect(),
            stopped: view.stopped,
        }
    }
}

/// List the members of a channel
///
/// Personas that belong to it, then the people and bots that spoke there, with how each persona came and when it answers.
#[utoipa::path(
    get, path = "/api/channels/{channel}/members", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    responses((status = 200, description = "The members", body = Members), Failures),
)]
async fn members(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<Json<Members>, ApiError> {
    caller.check_channel(&channel)?;
    Ok(Json(services.runtime.room(&channel).await?.into()))
}

/// Invite a persona to a channel
///
/// It hears what is said there from now on. Nothing changes for a member.
#[utoipa::path(
    post, path = "/api/channels/{channel}/members", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    request_body = Invitation,
    responses((status = 200, description = "The members", body = Members), Failures),
)]
async fn invite(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Json(Invitation { persona }): Json<Invitation>,
) -> Result<Json<Members>, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    services.runtime.invite(&channel, &persona).await?;
    Ok(Json(services.runtime.room(&channel).await?.into()))
}

/// Let a persona leave a channel
///
/// It comes back when it is invited or addressed there. What it was about to answer is withdrawn.
#[utoipa::path(
    delete, path = "/api/channels/{channel}/members/{persona}", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("persona" = PersonaName, Path, description = "The persona"),
    ),
    responses((status = 200, description = "The members", body = Members), Failures),
)]
async fn leave(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, persona)): Path<(ChannelKey, PersonaName)>,
) -> Result<Json<Members>, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    services.runtime.leave(&channel, &persona).await?;
    Ok(Json(services.runtime.room(&channel).await?.into()))
}

/// Quiet a channel
///
/// Nobody answers there for so long, or until it is lifted. Answers that wait are withdrawn. It outlasts a restart.
#[utoipa::path(
    post, path = "/api/channels/{channel}/quiet", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    request_body = Quiet,
    responses((status = 204, description = "Quiet"), Failures),
)]
async fn quiet(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
    Json(Quiet { for_secs }): Json<Quiet>,
) -> Result<StatusCode, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    let wait = for_secs.map(|seconds| Duration::from_secs(seconds.into()));
    services.runtime.quiet(&channel, wait).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lift the quiet of a channel
#[utoipa::path(
    delete, path = "/api/channels/{channel}/quiet", tag = "channels",
    params(("channel" = ChannelKey, Path, description = "The channel")),
    responses((status = 204, description = "Lifted"), Failures),
)]
async fn lift_quiet(
    State(services): State<Services>,
    caller: Caller,
    Path(channel): Path<ChannelKey>,
) -> Result<StatusCode, ApiError> {
    caller.check_channel(&channel)?;
    let _in_use = services.enter(&caller, &channel).await?;
    services.runtime.lift_quiet(&channel).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Explain who answered a message
///
/// Every persona that belonged to the channel, whether it answered, in which place, and why.
#[utoipa::path(
    get, path = "/api/channels/{channel}/messages/{id}/decision", tag = "channels",
    params(
        ("channel" = ChannelKey, Path, description = "The channel"),
        ("id" = MessageId, Path, description = "The message"),
    ),
    responses((status = 200, description = "The decision", body = Decision), Failures),
)]
async fn decision(
    State(services): State<Services>,
    caller: Caller,
    Path((channel, id)): Path<(ChannelKey, MessageId)>,
) -> Result<Json<Decision>, ApiError> {
    caller.check_channel(&channel)?;
    let here = services.store.message(id).await?.filter(|message| message.channel == channel);
    if here.is_none() {
        return Err(ApiError::not_found("unknown_message", format!("{channel} has no message {}", id.0)));
    }
    Ok(Json(services.runtime.decision(id).await?.into()))
}
