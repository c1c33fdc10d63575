//! Accounts on Prosody.

use std::{sync::Arc, time::Duration};

use greenroom_adapters::{Account, AccountState, Adapter};
use greenroom_persona::{AccountSettings, Secret};

use crate::house::{House, within};

pub async fn house(settings: AccountSettings) -> House {
    let directory = Arc::new(tempfile::tempdir().unwrap());
    let house = House::open(directory, adapter(&settings), settings, vec!["ada", "vesper"]).await;
    online(&house).await;
    house
}

pub fn adapter(settings: &AccountSettings) -> Arc<dyn Adapter> {
    let token = Some(Secret::new("secret"));
    Account { settings: settings.clone(), token, app_token: None }.adapter().unwrap()
}

pub async fn online(house: &House) {
    until_state(house, |state| state == AccountState::Online).await;
}

pub async fn until_state(house: &House, wished: impl Fn(AccountState) -> bool) {
    until_state_of(house, 0, wished).await;
}

pub async fn until_state_of(house: &House, account: usize, wished: impl Fn(AccountState) -> bool) {
    within(async {
        while !wished(house.accounts.status().await.unwrap()[account].state) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}
