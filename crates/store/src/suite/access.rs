//! Access keys (X1, X2).

use super::given::*;
use crate::{NewKey, Role, Store, StoreError};

fn key(role: Role, who: &str, n: u8) -> NewKey {
    NewKey { label: format!("key {n}"), role, user: user(who), hash: [n; 32], at: later(i64::from(n)) }
}

/// A revoked key stays listed, so that its existence stays known.
pub async fn x1_a_key_is_kept_by_its_hash_until_it_is_revoked(store: &dyn Store) {
    assert_eq!(store.keys().await.unwrap(), []);
    let first = store.add_key(key(Role::User, "bo", 1)).await.unwrap();
    let second = store.add_key(key(Role::Operator, "root", 2)).await.unwrap();
    assert_eq!((first.role, first.user.as_str(), first.hash), (Role::User, "bo", [1; 32]));
    assert_eq!((second.label.as_str(), second.created_at, second.revoked_at), ("key 2", later(2), None));
    assert_eq!(store.keys().await.unwrap(), [first.clone(), second.clone()]);

    let revoked = store.revoke_key(first.id, later(9)).await.unwrap().unwrap();
    assert_eq!(revoked.revoked_at, Some(later(9)));
    assert_eq!(store.revoke_key(first.id, later(10)).await.unwrap().unwrap(), revoked, "it was before");
    assert_eq!(store.keys().await.unwrap(), [revoked, second.clone()]);
    assert_eq!(store.revoke_key(second.id + 1, later(9)).await.unwrap(), None);
}

/// A key must identify one role and one person.
pub async fn x1_two_keys_never_have_one_hash(store: &dyn Store) {
    store.add_key(key(Role::User, "bo", 1)).await.unwrap();
    let error = store.add_key(key(Role::Operator, "root", 1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Invalid(_)), "{error}");
    assert_eq!(store.keys().await.unwrap().len(), 1);
}
