//! Who calls, and what they may do.

use axum::extract::FromRequestParts;
use greenroom_core::{ChannelKey, UserId};
use http::{StatusCode, request::Parts};
use tokio_util::sync::CancellationToken;

use crate::ApiError;

/// What a key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Talks, as one person, in that person's channels.
    User,
    /// Does everything.
    Operator,
}

/// Who makes a request. The guard puts it there; a handler asks for it as an argument.
#[derive(Debug, Clone)]
pub struct Caller {
    /// What they may do.
    pub role: Role,
    /// The person they are; an operator may speak for others.
    pub user: UserId,
    /// Cancelled when their key is revoked: open streams end.
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
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            ApiError::new(StatusCode::UNAUTHORIZED, "no_key", "send a key as `Authorization: Bearer KEY`")
        })
    }
}
