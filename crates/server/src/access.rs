//! Who calls, and what they may do.
//!
//! ```text
//! key.rs      how a key looks, and what is kept of it
//! keys.rs     which keys there are, followed in the store while they change
//! names.rs    which `Host` and `Origin` a request may name
//! session.rs  how a browser signs in and out
//! sessions.rs which browsers have
//! ```

mod key;
mod keys;
mod names;
pub mod session;
mod sessions;

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use greenroom_core::{ChannelKey, ChatEvent, Section, SharedReceipt, TurnEvent, UserId};
use http::{StatusCode, request::Parts};
use tokio_util::sync::CancellationToken;

use crate::ApiError;

pub use greenroom_store::Role;
pub use key::{API_KEY, Key};
pub use keys::{Admitted, Keys};
pub use names::Names;
pub use sessions::Sessions;

/// What lets a request in: the keys there are, and the names this server goes by.
#[derive(Clone)]
pub struct Access {
    /// Who has a key.
    pub keys: Keys,
    /// As what the server may be spoken to.
    pub names: std::sync::Arc<Names>,
    /// Which browsers have signed in.
    pub sessions: std::sync::Arc<Sessions>,
}

/// The channel that a person's key opens, together with its threads: `api:NAME`. Not every name can
/// be one; a key for another would open nothing.
///
/// # Errors
/// What is wrong with the name.
pub fn own_channel(user: &UserId) -> Result<ChannelKey, String> {
    let key = format!("api:{user}").parse::<ChannelKey>().ok();
    key.filter(|key| key.chat_id() == user.as_str() && key.thread().is_none()).ok_or_else(|| {
        format!("`{user}` cannot name a channel of its own: use a name without spaces and colons, as ann")
    })
}

/// Who makes a request. The guard puts it there; a handler asks for it as an argument.
#[derive(Debug, Clone)]
pub struct Caller {
    /// What they may do.
    pub role: Role,
    /// The person they are; an operator may speak for others.
    pub user: UserId,
    /// Cancelled when their key is revoked or the server stops: open streams end. Answers to a revoked
    /// key the guard breaks off by itself; who answers on an upgraded connection ends it with this.
    pub revoked: CancellationToken,
}

impl Caller {
    /// Whether they may talk and read in a channel: an operator in all, a person in their own,
    /// `api:NAME` and its threads.
    ///
    /// # Errors
    /// 403 where they may not.
    pub fn enter(&self, channel: &ChannelKey) -> Result<(), ApiError> {
        let own = channel.provider() == "api" && channel.chat_id() == self.user.as_str();
        if self.role == Role::Operator || own {
            return Ok(());
        }
        let user = &self.user;
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden_channel",
            format!("this key is {user}'s and may use api:{user} and api:{user}:THREAD, not {channel}"),
        ))
    }

    /// Whether they may do what only operators do (X2).
    ///
    /// # Errors
    /// 403 where they may not.
    pub fn operate(&self) -> Result<(), ApiError> {
        match self.role {
            Role::Operator => Ok(()),
            Role::User => Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "operator_only",
                "this needs a key of the role operator; make one with `greenroom key create --role operator`",
            )),
        }
    }

    /// Whether they may see a part of a context: the persona's own prompt and tools are for operators.
    pub fn may_see(&self, section: Section) -> bool {
        self.role == Role::Operator || !matches!(section, Section::System | Section::Tools)
    }

    /// A receipt as they may see it.
    pub fn shown(&self, receipt: SharedReceipt) -> SharedReceipt {
        if receipt.items.iter().all(|item| self.may_see(item.section)) {
            return receipt;
        }
        let mut receipt = receipt.into_receipt();
        receipt.items.retain(|item| self.may_see(item.section));
        receipt.into()
    }

    /// An event as they may see it.
    pub fn shown_event<'a>(&self, event: &'a TurnEvent) -> Cow<'a, TurnEvent> {
        match &event.event {
            ChatEvent::ContextAssembled { receipt } if self.role == Role::User => {
                let event = TurnEvent {
                    event: ChatEvent::ContextAssembled { receipt: self.shown(receipt.clone()) },
                    ..event.clone()
                };
                Cow::Owned(event)
            }
            _ => Cow::Borrowed(event),
        }
    }

    /// As whom they speak: a person as themselves, an operator as anybody.
    ///
    /// # Errors
    /// 403 when somebody speaks for another.
    pub fn speak_as(&self, asked: Option<UserId>) -> Result<UserId, ApiError> {
        match (self.role, asked) {
            (_, None) => Ok(self.user.clone()),
            (Role::Operator, Some(user)) => Ok(user),
            (Role::User, Some(user)) if user == self.user => Ok(user),
            (Role::User, Some(user)) => Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "forbidden_user",
                format!("this key is {}'s and cannot speak for {user}", self.user),
            )
            .about("user")),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(no_key)
    }
}

