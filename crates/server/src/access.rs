//! Access: authenticates the callers, and decides what each may do.
//!
//! ```text
//! key.rs      the form of a key, and its hash
//! keys.rs     the keys of the store, read again while the server runs
//! hosts.rs    the values of `Host` and `Origin` that a request may have
//! session.rs  signing in and out with a browser
//! sessions.rs the sessions of browsers
//! ```

mod hosts;
mod key;
mod keys;
pub mod session;
mod sessions;

use std::{borrow::Cow, sync::Arc};

use axum::extract::FromRequestParts;
use greenroom_core::{
    ChannelKey, ChatEvent, ErrorCode, NoticeCode, Platform, Section, SharedReceipt, TurnEvent, UserId,
};
use http::{StatusCode, request::Parts};
use tokio_util::sync::CancellationToken;

use crate::ApiError;

pub use greenroom_store::Role;
pub use hosts::AllowedHosts;
pub use key::{API_KEY, Key};
pub use keys::{Grant, HOST_USER, Keys};
pub use sessions::SessionStore;

/// The state that decides whether a request is admitted.
#[derive(Clone)]
pub struct Access {
    /// The keys.
    pub keys: Keys,
    /// The values of `Host` and `Origin` that are allowed.
    pub hosts: Arc<AllowedHosts>,
    /// The browsers that have signed in.
    pub sessions: Arc<SessionStore>,
}

/// The channel of a user key, `api:NAME`; the key is good there and in its threads.
///
/// # Errors
/// What is wrong with the name: not every name can be a chat id, and a key for such a name would have no channel.
pub fn own_channel(user: &UserId) -> Result<ChannelKey, String> {
    let key = format!("api:{user}").parse::<ChannelKey>().ok();
    key.filter(|key| key.chat_id() == user.as_str() && key.thread().is_none()).ok_or_else(|| {
        format!("`{user}` cannot name a channel of its own: use a name without spaces and colons, as ann")
    })
}

/// The caller of a request. The guard adds it to the request, and handlers take it as an argument.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The rights of the key.
    pub role: Role,
    /// The person of the key; an operator may speak for others.
    pub user: UserId,
    /// Whether the caller came without a key, while none was needed.
    pub keyless: bool,
    /// Cancelled when the key is revoked or the server stops: open streams end. The guard breaks off responses
    /// to a revoked key; a WebSocket ends itself by this token.
    pub revoked: CancellationToken,
}

/// A caller with a key of the role operator (X2), as an argument of a handler.
pub struct Operator(pub Caller);

/// The notice for users when a model is asked again because its answer was unusable.
const BROKE_OFF: &str = "the model did not answer as it should; it is asked again";

impl Caller {
    /// The error of a request that is aborted because its caller has lost access.
    pub fn ended(&self) -> ApiError {
        let (code, message) = match self.keyless {
            true => (
                "no_key",
                "since a key was made, this server asks for one: send it as `Authorization: Bearer KEY` or \
                 `x-api-key: KEY`; `greenroom key create` makes one",
            ),
            false => ("revoked", "this key was revoked; ask for another"),
        };
        ApiError::new(StatusCode::UNAUTHORIZED, code, message)
    }

