//! Conversion of a message's requests, preferences and denials, and of a model's proposals, into statements to
//! remember.

use greenroom_core::{Author, Kind, Message, MessageId, Scope, Source, Tier, Trust, UserId, Viewer};
use greenroom_lang::speaks_of_oneself;
use greenroom_persona::{CaptureSettings, Follow};

use super::{
    CaptureReport, Exchange, IgnoreReason,
    facts::{Statement, speaker_of},
    home::{is_about, scope_of_said},
    preferences::{MOST, Preference, contrasts, denials, preferences},
    requests::asked_to_remember,
    secret::tells_a_secret,
    speaking,
};
use crate::{Remember, words::words};

/// The request in a message and the other preferences in it, with the scope that the author's view determines.
pub(super) fn statements_of(
    message: &Message,
    settings: &CaptureSettings,
    (viewer, follow): (&Viewer, Follow),
    report: &mut CaptureReport,
) -> Vec<Remember> {
    let Author::User { id, .. } = &message.author else { return Vec::new() };
    let mut statements = Vec::new();
    let mut found = if settings.preferences { preferences(&message.text) } else { Vec::new() };
    if let Some(mut request) = asked_to_remember(message).filter(|_| settings.requests) {
        let of_themselves = || speaks_of_oneself(&request.text) || !preferences(&request.text).is_empty();
        request.scope = scope_of_said(viewer, follow, of_themselves);
        let within = preferences(&request.text);
        // a request that is one preference and nothing else gets the preference's key
        if let [only] = within.as_slice()
            && words(&only.text) == words(&request.text)
        {
            request.key = Some(only.key.clone());
        }
        found.retain(|preference| within.iter().all(|asked| asked.key != preference.key));
        found.retain(|preference| !request.text.contains(&preference.text));
        statements.push(request);
    }
    found.retain(|preference| {
        let secret = tells_a_secret(&preference.text);
        if secret {
            report.ignored.push((preference.text.clone(), IgnoreReason::Secret));
        }
        !secret
    });
    let beyond = found.split_off(found.len().min(MOST));
    report.ignored.extend(beyond.into_iter().map(|preference| (preference.text, IgnoreReason::TooMany)));
    let remember = |preference| of_preference(preference, (viewer, follow), (message.id, id));
    statements.extend(found.into_iter().map(remember));
    statements
}

/// What a message denies of its author, and its contrasts as "it's Linz now, not Graz". These statements are kept only
/// if they correct an existing memory.
pub(super) fn denials_of(
    message: &Message,
    settings: &CaptureSettings,
    kept: (&Viewer, Follow),
) -> Vec<Remember> {
    let Author::User { id, .. } = &message.author else { return Vec::new() };
    let said = (message.id, id);
    if !settings.preferences {
        return Vec::new();
    }
    let mut denied: Vec<Remember> =
        denials(&message.text).into_iter().map(|fact| of_preference(fact, kept, said)).collect();
    // in a group nothing may show whether the author told it in private (MP1)
    if kept.0.is_one_to_one() {
        let is_taken = |text: &str| denied.iter().any(|other| text.contains(&other.text));
        let put = contrasts(&message.text).into_iter().filter(|text| !is_taken(text));
        let put: Vec<Remember> = put.map(|text| told_by_author(text, "fact", kept, said)).collect();
        denied.extend(put);
    }
    // as for preferences: the author did not ask to keep a secret (X5)
    denied.retain(|fact| !tells_a_secret(&fact.text));
    denied
}

/// A preference or fact in a message, as a memory about its author.
fn of_preference(preference: Preference, kept: (&Viewer, Follow), said: (MessageId, &UserId)) -> Remember {
    let kind = match (preference.passing, preference.fact) {
        (true, _) => "reminder",
        (_, true) => "fact",
        _ => "preference",
    };
    Remember {
        tier: if preference.passing { Tier::Episodic } else { Tier::Semantic },
        key: Some(preference.key),
        ..told_by_author(preference.text, kind, kept, said)
    }
}

/// A statement about a message's author, as a memory without a key.
pub(super) fn told_by_author(
    text: String,
    kind: &str,
    (viewer, follow): (&Viewer, Follow),
    (message, author): (MessageId, &UserId),
) -> Remember {
    Remember {
        text,
        kind: Kind::new(kind),
        tier: Tier::Semantic,
        scope: scope_of_said(viewer, follow, || true),
        source: Source { via: "preference".into(), message: Some(message), user: Some(author.clone()) },
        trust: Trust::Stranger,
        key: None,
        expires_in: None,
    }
}

/// A model's statement as a memory. Its trust is that of the person who spoke, whatever the model says.
pub(super) fn learned(statement: Statement, viewer: &Viewer, exchange: &Exchange) -> Remember {
    let burst = &exchange.burst;
    let user = speaker_of(&statement.text, burst);
    let scope = match &user {
        Some(user) => {
            let names = burst.iter().filter_map(|message| match &message.author {
                Author::User { id, name } if id == user => Some(name.as_str()),
                _ => None,
            });
            let of_themselves = || names.into_iter().any(|name| is_about(&statement.text, name));
            scope_of_said(&speaking(viewer, Some(user)), exchange.follow, of_themselves)
        }
        None => Scope::Channel(viewer.channel().clone()),
    };
    let people = burst.iter().rev().filter(|m| matches!(m.author, Author::User { .. }));
    Remember {
        source: Source { via: "learned".into(), message: people.map(|m| m.id).next(), user },
        text: statement.text,
        kind: statement.kind,
        tier: Tier::Semantic,
        scope,
        trust: Trust::Stranger,
        key: None,
        expires_in: None,
    }
}