/// Nobody says who they are.
pub fn no_key() -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "no_key",
        "send a key as `Authorization: Bearer KEY` or `x-api-key: KEY`; `greenroom key create` makes one",
    )
}

#[cfg(test)]
mod tests {
    use greenroom_core::{ContextBudget, Outcome, PersonaName, Receipt, ReceiptItem, TurnId};

    use super::*;

    fn caller(role: Role) -> Caller {
        Caller { role, user: "ann".parse().unwrap(), revoked: CancellationToken::new() }
    }

    #[test]
    fn x2_a_person_enters_their_own_channels_and_an_operator_all() {
        let status = |role, channel: &str| {
            caller(role).enter(&channel.parse().unwrap()).map_err(|error| error.status.as_u16())
        };
        for own in ["api:ann", "api:ann:7", "api:ann:a:b"] {
            assert_eq!(status(Role::User, own), Ok(()), "{own}");
        }
        for other in ["api:bob", "api:anna", "terminal:ann", "api:Ann"] {
            assert_eq!(status(Role::User, other), Err(403), "{other}");
            assert_eq!(status(Role::Operator, other), Ok(()), "{other}");
        }
    }

    #[test]
    fn x2_only_an_operator_operates_and_speaks_for_others() {
        let bob = || Some("bob".parse().unwrap());
        assert!(caller(Role::Operator).operate().is_ok());
        assert_eq!(caller(Role::User).operate().unwrap_err().status, StatusCode::FORBIDDEN);
        assert_eq!(caller(Role::Operator).speak_as(bob()).unwrap().as_str(), "bob");
        assert_eq!(caller(Role::User).speak_as(bob()).unwrap_err().code, "forbidden_user");
        assert_eq!(caller(Role::User).speak_as(None).unwrap().as_str(), "ann");
    }

    #[test]
    fn b7_a_persons_receipt_shows_nothing_of_the_prompt() {
        let item = |section| ReceiptItem {
            section,
            id: "x".into(),
            preview: "You are Ada".into(),
            tokens: 7,
            score: None,
            outcome: Outcome::Kept,
            reason: "fits".into(),
        };
        let receipt = SharedReceipt::from(Receipt {
            model: "m".into(),
            window: 8,
            reserve: 1,
            counter: "len/4".into(),
            exact: false,
            budget: ContextBudget::default(),
            items: vec![item(Section::System), item(Section::Tools), item(Section::History)],
            notes: Vec::new(),
            reusable_prefix: None,
        });
        let event = TurnEvent {
            id: Default::default(),
            turn_id: TurnId(uuid::Uuid::nil()),
            persona: PersonaName::default(),
            channel: "api:ann".parse().unwrap(),
            event: ChatEvent::ContextAssembled { receipt },
        };
        let seen = |role| match &caller(role).shown_event(&event).event {
            ChatEvent::ContextAssembled { receipt } => {
                receipt.items.iter().map(|item| item.section).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(seen(Role::User), [Section::History]);
        assert_eq!(seen(Role::Operator), [Section::System, Section::Tools, Section::History]);
    }

    #[test]
    fn a_key_s_person_can_name_a_channel() {
        assert_eq!(own_channel(&"ann".parse().unwrap()).unwrap().as_str(), "api:ann");
        for bad in ["Ann Lee", "a:b", ":", "a:"] {
            assert!(own_channel(&bad.parse().unwrap()).is_err(), "{bad}");
        }
    }
}