    /// Checks that the caller may talk and read in a channel: an operator in all, a user in `api:NAME` and its
    /// threads.
    ///
    /// # Errors
    /// 403 otherwise.
    pub fn check_channel(&self, channel: &ChannelKey) -> Result<(), ApiError> {
        let own = channel.platform() == Some(Platform::Api) && channel.chat_id() == self.user.as_str();
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

    /// Checks that the caller is an operator (X2).
    ///
    /// # Errors
    /// 403 otherwise.
    pub fn require_operator(&self) -> Result<(), ApiError> {
        match self.role {
            Role::Operator => Ok(()),
            Role::User => Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "operator_only",
                "this needs a key of the role operator; make one with `greenroom key create --role operator`",
            )),
        }
    }

    /// Whether the caller sees a section of a context: the persona's prompt and tools are for operators.
    pub fn sees(&self, section: Section) -> bool {
        self.role == Role::Operator || !matches!(section, Section::System | Section::Tools)
    }

    /// A receipt with the sections that the caller sees.
    pub fn visible_receipt(&self, mut receipt: SharedReceipt) -> SharedReceipt {
        if !receipt.items.iter().all(|item| self.sees(item.section)) {
            receipt.make_mut().items.retain(|item| self.sees(item.section));
        }
        receipt
    }

    /// The reason of a failed turn for this caller. Only operators see error messages of endpoints and their addresses
    /// (X5).
    pub fn visible_failure(&self, code: ErrorCode, message: String) -> String {
        let own = match code {
            _ if self.role == Role::Operator => return message,
            ErrorCode::ModelUnreachable => "the model cannot be reached; try again later",
            ErrorCode::ModelTimeout => "the model did not answer in time; try again",
            ErrorCode::RateLimited => "the model wants fewer requests; try again in a moment",
            ErrorCode::Unauthorized => "the model refuses the key of this server; ask its operator",
            ErrorCode::ModelUnknown => {
                "the endpoint does not know the model; ask the operator of this server"
            }
            ErrorCode::ModelRejected => "the model refuses the request; its operator can see why in the log",
            ErrorCode::ModelBroken => "the model broke off, or its answer cannot be read; try again",
            ErrorCode::ContextFull => {
                "the conversation does not fit the model's window; say less, or begin a new one"
            }
            _ => return message,
        };
        own.to_owned()
    }

    /// The text of a notice for this caller.
    pub fn visible_notice(&self, code: NoticeCode, message: String) -> String {
        match code {
            NoticeCode::Retrying if self.role == Role::User => BROKE_OFF.to_owned(),
            _ => message,
        }
    }

    /// An event, reduced to what the caller may see.
    pub fn visible_event<'a>(&self, event: &'a TurnEvent) -> Cow<'a, TurnEvent> {
        match &event.event {
            ChatEvent::Failed { code, message } if self.role == Role::User => {
                let message = self.visible_failure(*code, message.clone());
                Cow::Owned(TurnEvent { event: ChatEvent::Failed { code: *code, message }, ..event.clone() })
            }
            ChatEvent::Notice { code, message } if self.role == Role::User => {
                let message = self.visible_notice(*code, message.clone());
                Cow::Owned(TurnEvent { event: ChatEvent::Notice { code: *code, message }, ..event.clone() })
            }
            ChatEvent::ReplyDiscarded { .. } if self.role == Role::User => {
                let reason = BROKE_OFF.to_owned();
                Cow::Owned(TurnEvent { event: ChatEvent::ReplyDiscarded { reason }, ..event.clone() })
            }
            ChatEvent::ContextAssembled { receipt } if self.role == Role::User => {
                let event = TurnEvent {
                    event: ChatEvent::ContextAssembled { receipt: self.visible_receipt(receipt.clone()) },
                    ..event.clone()
                };
                Cow::Owned(event)
            }
            _ => Cow::Borrowed(event),
        }
    }

    /// The person the caller speaks as: a user as themselves, an operator as any person.
    ///
    /// # Errors
    /// 403 if a user speaks as another person.
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

impl<S: Sync> FromRequestParts<S> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.require_operator()?;
        Ok(Self(caller))
    }
}

/// The error of a request without a key.
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
        Caller { role, user: "ann".parse().unwrap(), keyless: false, revoked: CancellationToken::new() }
    }

    #[test]
    fn x2_a_user_has_their_own_channels_and_an_operator_all() {
        let status = |role, channel: &str| {
            caller(role).check_channel(&channel.parse().unwrap()).map_err(|error| error.status.as_u16())
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
        assert!(caller(Role::Operator).require_operator().is_ok());
        assert_eq!(caller(Role::User).require_operator().unwrap_err().status, StatusCode::FORBIDDEN);
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
        let seen = |role| match &caller(role).visible_event(&event).event {
            ChatEvent::ContextAssembled { receipt } => {
                receipt.items.iter().map(|item| item.section).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(seen(Role::User), [Section::History]);
        assert_eq!(seen(Role::Operator), [Section::System, Section::Tools, Section::History]);
    }

    #[test]
    fn x5_users_see_no_address_and_no_words_of_an_endpoint() {
        let told = || "the model at http://10.0.0.7/v1 refuses the key: org-123".to_owned();
        let seen = |role| caller(role).visible_failure(ErrorCode::Unauthorized, told());
        assert_eq!(seen(Role::Operator), told());
        assert_eq!(seen(Role::User), "the model refuses the key of this server; ask its operator");
        let event = |event| TurnEvent {
            id: Default::default(),
            turn_id: TurnId(uuid::Uuid::nil()),
            persona: PersonaName::default(),
            channel: "api:ann".parse().unwrap(),
            event,
        };
        for hidden in [
            ChatEvent::Failed { code: ErrorCode::ModelBroken, message: told() },
            ChatEvent::Notice { code: NoticeCode::Retrying, message: told() },
            ChatEvent::ReplyDiscarded { reason: told() },
        ] {
            let event = event(hidden);
            let seen = |role| format!("{:?}", caller(role).visible_event(&event).event);
            assert!(seen(Role::Operator).contains("10.0.0.7"));
            assert!(!seen(Role::User).contains("10.0.0.7"), "{}", seen(Role::User));
        }
    }

    #[test]
    fn a_key_s_person_can_name_a_channel() {
        assert_eq!(own_channel(&"ann".parse().unwrap()).unwrap().as_str(), "api:ann");
        for bad in ["Ann Lee", "a:b", ":", "a:"] {
            assert!(own_channel(&bad.parse().unwrap()).is_err(), "{bad}");
        }
    }
}
